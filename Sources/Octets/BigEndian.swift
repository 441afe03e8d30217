extension Span<UInt8> {
  /// The big-endian number in the `width` bytes at `start`; `width` is at most 8.
  @inlinable
  package func bigEndian(_ start: Int, width: Int) -> UInt64 {
    // Most lengths have two bytes: no loop for them.
    if width == 2 { return UInt64(self[start]) << 8 | UInt64(self[start + 1]) }
    return (start..<(start + width)).reduce(0) { $0 << 8 | UInt64(self[$1]) }
  }

  /// The big-endian number in the four bytes at `start`, which must exist.
  @inlinable @inline(__always)
  package func uint32(at start: Int) -> UInt32 {
    // Bounds are checked, and any four bytes are a valid number.
    UInt32(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt32.self))
  }

  /// The big-endian number in two bytes; nil if they are not all in the span.
  package func bigEndian16(at start: Int) -> UInt16? { bigEndian(at: start, width: 2).map { UInt16($0) } }

  /// The big-endian number in four bytes; nil if they are not all in the span.
  package func bigEndian32(at start: Int) -> UInt32? { bigEndian(at: start, width: 4).map { UInt32($0) } }

  /// The big-endian number in `width` bytes; nil if they are not all in the span.
  package func bigEndian(at start: Int, width: Int) -> UInt64? {
    start >= 0 && start <= count - width ? bigEndian(start, width: width) : nil
  }
}

extension Sequence<UInt8> {
  /// All bytes as one big-endian number; only the last eight of a longer sequence count.
  @inlinable
  package var bigEndianNumber: UInt64 { reduce(0) { $0 << 8 | UInt64($1) } }
}

extension [UInt8] {
  /// Appends the lowest `width` bytes of a number in big-endian order.
  package mutating func append(bigEndian value: UInt64, width: Int) {
    append(contentsOf: (0..<width).reversed().lazy.map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) })
  }

  /// Appends all bytes of a number in big-endian order.
  package mutating func append<Number: FixedWidthInteger & UnsignedInteger>(bigEndian value: Number) {
    append(bigEndian: UInt64(value), width: Number.bitWidth / 8)
  }

  /// The lowest `width` bytes of a number in big-endian order.
  package init(bigEndian value: UInt64, width: Int) {
    self = []
    append(bigEndian: value, width: width)
  }
}
