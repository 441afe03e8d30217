import APNSWire
import Octets

/// Rules about whether a device token is possible. A token gets at most one finding, the most specific one: text comes
/// before trailing zeros, and both come before the size, unless the gateway refuses the size.
let tokenRules = RuleFamily(
  [.emptyToken, .tokenAllZero, .tokenAsHexText, .tokenAsDescription, .tokenLength, .tokenPadded], dependsOn: .form
) { facts, bytes, report in
  guard let token = facts.token else { return }
  let shape = TokenShape(of: token.range, in: bytes)
  if shape.isOrdinary(token.count) { return }
  let isSent = facts.isSent
  // Tokens from the feedback service are not refused. Only item 1 of the last edition limits their size.
  let limit = Limit.broken(
    by: token.count, .token, of: facts.schema?.command, in: isSent ? facts.edition : .latest)
  let isRefused = limit?.isRefused ?? false
  let worst: Finding.Severity = isSent ? .error : .warning
  let refusal: Refusal = isRefused ? .status(5) : .status(8)
  var size: String { plural(token.count, "byte") }
  switch shape {
  case .empty:
    let isZero = facts.frame.range.allSatisfy { bytes[$0] == 0 }
    report.add(
      .emptyToken, worst, at: token.range,
      isZero ? "the token length is 0, as is every byte of this frame" : "the token length is 0",
      fix: facts.timestamp != nil
        ? unreadTuple
        : isZero ? "find what writes the zeros: padding, a buffer that is too long, or a length in four bytes" : nil)
  case .zero:
    report.add(
      .tokenAllZero, worst, at: token.range, refusal: refusal,
      token.count == 1 ? "the device token is one zero byte" : "all \(size) of the device token are zero")
  case .hexText:
    // This has the right size, so no document says that the gateway refuses it before looking it up.
    let isHalf = token.count == 32
    let digits = token.range.count { bytes[$0].hexDigitValue != nil }
    let rest = token.count - digits
    report.add(
      .tokenAsHexText, isHalf ? .warning : worst, at: token.range, refusal: refusal,
      "the device token is \(digits) hexadecimal digits as text"
        + (rest > 0 ? " with \(plural(rest, "byte")) after them" : "")
        + (isHalf ? ", half of a token's 64" : meantToken(token, bytes)))
  case .description(let holdsDigits):
    report.add(
      .tokenAsDescription, worst, at: token.range, refusal: refusal,
      "the device token is the text \"\(bytes.excerpt(token.range, 80))\""
        + (holdsDigits ? meantToken(token, bytes) : ""))
  case .questioned(let marks) where !isRefused:
    // No document says that the gateway refuses it before looking it up.
    report.add(
      .tokenAsDescription, .warning, at: token.range,
      "\(marks) bytes of the device token are question marks, and none is above 7f",
      fix: "keep the token in bytes: a text in ASCII has a question mark in place of each byte above 7f")
  case .padded(let zeros) where !isRefused:
    let set = token.count - zeros
    report.add(
      .tokenPadded, at: token.range,
      "only \(plural(set, "byte")) of the device token \(set == 1 ? "is" : "are") set; the last \(zeros) "
        + "are zero")
  case .padded, .questioned, .binary:
    guard let limit else { return }
    let allowed = limit.sizes.count == 1 ? "not \(limit.sizes.upperBound)" : "more than \(limit.sizes.upperBound)"
    let later = limit.successor.flatMap { later in
      later.sizes.contains(token.count) && isRefused
        ? "; up to \(later.sizes.upperBound) are allowed by the edition of \(later.since.rawValue)" : nil
    }
    report.add(
      .tokenLength, isRefused ? worst : .warning, at: token.range,
      "the device token has \(size), \(allowed)\(later ?? "")",
      fix: facts.timestamp != nil ? unreadTuple : token.count < 32 ? cutToken : nil)
  }
}

private let unreadTuple =
  "check that the tuples before it were read in full: 4 bytes of time, 2 of length, then as many as the length says"

private let cutToken =
  "look for what cut it before it was packed: strlen, which stops at a NUL, or digits that were lost while decoding"

/// A clause with the token that its hexadecimal digits encode.
private func meantToken(_ token: FieldRef, _ bytes: Span<UInt8>) -> String {
  let digits = token.range.map { bytes[$0] }.filter { $0.hexDigitValue != nil }
  guard token.count <= 256, let meant = [UInt8](hexDigits: digits) else { return "" }
  return "; as bytes it is " + meant.hexDigits
}

extension Rule {
  package static let emptyToken = Rule(
    "empty-token", .error, "the device token has no bytes",
    why: "There is no device to deliver to.",
    source: Guide.statuses + ": 2, Missing device token; observed for an empty token in node-apn/node-apn#149",
    fix: "check that the token was found and decoded before it was packed",
    refusals: [.status(2)],
    bad: [.notification(token: ""), .legacy(token: ""), .feedback(token: ""), .hex("00 0000 0000")],
    good: [.notification(), .feedback()])

