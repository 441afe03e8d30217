/// `1 byte`, `2 bytes`.
package func plural(_ count: Int, _ noun: String) -> String {
  count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}

/// `0x0f`.
package func hex(_ byte: UInt8) -> String {
  "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
}
