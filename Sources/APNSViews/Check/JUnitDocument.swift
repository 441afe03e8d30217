/// A JUnit XML document with one suite.
public struct JUnitDocument {
  private let suite: String
  private var cases: [Case] = []
  private typealias Case = (name: String, result: Result, file: String?, seconds: Int)

  /// The result of a test case.
  public enum Result {
    /// Nothing was wrong.
    case passed
    /// The lines are the text of the failure.
    case failed(type: String, message: String, lines: [String])
    /// What was to be tested could not be tested completely. The lines say what was found.
    case error(type: String, message: String, lines: [String])
    /// It could not be tested, for this reason.
    case skipped(message: String)
  }

  /// - Parameter suite: The name of the suite.
  public init(suite: String) { self.suite = suite }

  /// Adds a test case about a file, if there is one, which took some seconds.
  public mutating func add(_ name: String, _ result: Result, file: String? = nil, seconds: Int = 0) {
    cases.append((name, result, file, seconds))
  }

  /// Writes the document.
  public func write(to out: inout Output) {
    let (failures, errors, skipped) = cases.reduce(into: (0, 0, 0)) { counts, one in
      switch one.result {
      case .passed: break
      case .failed: counts.0 += 1
      case .error: counts.1 += 1
      case .skipped: counts.2 += 1
      }
    }
    let seconds = cases.reduce(0) { $0 + $1.seconds }
    let numbers = "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\" time=\"\(seconds)\""
    out.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites \(numbers)>\n")
    out.write("  <testsuite")
    out.attribute("name", suite)
    out.write(" \(numbers) skipped=\"\(skipped)\">\n")
    for one in cases { write(one, to: &out) }
    out.write("  </testsuite>\n</testsuites>\n")
  }

  private func write(_ one: Case, to out: inout Output) {
    out.write("    <testcase classname=\"apnscope\"")
    out.attribute("name", one.name)
    if let file = one.file { out.attribute("file", file) }
    out.write(" time=\"\(one.seconds)\"")
    switch one.result {
    case .passed: return out.write("/>\n")
    case .failed(let type, let message, let lines): write("failure", type, message, lines, to: &out)
    case .error(let type, let message, let lines): write("error", type, message, lines, to: &out)
    case .skipped(let message):
      out.write(">\n      <skipped")
      out.attribute("message", message)
      out.write("/>\n")
    }
    out.write("    </testcase>\n")
  }

  private func write(_ element: String, _ type: String, _ message: String, _ lines: [String], to out: inout Output) {
    out.write(">\n      <\(element)")
    out.attribute("type", type)
    out.attribute("message", message)
    out.write(">")
    for line in lines {
      out.markup(line)
      out.write("\n")
    }
    out.write("</\(element)>\n")
  }
}
