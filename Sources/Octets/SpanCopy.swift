extension [UInt8] {
  /// Appends a copy of borrowed bytes with one block copy.
  package mutating func append(contentsOf span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { bytes in
      unsafe append(contentsOf: bytes)  // the pointer is valid during the call
    }
  }

  /// Copies borrowed bytes into a new array.
  public init(copying span: Span<UInt8>) {
    self = []
    reserveCapacity(span.count)
    append(contentsOf: span)
  }
}
