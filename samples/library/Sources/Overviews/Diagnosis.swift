import APNSDiagnosis

/// What is wrong with the bytes that a provider wrote, one line a finding.
public func report(on bytes: [UInt8]) -> String {
  findings(in: bytes, role: .provider, by: .standard)
    .map { "\($0.severity) \($0.rule) at \($0.range.lowerBound): \($0.message); \($0.fix)" }
    .joined(separator: "\n")
}
