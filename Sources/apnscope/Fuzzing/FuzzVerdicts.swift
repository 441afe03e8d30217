import APNSCraft

/// The verdicts that are expected from the command.
struct FuzzVerdicts {
  let ignored: Set<String>
  let ignoresStatus: Bool

  /// The expected verdict on a case.
  func expected(_ testCase: TestCase) -> TestCase.Verdict {
    ignoresStatus || ignored.contains(testCase.label.rule ?? "valid") ? .either : testCase.label.verdict
  }

  func isFailed(_ testCase: TestCase, by ending: ChildProcess.Ending) -> Bool {
    guard case .exited(let status) = ending else { return true }
    switch expected(testCase) {
    case .accept: return status != 0
    case .reject: return status == 0
    case .either: return false
    }
  }
}
