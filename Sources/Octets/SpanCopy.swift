extension [UInt8] {
  /// Appends a copy of borrowed bytes with one block copy.
  package mutating func append(contentsOf span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }  // the pointer is valid during the call
  }

  /// Copies borrowed bytes into a new array.
  public init(copying span: Span<UInt8>) {
    self = []
    append(contentsOf: span)
  }
}
