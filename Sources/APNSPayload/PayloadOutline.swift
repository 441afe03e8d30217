/// A payload taken apart once.
public struct PayloadOutline: Sendable {
  public private(set) var error: JSONError?
  public init() {}
  public mutating func read(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    error = JSONScanner.firstError(in: bytes, range: range)
  }
}
