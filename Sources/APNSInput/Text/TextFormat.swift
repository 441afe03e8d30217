/// A way to write bytes as text. Each format is a value in its decoder's file, listed in `allCases`.
public struct TextFormat: RawRepresentable, CaseIterable, Hashable, Sendable {
  /// The name for `--from`.
  public let rawValue: String
  /// A short description for help and messages.
  public let title: String
  /// Whether a text that begins like this is in the format. It is only called if no preceding format in `allCases`
  /// matches.
  let recognises: @Sendable (TextHead) -> Bool
  /// An error message if the text may be in this format or in another one; it names the flag to choose with. It is only
  /// called if no preceding format matches.
  let ambiguity: @Sendable (TextHead) -> String?
  /// Makes a decoder for a text that begins like this.
  let decoder: @Sendable (TextHead, _ strict: Bool) -> any TextDecoder

  init(
    _ name: String, _ title: String, recognises: @escaping @Sendable (TextHead) -> Bool,
    ambiguity: @escaping @Sendable (TextHead) -> String? = { _ in nil },
    decoder: @escaping @Sendable (TextHead, _ strict: Bool) -> any TextDecoder
  ) {
    rawValue = name
    self.title = title
    self.recognises = recognises
    self.ambiguity = ambiguity
    self.decoder = decoder
  }

  public init?(rawValue: String) {
    guard let format = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = format
  }

  /// All formats, in the order in which they are tried: the most specific first.
  public static let allCases: [TextFormat] = [
    .openssl, .ssldump, .strace, .socat, .netty, .gdb, .yaml, .follow, .tcpdump, .tshark, .bits, .words, .xxd, .octal,
    .radare2, .hexdump, .nsdata, .literal, .escapes, .percent, .c, .decimal, .plain, .pairs, .base64, .log,
  ]
}
