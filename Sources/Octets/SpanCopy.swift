extension [UInt8] {
  /// Copies borrowed bytes to the end, in one piece.
  package mutating func append(contentsOf span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { bytes in
      unsafe append(contentsOf: bytes)  // lives as long as the call
    }
  }

  package init(copying span: Span<UInt8>) {
    self = []
    reserveCapacity(span.count)
    append(contentsOf: span)
  }
}
