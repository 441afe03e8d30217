extension Span<UInt8> {
  /// The big-endian number in the `width` bytes at `start`; `width` is at most 8.
  @inlinable
  package func bigEndian(_ start: Int, width: Int) -> UInt64 {
    switch width {
    // Lengths have these widths in every frame: no loop for them.
    case 2:
      return UInt64(self[start]) << 8 | UInt64(self[start + 1])
    case 4:
      return UInt64(uint32(at: start))
    default:
      var value: UInt64 = 0
      for index in start..<(start + width) { value = value << 8 | UInt64(self[index]) }
      return value
    }
  }

  /// The big-endian number in at most 7 bytes at `start`, as an `Int`.
  @inlinable
  package func number(at start: Int, width: Int) -> Int { Int(bigEndian(start, width: width)) }

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

  /// The big-endian number in eight bytes; nil if they are not all in the span.
  package func bigEndian64(at start: Int) -> UInt64? { bigEndian(at: start, width: 8) }

  private func bigEndian(at start: Int, width: Int) -> UInt64? {
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
    for shift in stride(from: (width - 1) * 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
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
