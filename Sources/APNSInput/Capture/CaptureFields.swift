import Octets

/// The part of a capture file that was not read yet, and its numbers, in the byte order of a pcap file or of a section
/// of a pcapng file. Indices count from the next byte to read; the caller must have checked that the bytes are present.
package struct CaptureFields: Sendable {
  /// The packets read since the last `append` are ranges of it.
  private(set) var buffer: [UInt8] = []
  /// Index in `buffer` of the next byte to read, perhaps after its end, and its offset in the file.
  private(set) var position = 0
  private(set) var offset = 0
  var isBigEndian = false

  /// Bytes in `buffer` that were not read.
  var left: Int { max(0, buffer.count - position) }

  /// Appends the next chunk of the file. Ranges of earlier packets become invalid.
  mutating func append(_ chunk: Span<UInt8>) {
    let read = min(position, buffer.count)
    if read > 0 { buffer.removeSubrange(..<read) }
    position -= read
    buffer.append(contentsOf: chunk)
  }

  /// Skips bytes, also those that are not in the buffer yet.
  mutating func advance(_ count: Int) {
    position += count
    offset += count
  }

  /// The range in `buffer` of bytes that begin at `index`.
  func range(at index: Int, count: Int) -> Range<Int> { (position + index)..<(position + index + count) }

  func byte(at index: Int) -> UInt8 { buffer[position + index] }

  func uint16(at index: Int) -> UInt16 { number(at: index) }
  func uint32(at index: Int) -> UInt32 { number(at: index) }
  func uint64(at index: Int) -> UInt64 { number(at: index) }

  private func number<Number: FixedWidthInteger>(at index: Int) -> Number {
    let number = Number(buffer.span.bigEndian(position + index, width: Number.bitWidth / 8))
    return isBigEndian ? number : number.byteSwapped
  }

  /// The code of each option in `range`, the index of its value and its size; and whether the options overrun it.
  func options(in range: Range<Int>) -> (all: [(code: UInt16, value: Int, size: Int)], overrun: Bool) {
    var all: [(code: UInt16, value: Int, size: Int)] = []
    var index = range.lowerBound
    while range.upperBound - index >= 4 {
      let (code, size) = (uint16(at: index), Int(uint16(at: index + 2)))
      index += 4
      if code == 0 { return (all, false) }
      guard size <= range.upperBound - index else { return (all, true) }
      all.append((code, index, size))
      index = min(range.upperBound, index + (size + 3) / 4 * 4)
    }
    return (all, index != range.upperBound)
  }
}
