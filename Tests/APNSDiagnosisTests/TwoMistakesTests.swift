import Foundation
import TestSupport
import Testing

/// Two common mistakes at once, in each frame of a stream or in one of them. The writer knows nothing of the search.
@Suite struct TwoMistakesTests {
  enum Mistake: CaseIterable {
    case frameLengthPlusFive, trailingNUL, countsCharacters, lengthsLittleEndian, tokenInHex, expiryLittleEndian
    case itemsInDigits, payloadInBase64, expiryInMilliseconds, lengthsInFourBytes, lineEnd
    /// The rarer ones.
    case payloadInString, payloadInUTF32, payloadAfterSize, expiryInNanoseconds, expiryInTicks, expiryAsFileTime
    case curlyQuotes, payloadInCall, payloadAfterDigits, tokenAfterSize, countsCharactersInAll, payloadLengthInUTF8
    case firstBraceMissing, lastBraceMissing, quotesInText, payloadInCESU8, payloadAsOptional, zeroWidthSpace
    case payloadAfterUncountedSize, tokenAsLargeNumber, priorityInDecimal, priorityNotCounted
    case framesInSQL, framesInFrames, framesAfterHead
    case tokenInNibbles, tokenAsOptional, tokenInUncountedHex, payloadTwice, sizesInFourBytes, priorityInFourBytes
    case itemsInFrames, lengthBeforeCommand, framesInByteArray
    case semicolons, controlCharacter, payloadInMarkup, tokenInText, lastItemsExchanged, expiryAsDate, expiryInDigits
    case tokenInForm, payloadInSwift, payloadOfAnyHashable, payloadInElixir, payloadInPropertyList
    case colonMissing, numberInHex, singleBackslashes
  }

  static let common = Mistake.allCases.prefix { $0 != .payloadInString }
  static let pairs = common.flatMap { one in common.drop { $0 != one }.dropFirst().map { (one, $0) } }

  @Test(arguments: pairs, [true, false]) func areRepairedAsMeant(_ pair: (Mistake, Mistake), isHabit: Bool) {
    expectRepair(of: [pair.0, pair.1], isHabit: isHabit)
  }

  @Test(arguments: Mistake.allCases, [true, false]) func oneIsRepairedAsMeant(_ mistake: Mistake, isHabit: Bool) {
    // A single one may be any number, or a token of another size.
    let isDecided = isHabit || ![.priorityInDecimal, .tokenAsLargeNumber].contains(mistake)
    expectRepair(of: [mistake], isHabit: isHabit, isDecided: isDecided)
  }

  @Test func eachOfTwoHasItsFix() {
    let mistakes = [Mistake.lengthsLittleEndian, .tokenInHex, .payloadInBase64, .expiryInMilliseconds]
    func fix(of mistakes: Set<Mistake>) -> String {
      let bytes = (0..<3).flatMap { Frame(number: $0, token: Array(160..<192)).written(mistakes) }
      return findings(in: bytes).lazy.compactMap(\.cause).first?.fix ?? ""
    }
    for (index, one) in mistakes.enumerated() {
      for other in mistakes[..<index] {
        let (both, each) = (fix(of: [one, other]), [fix(of: [one]), fix(of: [other])])
        #expect(each.allSatisfy { !$0.isEmpty && both.contains($0) }, "\(one), \(other): \(both)")
      }
    }
  }

  /// After another mistake, a NUL after a payload may be the payload's own fault.
  @Test func aReadingWithoutMistakesIsSaid() throws {
    let token = [UInt8](160..<192)
    var written = (0..<5).map { Frame(number: $0, token: token).written($0 == 0 ? [.tokenInHex] : []) }
    written[2] = notification(2, 1_384_819_200, token, Array("{\"aps\":{\"alert\":\"Hi\"}}\0".utf8))
    let fixes = findings(in: written.flatMap(\.self)).map(\.fix)
    #expect(fixes.contains { $0.contains("or: as its lengths say, ") }, "\(fixes)")
  }

