import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import Octets

/// The formats of differences.
enum DiffFormat: String, CaseIterable {
  case text, ndjson
}

/// Compares two inputs, and writes their differences.
struct DiffRun {
  private let settings: StreamSettings
  private let style: TextStyle
  var format = DiffFormat.text
  var selection = RecordSelection()
  /// The names of fields that are not compared. One string may have several, separated by commas.
  var ignored: [String] = []
  /// The output file; nil means standard output.
  var output: OutputPath?
  var quiet = false

  init(_ settings: StreamSettings, _ style: TextStyle) {
    self.settings = settings
    self.style = style
  }

  /// The names of the fields that can be ignored.
  static var fields: [String] { Comparison.fields(of: protocolDefinitions.catalog) }

  /// Compares the records of `a` with those of `b`.
  func run(_ a: InputRequest, _ b: InputRequest) throws -> ExitStatus {
    let ignored = try ignoredFields()
    let (sources, otherSources) = (try a.sources(), try b.sources())
    if let output { try RecordRun.check(output) }
    var file = try OutputFile(output)
    let (one, failures) = read(a, sources)
    let (other, otherFailures) = read(b, otherSources)
    if Interrupt.isRaised { throw Failure.interrupted }
    let all = failures + otherFailures
    // An input of which nothing could be read is not an empty one.
    if !failures.isEmpty && one.log.isEmpty || !otherFailures.isEmpty && other.log.isEmpty {
      for failure in all { failure.report() }
      return all.status ?? .unreadable
    }
    let comparison = Comparison(protocolDefinitions.catalog, ignoring: ignored)
    let (names, otherNames) = (sources.map(\.name), otherSources.map(\.name))
    let (name, otherName) = (Self.name(of: a, names), Self.name(of: b, otherNames))
    let objects = DifferenceObjects(protocolDefinitions.catalog, a: names, b: otherNames)
    var text = DifferenceText(
      protocolDefinitions.catalog, width: style.columns(writesFile: output != nil),
      palette: style.palette(writesFile: output != nil), a: name, b: otherName)
    let counts = comparison.compare(one.log, other.log) { difference in
      guard !Interrupt.isRaised, !file.isClosed else { return }
      file.append { format == .ndjson ? objects.write(difference, to: &$0) : text.write(difference, to: &$0) }
    }
    let isClosed = file.isClosed
    try file.close(complete: !Interrupt.isRaised)
    if Interrupt.isRaised { throw Failure.interrupted(otherName) }
    if !quiet, !isClosed { say(counts, (name, one.remarks), (otherName, other.remarks)) }
    for failure in all { failure.report() }
    return all.status ?? (counts.isEqual ? .clean : .findings)
  }

  private func ignoredFields() throws(Failure) -> [String] {
    let names = ignored.separatedByCommas
    if let name = names.first(where: { !Self.fields.contains($0) }) {
      throw .usage(
        "--ignore \(name): unknown field\(suggestion(name, Self.fields)); the fields are "
          + Self.fields.joined(separator: ", "))
    }
    return names
  }

  private func read(_ input: InputRequest, _ sources: [InputSource]) -> (LogSink, [Failure]) {
    let progress = Progress(quiet: quiet, writesFile: true)
    var dissector = settings.dissector(into: LogSink(selection: selection))
    let failures = input.read(sources, into: &dissector, quiet: quiet, progress: progress)
    return (dissector.records, failures)
  }

  /// The name of an input as the user gave it.
  private static func name(of input: InputRequest, _ names: [String]) -> String {
    names.count == 1 ? names[0] : input.paths.map(\.path).joined(separator: " ")
  }

  private func say(
    _ counts: Comparison.Counts, _ a: (name: String, remarks: [String]), _ b: (name: String, remarks: [String])
  ) {
    var parts = ["\(plural(counts.changed, "record")) \(counts.changed == 1 ? "differs" : "differ")"]
    if counts.moved > 0 { parts.append("\(counts.moved) moved") }
    parts += ["\(counts.removed) only in \(a.name)", "\(counts.added) only in \(b.name)"]
    var line = parts.joined(separator: ", ") + "; \(counts.equal) equal"
    if counts.isEqual, counts.equal == 0 {
      line = "nothing was compared: no record " + (selection.isAll ? "in either input" : "matches the selection")
    }
    let remarks = [a, b].filter { !$0.remarks.isEmpty }.map { "\($0.name): \($0.remarks.joined(separator: "; "))" }
    StandardError.say([line] + remarks)
  }
}

/// Keeps the selected records of an input.
private struct LogSink: InputSink {
  let selection: RecordSelection
  var log = RecordLog()
  var remarks: [String] = []

  init(selection: RecordSelection) { self.selection = selection }

  var wantsMore: Bool { !Interrupt.isRaised }
  var showsLosses: Bool { true }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    guard selection.stream == nil || selection.stream == record.stream.number,
      selection.filter?.accepts(record, bytes) ?? true
    else { return }
    log.add(record, bytes)
  }

  mutating func note(_ name: String, isEmpty: Bool, remark: String?) {
    if let remark, !remark.isEmpty { remarks.append(remark) }
  }
}
