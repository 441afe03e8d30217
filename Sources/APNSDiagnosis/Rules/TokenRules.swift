import APNSWire

/// Whether a device token can be one. A token gets one finding at most, and what it is tells more than that its size
/// is wrong: text comes before zeros behind it, and both before the size, unless the size alone is refused.
let tokenRules = RuleFamily([
  emptyToken, tokenAllZero, tokenAsHexText, tokenAsDescription, tokenLength, tokenPadded,
]) { facts, bytes, _, report in
  guard let token = facts.token else { return }
  let shape = TokenShape(of: token.range, in: bytes)
  if shape.isOrdinary(token.count) { return }
  report.add(shape, token, facts, bytes)
}

/// What the bytes of a token look like.
enum TokenShape {
  case plain
  case empty
  case zero
  /// Hexadecimal digits in ASCII.
  case hexText
  /// Other printable ASCII.
  case text
  /// So many zero bytes behind others.
  case padded(Int)

  /// What every edition takes.
  func isOrdinary(_ count: Int) -> Bool {
    if case .plain = self { count == 32 } else { false }
  }

  /// Most tokens are told by their first and last byte.
  init(of range: Range<Int>, in bytes: Span<UInt8>) {
    self = .plain
    guard let end = range.last else {
      self = .empty
      return
    }
    let first = bytes[range.lowerBound]
    if Self.isPrintable(first), let text = Self.text(range, bytes) {
      self = text
    } else if bytes[end] == 0 {
      var zeros = 1
      while zeros < range.count, bytes[end - zeros] == 0 { zeros += 1 }
      if zeros == range.count { self = .zero } else if zeros >= 8 { self = .padded(zeros) }
    }
  }

  /// Random bytes are not taken for text: of 16 bytes all are digits once in 10^17 tokens, and of 24 all are printable
  /// once in 10^10.
  private static func text(_ range: Range<Int>, _ bytes: Span<UInt8>) -> TokenShape? {
    var digits = 0
    for index in range {
      guard isPrintable(bytes[index]) else { return nil }
      if bytes[index].hexDigitValue != nil { digits += 1 }
    }
    let count = range.count
    if digits == count {
      return count >= 16 && count.isMultiple(of: 2) || (62...66).contains(count) ? .hexText : nil
    }
    let (first, last) = (bytes[range.lowerBound], bytes[range.upperBound - 1])
    let isBracketed = first == UInt8(ascii: "<") && last == UInt8(ascii: ">")
    let isNull = first == UInt8(ascii: "(") && last == UInt8(ascii: ")")
    return isBracketed || isNull || count >= 24 ? .text : nil
  }

  private static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7e).contains(byte) }
}

extension Report {
  fileprivate mutating func add(
    _ shape: TokenShape, _ token: FieldRef, _ facts: borrowing FrameFacts, _ bytes: Span<UInt8>
  ) {
    // What the service itself writes is never refused, and is judged by what its last text allows.
    let isSent = facts.isSent
    let limit = Limit.broken(
      by: token.count, .token, of: facts.schema?.command, in: isSent ? facts.edition : .year2017)
    let isRefused = limit?.isRefused ?? false
    let worst: Finding.Severity = isSent ? .error : .warning
    // The size is looked at before the token is looked up.
    let refusal: Refusal = isRefused ? .status(5) : .status(8)
    let size = plural(token.count, "byte")
    switch shape {
    case .empty:
      add(emptyToken, at: token.range, "the device token has no bytes", fix: facts.timestamp == nil ? nil : unreadTuple)
    case .zero:
      add(tokenAllZero, worst, at: token.range, refusal: refusal, "all \(size) of the device token are zero")
    case .hexText:
      // Of the right size, so that nothing but the service's list of devices tells that it is none.
      let isHalf = token.count == 32
      let meant = meantToken(token, bytes)
      add(
        tokenAsHexText, isHalf ? .warning : worst, at: token.range, refusal: refusal,
        "the device token is \(token.count) hexadecimal digits in text"
          + (isHalf ? ", which say half a token" : meant.map { "; what they say is \($0)" } ?? ""))
    case .text:
      add(
        tokenAsDescription, worst, at: token.range, refusal: refusal,
        "the device token is the text \"\(text(of: token, in: bytes))\""
          + (meantToken(token, bytes).map { "; what it says is \($0)" } ?? ""))
    case .padded(let zeros) where !isRefused:
      add(
        tokenPadded, at: token.range,
        "the last \(zeros) of \(size) are zero: the device token seems to have \(token.count - zeros), filled up")
    case .padded, .plain:
      guard let limit else { return }
      add(
        tokenLength, isRefused ? .error : .warning, at: token.range,
        "the device token has \(size)" + (isRefused ? allowance(of: limit, for: token.count) : "; 32 are usual"),
        fix: facts.timestamp == nil ? nil : unreadTuple)
    }
  }
}

private let unreadTuple = "read on only where a length says so: 4 bytes of time, 2 of length, then so many of token"