  private func expectRepair(of mistakes: Set<Mistake>, isHabit: Bool, isDecided: Bool = true) {
    var random = SeededGenerator(seed: 1)
    var words = mistakes.contains(.quotesInText) ? #"says \"hi\", "# : ""
    // Only lengths from 128 on have other bytes in UTF-8.
    if mistakes.contains(.payloadLengthInUTF8) { words = String(repeating: "o", count: 110) }
    if mistakes.contains(.payloadInCESU8) { words = "🎉" }
    if mistakes.contains(.controlCharacter) { words = #"\u000b"# }
    if mistakes.contains(.singleBackslashes) { words = #"C:\\dir\\35 "# }
    // The highest bit of a token would be the sign of a number.
    let frames = (0..<6).map { Frame(number: $0, token: [0xfc] + random.bytes(31), words: words) }
    let meant = frames.map { $0.written([]) }
    let written = frames.map { isHabit || $0.number == 2 ? $0.written(mistakes) : $0.written([]) }
    let bytes = written.flatMap(\.self)
    let causes = findings(in: bytes).compactMap(\.cause).filter { $0.repaired != nil }
    let repaired = NameTests.repaired(bytes, causes)
    #expect(repaired == (isDecided ? meant.flatMap(\.self) : bytes), "\(mistakes) \(causes.map(\.evidence))")
    for cause in causes { #expect(!cause.evidence.contains(/(the \w+) and \1/), "\(cause.evidence)") }
  }

  /// A notification of command 2.
  struct Frame {
    let number: Int
    let token: [UInt8]
    var words = ""

    func written(_ mistakes: Set<Mistake>) -> [UInt8] {
      func bytes(_ number: Int, _ width: Int, isReversed: Bool = false) -> [UInt8] {
        let bytes = (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        return isReversed ? bytes.reversed() : bytes
      }
      func length(_ number: Int, _ width: Int? = nil) -> [UInt8] {
        let usual = mistakes.contains(.lengthsInFourBytes) ? 4 : 2
        return bytes(number, width ?? usual, isReversed: mistakes.contains(.lengthsLittleEndian))
      }
      func item(_ id: UInt8) -> [UInt8] { [mistakes.contains(.itemsInDigits) ? 0x30 + id : id] }
      // As QByteArray is written.
      func size(_ count: Int) -> [UInt8] { mistakes.contains(.sizesInFourBytes) ? bytes(count, 4) : [] }
      let digits = Array("0123456789abcdef".utf8)
      let inHex = token.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
      let isInHex = !mistakes.isDisjoint(with: [.tokenInHex, .tokenInUncountedHex])
      let sized = (mistakes.contains(.tokenAfterSize) ? [32] : []) + token
      var token = (mistakes.contains(.tokenAsLargeNumber) ? [0] : []) + (isInHex ? inHex : sized)
      if mistakes.contains(.tokenInNibbles) { token = self.token.flatMap { [$0 >> 4, $0 & 15] } }
      if mistakes.contains(.tokenAsOptional) { token = "Optional(\"".utf8 + inHex + "\")".utf8 }
      if mistakes.contains(.tokenInForm) {
        token = Array(Data(self.token).base64EncodedString().replacing("+", with: " ").utf8)
      }
      if mistakes.contains(.tokenInText) { token = "s:64:\"".utf8 + inHex + "\";".utf8 }
      let text = #"{"aps":{"alert":"Привет \#(words)\#(number)","badge":\#(number)}}"#
      var sent = Array(text.utf8)
      if mistakes.contains(.payloadInBase64) { sent = Array(Data(text.utf8).base64EncodedString().utf8) }
      if mistakes.contains(.payloadInString) { sent = Array("\"\(text.replacing("\"", with: "\\\""))\"".utf8) }
      if mistakes.contains(.payloadInUTF32) { sent = text.unicodeScalars.flatMap { bytes(Int($0.value), 4) } }
      if mistakes.contains(.payloadAfterSize) { sent = bytes(sent.count, 4) + sent }
      if mistakes.contains(.payloadAfterDigits) { sent = Array("\(sent.count):\(text),".utf8) }
      if mistakes.contains(.payloadInCall) { sent = Array("show(\(text));".utf8) }
      if mistakes.contains(.curlyQuotes) { sent = Array(text.replacing("\"", with: "\u{201d}").utf8) }
      if mistakes.contains(.firstBraceMissing) { sent.removeFirst() }
      if mistakes.contains(.lastBraceMissing) { sent.removeLast() }
      if mistakes.contains(.payloadTwice) { sent += sent }
      if mistakes.contains(.quotesInText) { sent = Array(text.replacing(#"\""#, with: "\"").utf8) }
      if mistakes.contains(.semicolons) { sent = Array(text.replacing(",", with: ";").utf8) }
      if mistakes.contains(.payloadInSwift) {
        sent = Array(text.replacing("{", with: "[").replacing("}", with: "]").utf8)
      }
      if mistakes.contains(.payloadOfAnyHashable) {
        let keys = text.replacing(/"(\w+)":/) { "AnyHashable(\"\($0.output.1)\"):" }
        sent = Array(keys.replacing("{", with: "[").replacing("}", with: "]").utf8)
      }
      if mistakes.contains(.payloadInElixir) {
        sent = Array(text.replacing("{", with: "%{").replacing(":", with: "=>").utf8)
      }
      if mistakes.contains(.payloadInPropertyList) {
        let keys = text.replacing(/"(\w+)":/) { "\($0.output.1)=" }
        sent = Array(keys.replacing(",", with: ";").replacing("}", with: ";}").utf8)
      }
      if mistakes.contains(.controlCharacter) { sent = Array(text.replacing(#"\u000b"#, with: "\u{b}").utf8) }
      if mistakes.contains(.colonMissing) { sent = Array(text.replacing(#""alert":"#, with: #""alert""#).utf8) }
      if mistakes.contains(.numberInHex) { sent = Array(text.replacing(#""badge":"#, with: #""badge":0x0"#).utf8) }
      if mistakes.contains(.singleBackslashes) { sent = Array(text.replacing(#"\\"#, with: #"\"#).utf8) }
      if mistakes.contains(.payloadInMarkup) { sent = Array("<string>\(text)</string>".utf8) }
      if mistakes.contains(.zeroWidthSpace) { sent = Array("\u{200b}\(text)".utf8) }
      if mistakes.contains(.payloadAsOptional) {
        sent = Array("Optional(\"\(text.replacing("\"", with: #"\""#))\")".utf8)
      }
      if mistakes.contains(.payloadInCESU8) {
        let parts = text.split(separator: "🎉").map { Array($0.utf8) }
        sent = parts[0] + [0xed, 0xa0, 0xbc, 0xed, 0xbe, 0x89] + parts[1]
      }
      let characters = sent.count { $0 & 0xc0 != 0x80 }
      let counted = mistakes.isDisjoint(with: [.countsCharacters, .countsCharactersInAll]) ? sent.count : characters
      let inUTF8 = length(counted).flatMap { String(UnicodeScalar($0)).utf8 }
      // Below 128, a varint is one byte.
      let prefix = mistakes.contains(.payloadAfterUncountedSize) ? [UInt8(sent.count)] : []
      let payload = prefix + sent + (mistakes.contains(.trailingNUL) ? [0] : [])
      let time = 1_384_819_200 + 60 * number
      var (date, width) = (time, 4)
      if mistakes.contains(.expiryInMilliseconds) { (date, width) = (1000 * time, 8) }
      if mistakes.contains(.expiryInNanoseconds) { (date, width) = (1_000_000_000 * time, 8) }
      // From the years 1 and 1601, in units of 100 nanoseconds.
      if mistakes.contains(.expiryInTicks) { (date, width) = (10_000_000 * (time + 62_135_596_800), 8) }
      if mistakes.contains(.expiryAsFileTime) { (date, width) = (10_000_000 * (time + 11_644_473_600), 8) }
      var expiry = bytes(date, width, isReversed: mistakes.contains(.expiryLittleEndian))
      if mistakes.contains(.expiryInDigits) { expiry = Array("\(time).25".utf8) }
      if mistakes.contains(.expiryAsDate) { expiry = Array("2013-11-19 00:0\(number):00 UTC".utf8) }
      let priority: [UInt8] =
        mistakes.contains(.priorityInFourBytes) ? [0, 0, 0, 10] : [mistakes.contains(.priorityInDecimal) ? 0x10 : 10]
      let all = [
        item(1) + length(token.count) + size(token.count) + token,
        item(2) + (mistakes.contains(.payloadLengthInUTF8) ? inUTF8 : length(counted)) + size(counted) + payload,
        item(3) + length(4) + bytes(1000 + number, 4),
        item(mistakes.contains(.lastItemsExchanged) ? 5 : 4) + length(expiry.count) + expiry,
        item(mistakes.contains(.lastItemsExchanged) ? 4 : 5) + length(1) + priority,
      ]
      if mistakes.contains(.itemsInFrames) { return all.flatMap { [2] + bytes($0.count, 4) + $0 } }
      let items = all.flatMap(\.self)
      let end: [UInt8] = mistakes.contains(.lineEnd) ? [0x0d, 0x0a] : []
      // A sender may add up the lengths that it has written.
      var sum = items.count - (mistakes.contains(.countsCharactersInAll) ? sent.count - characters : 0)
      if mistakes.contains(.frameLengthPlusFive) { sum += 5 }
      if mistakes.contains(.priorityNotCounted) { sum -= 4 }
      if mistakes.contains(.tokenInUncountedHex) { sum -= 32 }
      if mistakes.contains(.lengthBeforeCommand) { return bytes(sum, 4) + [2] + items }
      let frame = [2] + length(sum, 4) + items + end
      if mistakes.contains(.framesInFrames) { return [2] + bytes(frame.count, 4) + frame }
      if mistakes.contains(.framesAfterHead) { return [1, 0, 0, 0] + bytes(frame.count, 4) + frame }
      if mistakes.contains(.framesInByteArray) {
        let escapes = frame.flatMap { "\\x".utf8 + [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return "bytearray(b'".utf8 + escapes + "')".utf8
      }
      let escapes: [UInt8: Character] = [0: "0", 10: "n", 13: "r", 26: "Z", 34: "\"", 39: "'", 92: "\\"]
      guard mistakes.contains(.framesInSQL) else { return frame }
      return frame.flatMap { byte in escapes[byte].map { Array("\\\($0)".utf8) } ?? [byte] }
    }
  }
}
