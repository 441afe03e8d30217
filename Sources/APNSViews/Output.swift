import APNSWire

/// Bytes on their way out, written without a detour over strings.
public struct Output: Sendable {
  public var bytes: [UInt8] = []

  public init() {}

  public mutating func write(_ text: StaticString) {
    text.withUTF8Buffer { buffer in
      unsafe bytes.append(contentsOf: buffer)  // a literal's own bytes
    }
  }

  public mutating func write(_ text: String) {
    bytes += text.utf8
  }

  public mutating func write(_ text: Span<UInt8>) {
    bytes.append(contentsOf: text)
  }

  public mutating func byte(_ byte: UInt8) {
    bytes.append(byte)
  }

  mutating func decimal(_ value: UInt64) {
    if value > 9 { decimal(value / 10) }
    bytes.append(UInt8(ascii: "0") + UInt8(value % 10))
  }

  mutating func decimal(_ value: Int) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    decimal(UInt64(value.magnitude))
  }

  public mutating func hex(_ byte: UInt8) {
    bytes.append(Output.digit(byte >> 4))
    bytes.append(Output.digit(byte & 15))
  }

  public mutating func hex(_ span: Span<UInt8>) {
    for index in span.indices { hex(span[index]) }
  }

  /// At least `digits` hexadecimal digits.
  mutating func hex(_ value: Int, digits: Int) {
    var shift = max(digits, (Int.bitWidth - value.leadingZeroBitCount + 3) / 4) * 4 - 4
    while shift >= 0 {
      bytes.append(Output.digit(UInt8(value >> shift & 15)))
      shift -= 4
    }
  }

  static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
  }
}

/// `0x002b`: at least `digits` hexadecimal digits.
func hexText(_ value: Int, digits: Int) -> String {
  var out = Output()
  out.write("0x")
  out.hex(value, digits: digits)
  return String(decoding: out.bytes, as: UTF8.self)
}

extension UInt8 {
  /// How a dump shows it: itself where it is printable ASCII, else a full stop.
  var inDump: UInt8 { (0x20..<0x7f).contains(self) ? self : UInt8(ascii: ".") }
}
