import APNSCraft
import APNSDiagnosis
import APNSWire

/// Streams for testing a decoder, each with the expected result.
public func testCases(_ count: Int, seed: UInt64) -> [TestCase] {
  var mutations = Mutations(.standard, seed: seed)
  return (0..<count).map { _ in mutations.next() }
}

/// The smallest stream found in which a rule is still broken.
public func reproducer(of rule: Rule, in bytes: [UInt8]) -> [UInt8] {
  var minimizer = Minimizer(.standard, role: .provider)
  return minimizer.shrink(bytes) { smaller in
    findings(in: smaller, role: .provider, by: .standard).contains { $0.rule == rule.id }
  }
}
