import APNSDiagnosis
import APNSWire
import Octets

/// `check` for people: each rule once, with its first finding, what to do, what the service answers, and where else.
public struct CheckTextView: View {
  public static var showsFaultless: Bool { false }
  public static var recordsOfEachRule: Int { 1 + mostOthers }

  private let palette: Palette
  private let width: Int
  private let inputs: [String]
  private var fold: FindingFold

  /// Records of a rule that are listed after its first finding.
  private static let mostOthers = 6
  /// Lines longer than that are hard to read, however wide the terminal.
  private static let widest = 120

  /// - Parameters:
  ///   - width: columns of the terminal.
  ///   - inputs: their names, by number.
  public init(
    _ catalog: Catalog, width: Int = 80, palette: Palette = Palette(isColored: false), inputs: [String] = []
  ) {
    self.palette = palette
    self.width = min(width, Self.widest)
    self.inputs = inputs
    fold = FindingFold(catalog, most: Self.mostOthers)
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    if !record.findings.isEmpty { fold.add(record, bytes, oncePerFrame: true) }
  }

  public mutating func count(_ findings: Int, in records: Int, of rule: String, _ severity: Finding.Severity) {
    fold.count(findings, in: records, of: rule, severity)
  }

  public mutating func finish(to out: inout Output) {
    for (index, group) in fold.inOrder.enumerated() {
      if index > 0 { out.write("\n") }
      writeHead(of: group, to: &out)
      for line in group.first.message.wrapped(to: max(width - 2, 20)) { out.write("  \(line)\n") }
      write("where:", place(of: group.first), to: &out)
      if let cause = group.cause { write("cause:", "\(cause.id): \(printable(cause.evidence))", to: &out) }
      write("fix:", printable(group.cause?.fix ?? group.fix), to: &out)
      if let answer = group.answer { write("answer:", answer.words, to: &out) }
      if group.frames > 1 { write("also:", others(of: group), to: &out) }
    }
  }

  private func writeHead(of group: FindingFold.Group, to out: inout Output) {
    out.write(palette.paint(group.severity.rawValue, .of(group.severity)) + " " + palette.paint(group.rule, .title))
    if group.count > 1 {
      let frames = group.frames == group.count ? "" : " in \(plural(group.frames, "record"))"
      out.write(palette.paint("  \(group.count) times\(frames)", .dim))
    }
    out.write("\n")
  }

  private func place(of entry: FindingFold.Entry) -> String {
    (inputs.count > 1 ? inputWords(entry.place.input, inputs) + " " : "") + entry.place.words
  }

  private static let labelWidth = 8

  private func write(_ label: String, _ text: String, to out: inout Output) {
    write(label, text.wrapped(to: max(width - 2 - Self.labelWidth, 20)), to: &out)
  }

  /// Lines stand under each other behind their label.
  private func write(_ label: String, _ lines: [String], to out: inout Output) {
    for (index, line) in lines.enumerated() {
      let lead = index == 0 ? label : ""
      let padding = String(repeating: " ", count: Self.labelWidth - lead.count)
      out.write("  " + palette.paint(lead, .dim) + padding + line + "\n")
    }
  }

  /// `#12, #40, stream 2 #3 and 91 more`: the file or the stream stands before its first. Broken between places.
  private func others(of group: FindingFold.Group) -> [String] {
    var places: [String] = []
    var (input, stream) = (group.first.place.input, group.first.place.stream)
    for place in group.more.map(\.place) {
      var lead = ""
      if place.input != input || place.stream != stream {
        if inputs.count > 1, place.input != input { lead = inputWords(place.input, inputs) + " " }
        if let number = place.stream { lead += "stream \(number) " }
        (input, stream) = (place.input, place.stream)
      }
      places.append(lead + "#\(place.number)")
    }
    let rest = group.frames - 1 - places.count
    var lines = [""]
    for (index, place) in places.enumerated() {
      let isLast = index == places.count - 1
      let part = place + (isLast ? rest > 0 ? " and \(rest) more" : "" : ",")
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = part
      } else if line.columns + 1 + part.columns <= width - 2 - Self.labelWidth {
        lines[lines.count - 1] = line + " " + part
      } else {
        lines.append(part)
      }
    }
    return lines
  }
}
