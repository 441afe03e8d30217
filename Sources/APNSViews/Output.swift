import Octets

/// A buffer of bytes that are written without making strings.
///
/// Its memory is reused after ``clear()``. It is larger than what is written, so that digits are stored eight bytes at
/// a time; every store is bounds-checked.
public struct Output: Sendable {
  private var storage: [UInt8] = []
  /// Bytes written so far.
  public private(set) var count = 0

  /// An empty buffer.
  public init() {}

  /// Whether no bytes are written.
  public var isEmpty: Bool { count == 0 }

  /// A copy of what was written.
  public var bytes: [UInt8] { Array(storage[..<count]) }

  static func text(_ write: (inout Output) -> Void) -> String {
    var out = Output()
    write(&out)
    return out.text
  }

  var text: String { String(decoding: storage[..<count], as: UTF8.self) }

  /// Calls `body` with the bytes written so far.
  public func read<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(storage.span.extracting(0..<count))
  }

  /// Removes all but the first `length` bytes.
  public mutating func cut(to length: Int) { count = Swift.min(count, length) }

  /// Removes all bytes. Keeps the memory for reuse, unless it is more than 8 MiB.
  public mutating func clear() {
    count = 0
    if storage.count > 1 << 23 { storage = [] }
  }

  /// Appends a literal's UTF-8.
  public mutating func write(_ text: StaticString) {
    text.withUTF8Buffer { buffer in
      unsafe copy(UnsafeRawBufferPointer(buffer))  // a literal lives forever
    }
  }

  /// Appends a string's UTF-8.
  public mutating func write(_ text: String) {
    // Faster than a span for short strings.
    let isWritten: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { buffer in
      unsafe copy(UnsafeRawBufferPointer(buffer))  // lives as long as the call
    }
    if isWritten == nil { write(text.utf8.span) }
  }

  /// Appends bytes.
  public mutating func write(_ text: Span<UInt8>) {
    unsafe text.withUnsafeBytes { bytes in
      unsafe copy(bytes)  // lives as long as the call
    }
  }

  /// Appends bytes.
  public mutating func write(_ text: [UInt8]) { write(text.span) }

  @inline(__always)
  package mutating func byte(_ byte: UInt8) {
    reserve(1)
    storage[count] = byte
    count += 1
  }

  mutating func bigEndian(_ value: UInt64, width: Int) {
    fill(atMost: 8) { buffer, end in
      buffer.storeBytes(of: (value << UInt64(64 - width * 8)).bigEndian, toByteOffset: end, as: UInt64.self)
      end += width
    }
  }

  mutating func replace(at start: Int, bigEndian value: UInt64, width: Int) {
    var bytes = storage.mutableSpan
    for index in 0..<width {
      bytes[start + index] = UInt8(truncatingIfNeeded: value >> UInt64((width - 1 - index) * 8))
    }
  }

  mutating func spaces(_ number: Int) {
    let number = max(number, 0)
    fill(atMost: number + 40) { buffer, end in
      var offset = end
      end += number
      // Storing 40 spaces without a condition is faster than a loop over the few that are usually needed.
      repeat {
        for _ in 0..<5 {
          buffer.storeBytes(of: 0x2020_2020_2020_2020, toByteOffset: offset, as: UInt64.self)
          offset += 8
        }
      } while offset < end
    }
  }

  /// Writes `1 byte` or `2 bytes`, without making a string.
  mutating func plural(_ count: Int, _ noun: StaticString) {
    decimal(count)
    byte(UInt8(ascii: " "))
    write(noun)
    if count != 1 { byte(UInt8(ascii: "s")) }
  }

  var last: UInt8? { count == 0 ? nil : storage[count - 1] }

  /// Appends up to `most` bytes that `store` stores in `buffer` from `end` on. `store` moves `end`; bytes that it
  /// stored past that are ignored.
  @inline(__always)
  mutating func fill(atMost most: Int, _ store: (_ buffer: inout MutableRawSpan, _ end: inout Int) -> Void) {
    reserve(most)
    var end = count
    var elements = storage.mutableSpan
    // Any value is a valid byte.
    var buffer = unsafe elements.mutableBytes
    store(&buffer, &end)
    count = end
  }

  @inline(__always)
  private mutating func copy(_ text: UnsafeRawBufferPointer) {
    reserve(text.count)
    unsafe storage.withUnsafeMutableBytes { buffer in
      unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count..<(count + text.count)]).copyMemory(from: text)
    }
    count += text.count
  }

  @inline(__always)
  private mutating func reserve(_ size: Int) {
    if storage.count - count < size { grow(by: size) }
  }

  @inline(never)
  private mutating func grow(by size: Int) {
    let capacity = Swift.max(count + size, storage.count * 2, 256)
    storage.reserveCapacity(capacity)
    storage.append(contentsOf: repeatElement(0, count: capacity - storage.count))
  }
}

// Stores for `Output.fill`. Each stores at the offset `end` and advances it.
extension MutableRawSpan {
  @inline(__always)
  mutating func store(_ byte: UInt8, at end: inout Int) {
    storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
    end += 1
  }
}
