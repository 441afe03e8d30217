import APNSDiagnosis
import APNSWire
import Octets

/// Writes differences for people: a block for each pair of records, with the fields that differ.
package struct DifferenceText: Sendable {
  private let catalog: Catalog
  private let width: Int
  private let palette: Palette
  private let names: (a: String, b: String)
  /// The streams of the last difference.
  private var streams: Comparison.StreamPair?

  /// - Parameters:
  ///   - catalog: the frame types that the records were decoded with.
  ///   - width: columns of the terminal.
  ///   - palette: whether to use colors.
  ///   - a: the name of the first input.
  ///   - b: the name of the second input.
  package init(_ catalog: Catalog, width: Int, palette: Palette, a: String, b: String) {
    self.catalog = catalog
    self.width = width
    self.palette = palette
    names = (a, b)
  }

  /// Writes one difference, and before the first one the names of the inputs.
  package mutating func write(_ difference: Comparison.Difference, to out: inout Output) {
    if streams == nil {
      out.write(palette.paint("--- \(names.a)", .title) + "\n" + palette.paint("+++ \(names.b)", .title) + "\n")
    }
    if streams != difference.streams { write(difference.streams, to: &out) }
    streams = difference.streams
    switch difference.change {
    case .removed, .added: writeSingle(difference, to: &out)
    case .changed:
      out.write(title(of: difference) + "\n")
      let column = difference.parts.reduce(0) { max($0, min(label(of: $1).columns, 24)) }
      for part in difference.parts { write(part, of: difference, column: column, to: &out) }
    }
  }

  private func write(_ streams: Comparison.StreamPair, to out: inout Output) {
    guard streams.a?.isDirected ?? false || streams.b?.isDirected ?? false else { return }
    let role = streams.role.map { catalog.roleNames[$0] ?? "\($0)" } ?? "unknown role"
    let text =
      switch (streams.a, streams.b) {
      case (let a?, let b?): "stream \(a.number) -> \(b.number)  \(role)"
      case (let a?, nil): "stream \(a.number)  \(role)  only in \(names.a)"
      case (nil, let b): "stream \(b?.number ?? 0)  \(role)  only in \(names.b)"
      }
    out.write("\n" + palette.paint(text, .dim) + "\n")
  }

  // MARK: Titles

  private func title(of difference: Comparison.Difference) -> String {
    let (a, b) = (difference.a?.record, difference.b?.record)
    var parts = [palette.paint(both("#", a.map { String($0.number) }, b.map { String($0.number) }, isPair: true), .dim)]
    parts.append(palette.paint(both("", a.map(title), b.map(title)), .title))
    let (identifier, other) = (identifier(of: difference.a), identifier(of: difference.b))
    if let identifier, identifier == other ?? identifier { parts.append("identifier \(identifier)") }
    if identifier == nil, let other { parts.append("identifier \(other)") }
    let offsets = [a, b].map { record in record.map { "0x" + String($0.offset, radix: 16) } }
    parts.append(palette.paint("at " + both("", offsets[0], offsets[1]), .dim))
    parts += origin(a, b)
    return parts.joined(separator: "  ")
  }

  private func origin(_ a: RecordLog.Entry?, _ b: RecordLog.Entry?) -> [String] {
    var parts: [String] = []
    let packets = [a, b].map { record in record.flatMap { $0.packet > 0 ? String($0.packet) : nil } }
    if packets[0] != nil || packets[1] != nil { parts.append("packet " + both("", packets[0], packets[1])) }
    let lines = [a, b].map { record in record.flatMap { $0.line > 0 ? String($0.line) : nil } }
    if lines[0] != nil || lines[1] != nil { parts.append("line " + both("", lines[0], lines[1])) }
    return parts.map { palette.paint($0, .dim) }
  }

  /// Both values, or one of them if they are equal or the other is missing.
  private func both(_ sign: String, _ a: String?, _ b: String?, isPair: Bool = false) -> String {
    guard let a, let b, a != b || isPair else { return sign + (a ?? b ?? "") }
    return "\(sign)\(a) -> \(sign)\(b)"
  }

  private func title(of record: RecordLog.Entry) -> String {
    switch record.content {
    case .frame(let frame, _): catalog.schema(of: frame)?.title ?? "Frame"
    case .unparsed: "Unparsed"
    case .gap: "Gap"
    case .overlap: "Overlap"
    }
  }

  private func identifier(of held: RecordLog.HeldRecord?) -> UInt64? {
    guard let held, let frame = held.record.frame else { return nil }
    return held.read { catalog.leaf(.identifier, of: frame, in: $0)?.integer(in: $0) }
  }

  // MARK: Fields

  private func label(of part: PartDifference) -> String {
    printable(part.item.map { "item \($0) \(part.name)" } ?? part.name)
  }

  /// A record that only one input has, with all its fields.
  private func writeSingle(_ difference: Comparison.Difference, to out: inout Output) {
    let isRemoved = difference.change == .removed
    let (sign, style) = (isRemoved ? "- " : "+ ", isRemoved ? Palette.Style.error : .payload)
    out.write(palette.paint(sign, style) + title(of: difference) + "\n")
    guard let held = difference.a ?? difference.b else { return }
    let column = difference.parts.reduce(0) { max($0, min(label(of: $1).columns, 24)) } + 6
    for part in difference.parts {
      guard let value = part.a ?? part.b else { continue }
      let text = held.read { self.text(of: value, $0) }
      let lead = sign + "  " + padded(label(of: part), to: column - 4)
      write(text, column, lead, sign + String(repeating: " ", count: column - 2), style, to: &out)
    }
  }

  /// Writes text in lines: the first after `lead`, the others after `next`, which have this number of columns.
  private func write(
    _ text: String, _ columns: Int, _ lead: String, _ next: String, _ style: Palette.Style, to out: inout Output
  ) {
    for (index, line) in text.wrapped(to: max(width - columns, 20)).enumerated() {
      out.write(palette.paint((index == 0 ? lead : next) + line, style) + "\n")
    }
  }

  /// A field that differs: on one line if both values fit, otherwise a line or more for each.
  private func write(
    _ part: PartDifference, of difference: Comparison.Difference, column: Int, to out: inout Output
  ) {
    let a = part.a.flatMap { value in difference.a?.read { text(of: value, $0) } }
    let b = part.b.flatMap { value in difference.b?.read { text(of: value, $0) } }
    let lead = "  " + padded(label(of: part), to: column + 2)
    let (old, new) = (a ?? "(none)", b ?? "(none)")
    if lead.columns + old.columns + 4 + new.columns <= width {
      out.write(
        lead + palette.paint(old, a == nil ? .dim : .error) + " -> " + palette.paint(new, b == nil ? .dim : .payload)
          + "\n")
      return
    }
    if let offset = firstDifference(part, difference) {
      out.write(lead + palette.paint("differs from byte \(offset) on", .dim) + "\n")
    } else {
      out.write("  \(label(of: part))\n")
    }
    let excerpts = Excerpts(old, new, columns: max(width - 6, 20) * 4)
    write(excerpts.a, 6, "    - ", "      ", .error, to: &out)
    write(excerpts.b, 6, "    + ", "      ", .payload, to: &out)
  }

  /// The offset in the value of the first byte that differs; nil for numbers.
  private func firstDifference(_ part: PartDifference, _ difference: Comparison.Difference) -> Int? {
    guard let range = part.a?.range, let otherRange = part.b?.range, let a = difference.a, let b = difference.b
    else { return nil }
    if case .field(let field, _) = part.a, case .integer = catalog.fields[field].content { return nil }
    return a.read { bytes in
      b.read { otherBytes in
        let (value, other) = (bytes.extracting(range), otherBytes.extracting(otherRange))
        let count = min(value.count, other.count)
        return (0..<count).first { value[$0] != other[$0] } ?? count
      }
    }
  }

  private func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(columns - text.columns, 2))
  }

  private func text(of value: RecordPart.Value, _ bytes: Span<UInt8>) -> String {
    switch value {
    case .field(let field, let range):
      let values = ValueText.strings(of: catalog.fields[field], bytes.extracting(range))
      return values.count < 2 ? values.joined() : "\(values[0]) (\(values.dropFirst().joined(separator: ", ")))"
    case .octets(let range): return range.isEmpty ? "(empty)" : hexText(bytes.extracting(range))
    case .json(let range): return printable(bytes, range)
    case .number(let number): return String(number)
    case .word(let word): return printable(word)
    case .items(let items): return items.map { String($0) }.joined(separator: ", ")
    }
  }
}

/// The parts of two long texts in which they differ first.
private struct Excerpts {
  private(set) var a: String
  private(set) var b: String
  /// Characters before the first difference.
  private static let context = 24

  init(_ a: String, _ b: String, columns: Int) {
    (self.a, self.b) = (a, b)
    if a.utf8.count <= columns, b.utf8.count <= columns { return }
    let (ones, others) = (Array(a.unicodeScalars), Array(b.unicodeScalars))
    let same = zip(ones, others).prefix { $0 == $1 }.count
    let longest = max(ones.count, others.count)
    let start = longest <= columns ? 0 : max(same - Self.context, 0)
    func excerpt(_ text: [Unicode.Scalar]) -> String {
      let kept = text.dropFirst(start).prefix(columns)
      var out = String.UnicodeScalarView(kept)
      if start > 0 { out.insert(contentsOf: "...".unicodeScalars, at: out.startIndex) }
      if start + kept.count < text.count { out.append(contentsOf: "...".unicodeScalars) }
      return String(out)
    }
    self.a = excerpt(ones)
    self.b = excerpt(others)
  }
}
