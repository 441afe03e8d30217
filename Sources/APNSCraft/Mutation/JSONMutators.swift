import APNSDiagnosis
import APNSWire

/// Mutators that make JSON or UTF-8 invalid in each way seen from real senders, for every JSON field.
func jsonMutators(of schema: FrameSchema) -> [Mutator] {
  let targets = schema.paths.filter { $0.field?.isJSON == true }
  return targets.flatMap { target in jsonFaults.map { $0.mutator(of: target) } }
}

/// A change that makes a JSON text invalid. The text is an object written without spaces.
private struct JSONFault: Sendable {
  let name: String
  let title: String
  let rule: Rule
  /// Returns nil if the change does not apply to the text.
  let apply: @Sendable (_ text: [UInt8], _ chance: inout Chance) -> (text: [UInt8], words: String)?

  func mutator(of target: FieldPath) -> Mutator {
    Mutator("\(name)-\(target.name)", title, rule: rule, of: target.schema) { context in
      guard let old = try context.frame.octets(at: target), old.first == UInt8(ascii: "{"), old.count > 6,
        let (text, words) = apply(old, &context.maker.chance), fits(text, target, context.edition)
      else { return nil }
      context.frame[target] = .octets(text)
      return Change(sentence: "\(words); the \(target.title) had \(old.count) bytes and now has \(text.count)")
    }
  }
}

/// Whether the text fits its length field and the size limit, so that no second rule is broken.
func fits(_ text: [UInt8], _ target: FieldPath, _ edition: Edition) -> Bool {
  let most = target.isItem ? edition.maximumPayload : min(edition.maximumPayload, 256)
  return text.count <= (target.lengthWidth == 1 ? 255 : target.field?.role == .payload ? most : 0xffff)
}

private let quote = UInt8(ascii: "\"")

private let jsonFaults = [
  JSONFault(name: "byte-order-mark", title: "a byte order mark precedes the text", rule: .jsonByteOrderMark) {
    text, _ in ([0xef, 0xbb, 0xbf] + text, "ef bb bf was inserted before {")
  },
  JSONFault(name: "utf16", title: "the text is UTF-16", rule: .jsonUTF16) { text, chance in
    let isBig = chance.percent(50)
    let units = Array(String(decoding: text, as: UTF8.self).utf16)
    let mark: [UInt16] = chance.percent(50) ? [0xfeff] : []
    return (
      (mark + units).flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 0xff)] : [UInt8($0 & 0xff), UInt8($0 >> 8)] },
      "the text was changed from UTF-8 to \(isBig ? "big" : "little")-endian UTF-16"
    )
  },
  JSONFault(name: "trailing-comma", title: "a comma precedes a closing bracket", rule: .jsonTrailingComma) {
    text, _ in (text.dropLast() + [UInt8(ascii: ","), UInt8(ascii: "}")], "a comma was inserted before the last }")
  },
  JSONFault(name: "terminated", title: "bytes follow the end of the text", rule: .jsonTerminated) {
    text, chance in
    let tails: [[UInt8]] = [[0], [0, 0], [UInt8(ascii: "}")], [0x0a, 0], Array(" x".utf8)]
    let tail = chance.pick(tails)
    return (text + tail, "\(tail.count == 1 ? "a byte was" : "\(tail.count) bytes were") added after the last }")
  },
  JSONFault(name: "text-cut", title: "the text is cut short, and its length is that of the rest", rule: .jsonCut) {
    text, chance in
    let count = chance.number(1...(text.count - 1))
    return (Array(text[..<count]), "the text was cut after byte \(count)")
  },
  JSONFault(name: "latin1", title: "a character is written in Latin-1", rule: .jsonNotUTF8) { text, chance in
    guard let place = text.firstIndex(of: quote) else { return nil }
    let byte = chance.pick(Array(UInt8(0xe0)...0xff))
    return (
      text.inserting(byte, after: place),
      "the byte \(byte), which is Latin-1 and not UTF-8, was inserted into the first string"
    )
  },
  JSONFault(
    name: "control-character", title: "a string contains an unescaped control character", rule: .jsonControlCharacter
  ) { text, chance in
    guard let place = text.firstIndex(of: quote) else { return nil }
    let byte = chance.pick([0x01, 0x09, 0x0a, 0x0d, 0x1f] as [UInt8])
    return (
      text.inserting(byte, after: place),
      "the control character \(byte), which must be escaped, was inserted into the first string"
    )
  },
  JSONFault(name: "single-quotes", title: "a key is not in double quotes", rule: .jsonQuotes) { text, chance in
    guard let first = text.firstIndex(of: quote), let second = text[(first + 1)...].firstIndex(of: quote) else {
      return nil
    }
    let curly: ([UInt8], [UInt8]) = ([0xe2, 0x80, 0x9c], [0xe2, 0x80, 0x9d])
    let single: ([UInt8], [UInt8]) = ([UInt8(ascii: "'")], [UInt8(ascii: "'")])
    let (open, close) = chance.pick([curly, single])
    return (
      text.replacing(first, second, by: open, close),
      "the double quotes around the first key were replaced by other quotes"
    )
  },
  JSONFault(name: "bare-key", title: "a key has no quotes", rule: .jsonQuotes) { text, _ in
    guard let first = text.firstIndex(of: quote), let second = text[(first + 1)...].firstIndex(of: quote),
      first + 1 < second, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(text[first + 1])
    else { return nil }
    return (
      text.replacing(first, second, by: [], []), "the quotes around the first key were removed"
    )
  },
  JSONFault(
    name: "no-colon", title: "another character replaces the colon between a key and its value",
    rule: .payloadNotJSON
  ) {
    text, chance in
    guard let first = text.firstIndex(of: quote), let second = text[(first + 1)...].firstIndex(of: quote),
      second + 1 < text.count, text[second + 1] == UInt8(ascii: ":")
    else { return nil }
    var text = text
    text[second + 1] = chance.pick(Array("=;,".utf8))
    return (text, "the first : was replaced by \(Character(Unicode.Scalar(text[second + 1])))")
  },
  JSONFault(name: "comma-first", title: "a comma precedes the first key", rule: .payloadNotJSON) { text, _ in
    ([UInt8(ascii: "{"), UInt8(ascii: ",")] + text.dropFirst(), "a comma was inserted after the first {")
  },
]

extension [UInt8] {
  fileprivate func inserting(_ byte: UInt8, after place: Int) -> [UInt8] {
    var text = self
    text.insert(byte, at: place + 1)
    return text
  }

  /// Replaces two bytes.
  fileprivate func replacing(_ first: Int, _ second: Int, by one: [UInt8], _ other: [UInt8]) -> [UInt8] {
    var text = self
    text.replaceSubrange(second...second, with: other)
    text.replaceSubrange(first...first, with: one)
    return text
  }
}
