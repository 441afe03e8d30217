/// Numbers in the byte order of a pcap file, or of a section of a pcapng file and its options. The caller must have
/// checked that the bytes are present.
struct CaptureFields {
  private let bytes: [UInt8]
  private let isBigEndian: Bool

  init(_ bytes: [UInt8], isBigEndian: Bool) {
    self.bytes = bytes
    self.isBigEndian = isBigEndian
  }

  func byte(at index: Int) -> UInt8 { bytes[index] }

  func uint16(at index: Int) -> UInt16 {
    let value = UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
    return isBigEndian ? value : value.byteSwapped
  }

  func uint32(at index: Int) -> UInt32 {
    let (first, second) = (UInt32(uint16(at: index)), UInt32(uint16(at: index + 2)))
    return isBigEndian ? first << 16 | second : second << 16 | first
  }

  func uint64(at index: Int) -> UInt64 {
    let (first, second) = (UInt64(uint32(at: index)), UInt64(uint32(at: index + 4)))
    return isBigEndian ? first << 32 | second : second << 32 | first
  }

  /// Calls `body` with the code and value of each option in `range`. Returns false if the options overrun it.
  func forEachOption(in range: Range<Int>, _ body: (_ code: UInt16, _ value: Range<Int>) -> Void) -> Bool {
    var position = range.lowerBound
    while range.upperBound - position >= 4 {
      let code = uint16(at: position)
      let start = position + 4
      let end = start + Int(uint16(at: position + 2))
      if code == 0 { return true }
      guard end <= range.upperBound else { return false }
      body(code, start..<end)
      position = min(range.upperBound, (end - start + 3) / 4 * 4 + start)
    }
    return position == range.upperBound
  }
}
