extension TextFormat {
  public static let c = TextFormat(
    "c", "C array, Go literal or list of 0x values (xxd -i, Follow as C arrays)",
    recognises: { CArray.recognises($0) }, decoder: { _, strict in CArray(strict: strict) })
}

/// `0x` values as C, Go and their like write them, with or without the array around; `xxd -i`, Wireshark's C array.
///
///     unsigned char frame[] = {
///       0x08, 0x8, /* status */ 0x00
///     };
///     unsigned int frame_len = 3;
///
/// Once the text has words, only what stands in braces is data: names, sizes and the length at the end are not.
struct CArray: TextDecoder {
  private enum Place {
    case start
    case list
    case braces
    case outside
  }

  private enum Token {
    case none
    case zero(TextPosition)
    case value(Int, at: TextPosition?)
    case slash(TextPosition)
    case lineComment
    case blockComment(endsWithStar: Bool)
  }

  let strict: Bool
  private var place = Place.start
  private var token = Token.none
  private var hasBraces = false
  private var commaMayFollow = false
  /// How much of a name like `peer1_` has just been seen outside of braces.
  private var peer = 0

  init(strict: Bool) { self.strict = strict }

  var leads: LineLead.Kind {
    if case .blockComment = token { .none } else { .all }
  }

  mutating func take(_ byte: UInt8, at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if case .none = token { hear(byte, &output) }
    switch token {
    case .none:
      try begin(byte, at: position)
    case .zero:
      guard byte | 0x20 == UInt8(ascii: "x") else { throw .notHex(byte, at: position, Self.advice) }
      token = .value(0, at: nil)
    case .value(let value, let start):
      if let digit = byte.hexDigit {
        guard value < 0x10 else {
          throw .notHex(byte, at: position, "makes this value more than 0xff; each value is one byte")
        }
        token = .value(value << 4 | Int(digit), at: start ?? position)
      } else {
        guard let start else { throw .notHex(byte, at: position, Self.advice) }
        output.append(UInt8(truncatingIfNeeded: value), at: start)
        token = .none
        commaMayFollow = true
        try begin(byte, at: position)
      }
    case .slash(let start):
      switch byte {
      case UInt8(ascii: "/") where !strict: token = .lineComment
      case UInt8(ascii: "*") where !strict: token = .blockComment(endsWithStar: false)
      case UInt8(ascii: "/"), UInt8(ascii: "*"):
        throw .notHex(UInt8(ascii: "/"), at: start, "begins a comment, which strict reading refuses")
      default:
        guard place == .outside else { throw .notHex(UInt8(ascii: "/"), at: start, Self.advice) }
        token = .none
        try begin(byte, at: position)
      }
    case .lineComment:
      if byte == UInt8(ascii: "\n") { token = .none }
    case .blockComment(let endsWithStar):
      let isEnd = endsWithStar && byte == UInt8(ascii: "/")
      token = isEnd ? .none : .blockComment(endsWithStar: byte == UInt8(ascii: "*"))
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    switch token {
    case .none, .lineComment: break
    case .zero(let start): throw .notHex(UInt8(ascii: "0"), at: start, Self.advice)
    case .value(let value, let start?): output.append(UInt8(truncatingIfNeeded: value), at: start)
    case .value(_, nil):
      throw ReadError(.cutText, "the text ends inside a 0x value; paste all of it", position: position)
    case .slash(let start): throw .notHex(UInt8(ascii: "/"), at: start, Self.advice)
    case .blockComment:
      throw ReadError(.cutText, "the text ends inside a comment; close it with */", position: position)
    }
    if place == .braces {
      throw ReadError(.cutText, "the text ends inside the braces; paste all of the array, up to }", position: position)
    }
    if place == .outside && !hasBraces {
      throw ReadError(.unknownText, "this text has no list of 0x values in braces", position: position)
    }
  }

  /// Follow names each array after its side: `char peer1_0[] = {`.
  private mutating func hear(_ byte: UInt8, _ output: inout TextOutput) {
    let isSide = peer == Self.peer.count && (byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1"))
    if isSide, !strict { output.turn(to: Int(byte & 1)) }
    peer = peer < Self.peer.count && byte == Self.peer[peer] ? peer + 1 : byte == Self.peer[0] ? 1 : 0
  }

  private static let peer = Array("peer".utf8)

  /// Takes a character that stands between tokens.
  private mutating func begin(_ byte: UInt8, at position: TextPosition) throws(ReadError) {
    if byte.isWhite { return }
    if byte == UInt8(ascii: "/") {
      token = .slash(position)
      return
    }
    switch (place, byte) {
    case (.start, UInt8(ascii: "{")), (.outside, UInt8(ascii: "{")):
      place = .braces
      hasBraces = true
      commaMayFollow = false
    case (.outside, _):
      break
    // Elixir's <<0x02, 0x00>>
    case (.start, UInt8(ascii: "<")) where !strict: break
    case (.start, UInt8(ascii: "0")):
      place = .list
      token = .zero(position)
    case (.start, _):
      place = .outside
    case (_, UInt8(ascii: "0")):
      if strict && commaMayFollow { throw .notHex(byte, at: position, "must follow a comma") }
      token = .zero(position)
      commaMayFollow = false
    case (_, UInt8(ascii: ",")) where commaMayFollow:
      commaMayFollow = false
    case (.braces, UInt8(ascii: "}")):
      place = .outside
    case (.list, UInt8(ascii: "}")) where !strict, (.list, UInt8(ascii: ";")) where !strict,
      (.list, UInt8(ascii: ">")) where !strict:
      // The end of an array whose beginning was not pasted.
      place = .outside
      hasBraces = true
    default:
      throw .notHex(byte, at: position, Self.advice)
    }
  }

  private static let advice = "is not allowed in a list of 0x values; write each byte as 0x08"
}

// Recognition.
extension CArray {
  /// More than one `0x` value, or one that no plain text has.
  static func recognises(_ head: TextHead) -> Bool {
    let text = Array(head.lines.joined(separator: [UInt8(ascii: "\n")]))
    let values = text.indices.dropLast(2).filter { index in
      text[index] == UInt8(ascii: "0") && text[index + 1] | 0x20 == UInt8(ascii: "x") && text[index + 2].hexDigit != nil
    }
    guard let value = values.first else { return false }
    let digits = text[(value + 2)...].prefix { $0.hexDigit != nil }
    return values.count > 1 || digits.count <= 2 || value > 0
  }
}