private func allowance(of limit: Limit, for count: Int) -> String {
  let sizes = limit.sizes
  let allowed = sizes.count == 1 ? ", not \(sizes.upperBound)" : "; at most \(sizes.upperBound) are allowed"
  guard let later = limit.successor, later.sizes.contains(count) else { return allowed }
  return "\(allowed); up to \(later.sizes.upperBound) from \(later.year) on"
}

/// What digits in text say: 64 of them, with nothing else than what descriptions put between them.
private func meantToken(_ token: FieldRef, _ bytes: Span<UInt8>) -> String? {
  guard token.count <= 256 else { return nil }
  var digits: [UInt8] = []
  for index in token.range {
    switch bytes[index] {
    case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: " "): continue
    case let digit where digit.hexDigitValue != nil: digits.append(digit)
    default: return nil
    }
  }
  guard digits.count.isMultiple(of: 2), digits.count >= 16 else { return nil }
  return String(decoding: digits, as: UTF8.self).lowercased()
}

/// Printable ASCII, so nothing in it can harm a terminal.
private func text(of token: FieldRef, in bytes: Span<UInt8>) -> String {
  let shown = token.range.prefix(80).map { bytes[$0] }
  return String(decoding: shown, as: UTF8.self) + (token.count > 80 ? "..." : "")
}

private let emptyToken = Rule(
  "empty-token", .error, "the device token has no bytes",
  why: "There is nobody to deliver to; the service calls the token missing.",
  source: "Local and Push Notification Programming Guide, Format of error-response packet: status 2",
  fix: "leave out devices without a token; a decoder that gives up at the first wrong digit leaves nothing, too",
  refusals: [.status(2)], bad: [.notification(token: ""), .legacy(token: ""), .feedback(token: "")],
  good: [.notification(), .feedback()])

private let tokenAllZero = Rule(
  "token-all-zero", .error, "the device token is all zero",
  why: "No device has it: it is a buffer that was never written.",
  source: "libraries that send so many zeros where no token was given; status 8",
  fix: "look where the token should have been copied or decoded", refusals: [.status(8), .status(5)],
  bad: [.notification(token: String(repeating: "00", count: 32))], good: [.notification()])

private let tokenAsHexText = Rule(
  "token-as-hex-text", .error, "the device token is hexadecimal text",
  why: "A token goes as bytes; as text it is twice as long, and belongs to no device.",
  source: "Local and Push Notification Programming Guide, device token: in binary form; status 5, or 8 where it fits",
  fix: "decode the digits first: two of them are one byte", refusals: [.status(5), .status(8)],
  bad: [
    .notification(token: hexText(goodDigits)), .enhanced(token: hexText(goodDigits)).edition(.year2017),
    .legacy(token: hexText(goodDigits.prefix(32))), .notification(token: hexText(goodDigits.prefix(63))),
  ],
  good: [.notification(), .notification(token: hexText(goodDigits.prefix(31)))])

private let tokenAsDescription = Rule(
  "token-as-description", .error, "the device token is text",
  why: "What a program prints of a token, with brackets, spaces or a length, is not the token; no device has it.",
  source: "Local and Push Notification Programming Guide, device token: in binary form; NSData's description",
  fix: "send the bytes that the device registered; on the device write them out digit by digit",
  refusals: [.status(5), .status(8)],
  bad: [
    .notification(token: hexText("<fc13adff 785122b4 ad289a80 98234124 14213480 97878e57 7c991de8 f01c9fa3>")),
    .notification(token: hexText("{length = 32, bytes = 0xfc13adff 785122b4 ... 7c991de8 f01c9fa3 }")),
    .notification(token: hexText("(null)")),
    .notification(token: hexText("<fc13adff 785122b4 ad289a80 9823")).edition(.year2017),
  ],
  good: [.notification()])

private let tokenLength = Rule(
  "token-length", .error, "the device token has not the size of one",
  why: "The service refuses other sizes; where they are allowed, most of them are still the trace of a wrong decoder.",
  source: Limit.all.filter { $0.value == .token }.map(\.source).joined(separator: "; "),
  fix: "write the bytes as the device registered them, and their real count before them", refusals: [.status(5)],
  bad: [
    .notification(token: "fc13adff785122b4"), .legacy(token: goodDigits + "00ff").edition(.year2009),
    .notification(token: "fc13adff785122b4").edition(.year2017), .feedback(token: "fc13adff785122b4"),
    .notification(token: String(repeating: "fc", count: 101)).edition(.year2017),
  ],
  good: [.notification(), .notification().edition(.year2017), .feedback()])

private let tokenPadded = Rule(
  "token-padded", .warning, "the device token ends in zeros",
  why: "A decoder that wants 64 digits fills up what is missing; no device has such a token.",
  source: "libraries that fill up short tokens, as pack('H64') does",
  fix: "refuse texts that have not 64 digits before they are decoded",
  bad: [.notification(token: String(goodDigits.prefix(48)) + "0000000000000000")],
  good: [.notification(token: String(goodDigits.prefix(50)) + "00000000000000")])

private let goodDigits = Sample.goodToken.filter { $0 != " " }

/// The digits of a text's bytes, for samples.
private func hexText(_ text: some StringProtocol) -> String {
  text.utf8.map { String($0, radix: 16) }.joined()
}
