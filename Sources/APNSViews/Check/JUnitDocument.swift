/// A JUnit XML document with one suite.
public struct JUnitDocument {
  private let suite: String
  private var cases: [Case] = []
  private typealias Case = (name: String, result: Result, file: String?, seconds: Int)

  /// The result of a test case: the element in it that says what went wrong; nil if nothing did.
  public struct Result {
    fileprivate var element: (name: String, type: String?, message: String, lines: [String]?)?

    /// Nothing was wrong.
    public static var passed: Self { Self() }
    /// The lines are the text of the failure.
    public static func failed(type: String, message: String, lines: [String]) -> Self {
      Self(element: ("failure", type, message, lines))
    }
    /// What was to be tested could not be tested completely. The lines say what was found.
    public static func error(type: String, message: String, lines: [String]) -> Self {
      Self(element: ("error", type, message, lines))
    }
    /// It could not be tested, for this reason.
    public static func skipped(message: String) -> Self { Self(element: ("skipped", nil, message, nil)) }
  }

  /// - Parameter suite: The name of the suite.
  public init(suite: String) { self.suite = suite }

  /// Adds a test case about a file, if there is one, which took some seconds.
  public mutating func add(_ name: String, _ result: Result, file: String? = nil, seconds: Int = 0) {
    cases.append((name, result, file, seconds))
  }

  /// Writes the document.
  public func write(to out: inout Output) {
    func count(_ element: String) -> Int { cases.count { $0.result.element?.name == element } }
    let seconds = cases.reduce(0) { $0 + $1.seconds }
    let failed = "failures=\"\(count("failure"))\" errors=\"\(count("error"))\""
    let numbers = "tests=\"\(cases.count)\" \(failed) time=\"\(seconds)\""
    out.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites \(numbers)>\n")
    out.write("  <testsuite")
    out.attribute("name", suite)
    out.write(" \(numbers) skipped=\"\(count("skipped"))\">\n")
    for one in cases { write(one, to: &out) }
    out.write("  </testsuite>\n</testsuites>\n")
  }

  private func write(_ one: Case, to out: inout Output) {
    out.write("    <testcase classname=\"apnscope\"")
    out.attribute("name", one.name)
    if let file = one.file { out.attribute("file", file) }
    out.write(" time=\"\(one.seconds)\"")
    guard let (name, type, message, lines) = one.result.element else { return out.write("/>\n") }
    out.write(">\n      <\(name)")
    if let type { out.attribute("type", type) }
    out.attribute("message", message)
    if let lines {
      out.write(">")
      for line in lines { out.markup(printable: printable(line) + "\n") }
      out.write("</\(name)>\n")
    } else {
      out.write("/>\n")
    }
    out.write("    </testcase>\n")
  }
}
