import APNSViews
import ArgumentParser
import Foundation
import Octets

/// The formats of a report about a provider.
enum ConformanceFormat: String, CaseIterable, ExpressibleByArgument {
  case text, ndjson, junit
}

/// Writes the results of scenarios.
struct ConformanceReport {
  private let format: ConformanceFormat
  private let terminal: Terminal
  private var out = Output()
  private var document = JUnitDocument(suite: "apnscope serve --conformance")
  private var counts: [Judgement.Verdict: Int] = [:]
  private static let indent = 12

  init(_ format: ConformanceFormat) {
    self.format = format
    var size = winsize()
    let isTerminal = unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let variables = ProcessInfo.processInfo.environment
    terminal = Terminal(
      width: isTerminal ? Int(size.ws_col) : 80,
      isColored: isTerminal && (variables["NO_COLOR"] ?? "").isEmpty && variables["TERM"] != "dumb")
  }

  var hasOnlyPassed: Bool { counts.keys.allSatisfy { $0 == .passed } }

  /// `10 scenarios: 8 passed, 1 failed, 1 not tested`
  var summary: String {
    let parts = Judgement.Verdict.allCases.compactMap { verdict in
      counts[verdict].map { "\($0) \(verdict.rawValue)" }
    }
    let total = plural(counts.values.reduce(0, +), "scenario")
    let start = Interrupt.isRaised ? "interrupted after \(total)" : total
    return parts.isEmpty ? start : "\(start): \(parts.joined(separator: ", "))"
  }

  mutating func add(_ scenario: ConformanceScenario, _ judgement: Judgement, seconds: Double) throws(Failure) {
    counts[judgement.verdict, default: 0] += 1
    switch format {
    case .text: write(scenario, judgement)
    case .ndjson: out.line { Self.members(of: scenario, judgement, to: &$0) }
    case .junit: document.add(scenario.name, judgement.result(of: scenario), seconds: Int(seconds.rounded()))
    }
    // Scenarios take seconds, so each result is shown at once.
    try flush()
  }

  mutating func close() throws(Failure) {
    if format == .junit { document.write(to: &out) }
    try flush()
  }

  private mutating func flush() throws(Failure) {
    if !out.isEmpty, !out.read({ writeAll($0, to: 1) }) { throw .output }
    out.clear()
  }

  private mutating func write(_ scenario: ConformanceScenario, _ judgement: Judgement) {
    let (verdict, indent) = (judgement.verdict, Self.indent)
    var label = terminal.paint(verdict.rawValue.padded(to: indent), judgement.style)
    for sentence in ["\(scenario.name): \(scenario.demand)"] + judgement.evidence.map(\.sentence) {
      for line in sentence.wrapped(to: max(terminal.width - indent, 20)) {
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
  fileprivate var style: Terminal.Style {
    switch verdict {
    case .passed: .payload
    case .failed: .error
    case .notTested: .warning
    }
  }

  fileprivate func result(of scenario: ConformanceScenario) -> JUnitDocument.Result {
    let sentences = evidence.map(\.sentence)
    return switch verdict {
    case .passed: .passed
    case .failed: .failed(type: "failed", message: sentences.first ?? "", lines: [scenario.demand] + sentences)
    case .notTested: .skipped(message: sentences.joined(separator: "; "))
    }
  }
}