  package static let tokenAllZero = Rule(
    "token-all-zero", .error, "the device token is all zero",
    why: "No device has it: it is a buffer that was never filled.",
    source: "observed: grocer sends 32 zero bytes if it was given no token; " + Guide.statuses + ": 8, Invalid token",
    fix: "check that the token was copied or decoded into the buffer", refusals: [.status(8), .status(5)],
    bad: [
      .notification(token: String(repeating: "00", count: 32)), .notification(token: "00").edition(.year2017),
      .feedback(token: String(repeating: "00", count: 32)),
    ])

  package static let tokenAsHexText = Rule(
    "token-as-hex-text", .error, "the device token is hexadecimal text",
    why: "A token is sent as bytes. As text it is twice as long, and belongs to no device.",
    source: Guide.binaryInterface + ", item 1: the device token in binary form; " + Guide.statuses
      + ": 5, Invalid token size, or 8, Invalid token, if the size is allowed",
    fix: "decode the digits first: two of them are one byte", refusals: [.status(5), .status(8)],
    bad: [
      .notification(token: hexText(goodDigits)), .enhanced(token: hexText(goodDigits)).edition(.year2017),
      .legacy(token: hexText(goodDigits.prefix(32))), .notification(token: hexText(goodDigits.prefix(63))),
      .notification(token: hexText(goodDigits + "\n")), .legacy(token: hexText(goodDigits + "\r\n")),
      .notification(token: hexText(goodDigits + "\0")), .feedback(token: hexText(goodDigits)),
    ], good: [.notification(), .notification(token: hexText(goodDigits.prefix(31)))])

  package static let tokenAsDescription = Rule(
    "token-as-description", .error, "the device token is text",
    why: "What a program prints for a token, with brackets, spaces or a length, is not the token. No device has it.",
    source: Guide.binaryInterface + ", item 1: the device token in binary form; the texts are what Foundation prints "
      + "for NSData",
    fix: "send the bytes that the device registered; on the device, convert them to digits one by one",
    refusals: [.status(5), .status(8)],
    bad: [
      .notification(token: hexText("<fc13adff 785122b4 ad289a80 98234124 14213480 97878e57 7c991de8 f01c9fa3>")),
      .notification(token: hexText("{length = 32, bytes = 0xfc13adff 785122b4 ... 7c991de8 f01c9fa3 }")),
      .notification(token: hexText("(null)")), .feedback(token: hexText("(null)")),
      .notification(token: hexText("<fc13adff 785122b4 ad289a80 98234124>")).edition(.year2017),
      .notification(token: hexText("fc13adff 785122b4 ad289a80 98234124\n14213480 97878e57 7c991de8 f01c9fa3")),
      .notification(token: "3f133f3f7851223f3f283f3f3f2341241421343f3f3f3f577c3f1d3f3f1c3f3f"),
    ], good: [.notification(token: "3f133f3f7851223f3f283f3f3f2341241421343f3f3f3f577c3f1d3f3f1c3fa3")])

  package static let tokenLength = Rule(
    "token-length", .error, "the device token has an impossible size",
    why:
      "The gateway refuses a token of another size than the edition allows. The edition of 2017 allows 1 to 100 bytes, "
      + "and asks not to rely on one size.",
    source: Limit.all.filter { $0.value == .token }.map(\.source).joined(separator: "; "),
    fix: "write the bytes as the device registered them, and their real number as the length", refusals: [.status(5)],
    bad: [
      .notification(token: "fc13adff785122b4"), .legacy(token: goodDigits + "00ff").edition(.year2009),
      .feedback(token: String(repeating: "fc", count: 101)),
      .notification(token: String(repeating: "fc", count: 101)).edition(.year2017),
    ],
    good: [
      .notification(), .notification().edition(.year2017), .feedback(),
      .notification(token: "fc13adff785122b4").edition(.year2017), .feedback(token: goodDigits + goodDigits),
    ])

  package static let tokenPadded = Rule(
    "token-padded", .warning, "the device token ends in zeros",
    why:
      "A decoder that expects 64 digits fills up what is missing, so the token is cut. A real token ends in 8 zero "
      + "bytes once in 10^19.",
    source: "observed: houston decodes tokens with pack('H64'), which fills short ones up",
    fix: "check that the text has 64 digits before it is decoded",
    bad: [
      .notification(token: goodDigits.prefix(48) + "0000000000000000"),
      .feedback(token: goodDigits.prefix(48) + "0000000000000000"),
    ], good: [.notification(token: String(goodDigits.prefix(50)) + "00000000000000")])
}

private let goodDigits = Sample.goodToken.filter { $0 != " " }

private func hexText(_ text: some StringProtocol) -> String { text.utf8.hexDigits }
