extension [UInt8] {
  mutating func append(contentsOf span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { bytes in
      unsafe append(contentsOf: bytes)  // lives as long as the call
    }
  }

  init(copying span: Span<UInt8>) {
    self = []
    reserveCapacity(span.count)
    append(contentsOf: span)
  }
}
