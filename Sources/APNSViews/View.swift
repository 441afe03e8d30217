import APNSDiagnosis

/// One way to write records down.
public protocol View {
  mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output)
  /// What an input could not give, in one sentence: `3 packets were cut by the snap length`.
  mutating func note(_ remark: String)
  /// Behind the last record.
  mutating func finish(to out: inout Output)
}

extension View {
  public mutating func note(_ remark: String) {}
  public mutating func finish(to out: inout Output) {}
}
