/// A way to write bytes as text. Each format is a value in its decoder's file, listed in `allCases`; a program adds its
/// own with ``init(_:_:recognises:decode:)``.
public struct TextFormat: RawRepresentable, CaseIterable, Hashable, Sendable {
  /// The name for `--from`.
  public let rawValue: String
  /// A short description for help and messages.
  package let title: String
  /// Whether a text that begins like this is in the format of a program; nil for other formats, where decoding decides.
  let recognises: (@Sendable (TextHead) -> Bool)?
  /// Decoders for all layouts of the format that a text that begins like this may have.
  let layouts: @Sendable (TextHead) -> [any TextDecoder]

  init(
    _ name: String, _ title: String, recognises: (@Sendable (TextHead) -> Bool)? = nil,
    layouts: @escaping @Sendable (TextHead) -> [any TextDecoder]
  ) {
    rawValue = name
    self.title = title
    self.recognises = recognises
    self.layouts = layouts
  }

  func candidates(_ head: TextHead) -> [LineDecoder] {
    let layouts = layouts(head)
    return head.starts.flatMap { lines in
      layouts.filter { $0.mayFollow(lines.lead.words) }.map { LineDecoder(self, lines, $0) }
    }
  }

  /// A format whose lines are decoded one by one, such as a program's own log.
  /// - Parameters:
  ///   - name: The name for `--from`.
  ///   - title: A short description for messages.
  ///   - recognises: Whether a text that begins with these lines is in the format. The last line may be cut.
  ///   - decode: What a line contains; nil if it is not in the format, which ends reading with an error. It gets each
  ///     line that is not blank, without the white space at its end, and at most 64 KiB.
  public init(
    _ name: String, _ title: String, recognises: @escaping @Sendable (_ lines: [String]) -> Bool,
    decode: @escaping @Sendable (_ line: String) -> DecodedLine?
  ) {
    self.init(
      name, title,
      recognises: { head in
        recognises(head.text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) })
      },
      layouts: { _ in [ClosureDecoder(name: name, contents: decode)] })
  }

  public init?(rawValue: String) {
    guard let format = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = format
  }

  /// All formats. Their order does not affect how a text is read.
  public static let allCases: [TextFormat] = [
    .openssl, .ssldump, .strace, .socat, .netty, .gdb, .yaml, .follow, .tcpdump, .tshark, .bits, .words, .xxd, .octal,
    .radare2, .hexdump, .records, .nsdata, .literal, .escapes, .percent, .c, .decimal, .plain, .pairs, .base64, .log,
  ]
}

/// The bytes in a line of a text.
public struct DecodedLine: Sendable {
  /// The bytes, in the order of the line; empty if the line holds none.
  public var bytes: [UInt8]
  /// The number of the stream that they belong to: 0 for the side that opened the connection, 1 for its peer.
  public var stream: Int

  /// The bytes of one stream.
  public init(_ bytes: [UInt8], stream: Int = 0) {
    self.bytes = bytes
    self.stream = stream
  }
}

private struct ClosureDecoder: TextDecoder {
  let name: String
  let contents: @Sendable (String) -> DecodedLine?
  var output = TextOutput()
  var leads: LineLead.Kind { .none }
  var longestLine: Int { 64 << 10 }

  mutating func decode(_ line: TextLine) throws(ReadError) {
    let start = line.position(line.first)
    guard let decoded = contents(String(decoding: line.text, as: UTF8.self)) else {
      throw ReadError(.notHex, "this line is not in the format \(name)", position: start)
    }
    output.switchSide(to: decoded.stream)
    for byte in decoded.bytes { output.append(byte, at: start) }
  }
}
