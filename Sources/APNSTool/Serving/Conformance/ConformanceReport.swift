import APNSViews
import Octets

/// The formats of a report about a provider.
package enum ConformanceFormat: String, CaseIterable {
  case text, ndjson, junit
}

/// Writes the results of scenarios.
struct ConformanceReport: ~Copyable {
  private let format: ConformanceFormat
  private let width: Int
  private let palette: Palette
  private var file: OutputFile
  private var document = JUnitDocument(suite: "apnscope serve --conformance")
  private var counts: [Judgement.Verdict: Int] = [:]
  private static let indent = 12

  init(_ format: ConformanceFormat, _ style: TextStyle) throws(Failure) {
    self.format = format
    width = style.columns(writesFile: false)
    palette = style.palette(writesFile: false)
    file = try OutputFile(nil)
  }

  var hasOnlyPassed: Bool { counts.keys.allSatisfy { $0 == .passed } }

  /// `10 scenarios: 8 passed, 1 failed, 1 not tested`
  var summary: String {
    let parts = [Judgement.Verdict.passed, .failed, .notTested].compactMap { verdict in
      counts[verdict].map { "\($0) \(verdict.rawValue)" }
    }
    let total = plural(counts.values.reduce(0, +), "scenario")
    let start = Interrupt.isRaised ? "interrupted after \(total)" : total
    return parts.isEmpty ? start : "\(start): \(parts.joined(separator: ", "))"
  }

  mutating func add(_ scenario: ConformanceScenario, _ judgement: Judgement, seconds: Double) {
    counts[judgement.verdict, default: 0] += 1
    switch format {
    case .text:
      file.append { [palette, width] in Self.write(scenario, judgement, palette, width, to: &$0) }
      // Scenarios take seconds, so each result is shown at once.
      file.flush()
    case .ndjson:
      file.append { out in out.line { Self.members(of: scenario, judgement, to: &$0) } }
      file.flush()
    case .junit: document.add(scenario.name, judgement.result(of: scenario), seconds: Int(seconds.rounded()))
    }
  }

  mutating func close() throws(Failure) {
    if format == .junit { file.append { [document] in document.write(to: &$0) } }
    try file.close()
  }

  private static func write(
    _ scenario: ConformanceScenario, _ judgement: Judgement, _ palette: Palette, _ width: Int, to out: inout Output
  ) {
    let verdict = judgement.verdict
    var label = palette.paint(verdict.rawValue.padded(to: indent), verdict.style)
    for sentence in ["\(scenario.name): \(scenario.demand)"] + judgement.evidence.map(\.sentence) {
      for line in sentence.wrapped(to: max(width - indent, 20)) {
        out.write(label + line + "\n")
        label = String(repeating: " ", count: indent)
      }
    }
  }

  private static func members(of scenario: ConformanceScenario, _ judgement: Judgement, to out: inout Output) {
    out.member("schema", NDJSONView.schema)
    out.member("type", "scenario")
    out.member("name", scenario.name)
    out.member("demand", scenario.demand)
    out.member("result", judgement.verdict.rawValue.replacing(" ", with: "-"))
    out.array("evidence") { out in
      for evidence in judgement.evidence {
        out.object { out in
          out.member("connection", evidence.connection)
          out.member("packet", evidence.packet)
          out.member("identifier", evidence.identifier.map { Int($0) })
          out.member("message", evidence.message)
        }
      }
    }
  }
}

extension Judgement {
  fileprivate func result(of scenario: ConformanceScenario) -> JUnitDocument.Result {
    let sentences = evidence.map(\.sentence)
    switch verdict {
    case .passed: return .passed
    case .failed: return .failed(type: "failed", message: sentences.first ?? "", lines: [scenario.demand] + sentences)
    case .notTested: return .skipped(message: sentences.joined(separator: "; "))
    }
  }
}

extension Judgement.Verdict {
  fileprivate var style: Palette.Style {
    switch self {
    case .passed: .payload
    case .failed: .error
    case .notTested: .warning
    }
  }
}
