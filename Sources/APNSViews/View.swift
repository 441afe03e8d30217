import APNSDiagnosis

/// One way to write records down.
public protocol View {
  mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output)
  /// Behind the last record.
  mutating func finish(to out: inout Output)
}

extension View {
  public mutating func finish(to out: inout Output) {}
}
