/// A way to write bytes as text.
public enum TextFormat: String, CaseIterable, Sendable {
  case plain
  case c
  case xxd
  case hexdump
  case nsdata
  case escapes
  case base64

  /// For help and messages.
  public var title: String {
    switch self {
    case .plain: "plain hex digits, in groups or not (xxd -p, 02:00:4e)"
    case .c: "C array or list of 0x values (xxd -i)"
    case .xxd: "xxd dump"
    case .hexdump: "hexdump -C dump, or Wireshark's"
    case .nsdata: "NSData description (<b4bce12f 9d34>)"
    case .escapes: "string with escapes (\\x02\\x00N)"
    case .base64: "base64, either alphabet (never recognised, only when named)"
    }
  }

  /// The one place that knows which decoder reads what.
  func decoder(strict: Bool) -> any TextDecoder {
    switch self {
    case .plain: PlainHex(strict: strict)
    case .c: CArray(strict: strict)
    case .xxd: Dump(layout: XxdLayout(strict: strict))
    case .hexdump: Dump(layout: HexdumpLayout(strict: strict))
    case .nsdata: DataDescription(strict: strict)
    case .escapes: EscapedString(strict: strict)
    case .base64: Base64Text(strict: strict)
    }
  }
}
