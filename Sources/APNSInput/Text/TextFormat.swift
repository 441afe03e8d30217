/// A way to write bytes as text: a value that stands in its own file, and in `allCases`.
public struct TextFormat: RawRepresentable, CaseIterable, Hashable, Sendable {
  /// The name for `--from`.
  public let rawValue: String
  /// For help and messages.
  public let title: String
  /// Whether a text that begins like this is surely in the format, every format before it in `allCases` having said no.
  let recognises: @Sendable (TextHead) -> Bool
  /// Why a text that no format before it claims may be in this one or in another, and the flag that settles it.
  let ambiguity: @Sendable (TextHead) -> String?
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

  /// All formats, the surest to recognise first.
  public static let allCases: [TextFormat] = [
    .openssl, .ssldump, .strace, .socat, .netty, .gdb, .yaml, .follow, .tcpdump, .tshark, .bits, .words, .xxd, .octal,
    .radare2, .hexdump, .nsdata, .literal, .escapes, .percent, .c, .decimal, .plain, .pairs, .base64, .log,
  ]
}
