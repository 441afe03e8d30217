import APNSWire
import Octets

/// Bytes on their way out, written without a detour over strings.
///
/// The memory behind them is kept and used again, and is longer than what is written, so that numbers and digits go out
/// eight bytes at a time. Every store is checked against its end.
public struct Output: Sendable {
  private var storage: [UInt8] = []
  /// Bytes written so far.
  public private(set) var count = 0

  public init() {}

  public var isEmpty: Bool { count == 0 }

  /// A copy of what was written.
  public var bytes: [UInt8] { Array(storage[..<count]) }

  /// Lends what was written.
  public func read<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(storage.span.extracting(0..<count))
  }

  /// Takes back what was written behind the first `length` bytes.
  public mutating func cut(to length: Int) { count = Swift.min(count, length) }

  /// Takes back everything. The memory stays, unless one record at its worst took far more than others do.
  public mutating func clear() {
    count = 0
    if storage.count > 1 << 23 { storage = [] }
  }

  public mutating func write(_ text: StaticString) {
    text.withUTF8Buffer { buffer in
      unsafe copy(UnsafeRawBufferPointer(buffer))  // a literal's own bytes
    }
  }

  public mutating func write(_ text: String) {
    let isWritten: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { buffer in
      unsafe copy(UnsafeRawBufferPointer(buffer))  // lives as long as the call
    }
    if isWritten == nil { for byte in text.utf8 { self.byte(byte) } }
  }

  public mutating func write(_ text: Span<UInt8>) {
    unsafe text.withUnsafeBytes { bytes in
      unsafe copy(bytes)  // lives as long as the call
    }
  }

  public mutating func write(_ text: [UInt8]) { write(text.span) }

  @inline(__always)
  mutating func write(_ text: borrowing [UInt8], _ range: Range<Int>) {
    write(text.span.extracting(range))
  }

  @inline(__always)
  public mutating func byte(_ byte: UInt8) {
    makeRoom(1)
    storage[count] = byte
    count += 1
  }

  mutating func bigEndian(_ value: UInt64, width: Int) {
    fill(atMost: 8) { room, start in
      room.storeBytes(of: (value << UInt64(64 - width * 8)).bigEndian, toByteOffset: start, as: UInt64.self)
      return start + width
    }
  }

  /// Writes over `width` bytes from `start` on.
  mutating func replace(at start: Int, bigEndian value: UInt64, width: Int) {
    var bytes = storage.mutableSpan
    for index in 0..<width {
      bytes[start + index] = UInt8(truncatingIfNeeded: value >> UInt64((width - 1 - index) * 8))
    }
  }

  mutating func spaces(_ number: Int) {
    fill(atMost: max(number, 0) + 40) { room, start in
      var end = start
      room.storeSpaces(number, at: &end)
      return end
    }
  }

  /// As the function of that name, without a string: records have several.
  mutating func plural(_ count: Int, _ noun: StaticString) {
    decimal(count)
    byte(UInt8(ascii: " "))
    write(noun)
    if count != 1 { byte(UInt8(ascii: "s")) }
  }

  /// The last byte written.
  var last: UInt8? { count == 0 ? nil : storage[count - 1] }

  /// Lets `fill` write up to `most` bytes, a few at once, from an offset on: it returns where they end.
  @inline(__always)
  mutating func fill(atMost most: Int, _ fill: (_ room: inout MutableRawSpan, _ start: Int) -> Int) {
    makeRoom(most)
    let start = count
    var room = storage.mutableSpan
    // Any bytes at all are bytes.
    var bytes = unsafe room.mutableBytes
    let end = fill(&bytes, start)
    count = end
  }

  @inline(__always)
  private mutating func copy(_ text: UnsafeRawBufferPointer) {
    makeRoom(text.count)
    unsafe storage.withUnsafeMutableBytes { room in
      unsafe UnsafeMutableRawBufferPointer(rebasing: room[count..<(count + text.count)]).copyMemory(from: text)
    }
    count += text.count
  }

  @inline(__always)
  private mutating func makeRoom(_ room: Int) {
    if storage.count - count < room { grow(by: room) }
  }

  @inline(never)
  private mutating func grow(by room: Int) {
    let size = Swift.max(count + room, storage.count * 2, 256)
    storage += [UInt8](repeating: 0, count: size - storage.count)
  }
}
