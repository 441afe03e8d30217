import APNSDiagnosis
import APNSWire

for finding in findings(in: [8, 8, 0, 0, 4, 210, 9], role: .gateway, by: .standard) {
  print("\(finding.severity) \(finding.rule) at \(finding.range.lowerBound)")
}
