/// A JUnit XML document with one suite.
package struct JUnitDocument {
  private let suite: String
  private var cases: [Case] = []

  private struct Case {
    let name: String
    let result: Result
    let seconds: Int
  }

  /// The result of a test case.
  package enum Result {
    case passed
    /// The lines are the text of the failure.
    case failed(type: String, message: String, lines: [String])
    case skipped(message: String)
  }

  /// - Parameter suite: The name of the suite.
  package init(suite: String) { self.suite = suite }

  /// Adds a test case, which took some seconds.
  package mutating func add(_ name: String, _ result: Result, seconds: Int = 0) {
    cases.append(Case(name: name, result: result, seconds: seconds))
  }

  /// Writes the document.
  package func write(to out: inout Output) {
    let (failures, skipped) = cases.reduce(into: (0, 0)) { counts, one in
      switch one.result {
      case .passed: break
      case .failed: counts.0 += 1
      case .skipped: counts.1 += 1
      }
    }
    let seconds = cases.reduce(0) { $0 + $1.seconds }
    let numbers = "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"0\" time=\"\(seconds)\""
    out.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites \(numbers)>\n")
    out.write("  <testsuite name=\"")
    out.markup(suite)
    out.write("\" \(numbers) skipped=\"\(skipped)\">\n")
    for one in cases { write(one, to: &out) }
    out.write("  </testsuite>\n</testsuites>\n")
  }

  private func write(_ one: Case, to out: inout Output) {
    out.write("    <testcase classname=\"apnscope\" name=\"")
    out.markup(one.name)
    out.write("\" time=\"\(one.seconds)\"")
    switch one.result {
    case .passed: return out.write("/>\n")
    case .failed(let type, let message, let lines):
      out.write(">\n      <failure type=\"\(type)\" message=\"")
      out.markup(message)
      out.write("\">")
      for line in lines {
        out.markup(line)
        out.write("\n")
      }
      out.write("</failure>\n")
    case .skipped(let message):
      out.write(">\n      <skipped message=\"")
      out.markup(message)
      out.write("\"/>\n")
    }
    out.write("    </testcase>\n")
  }
}
