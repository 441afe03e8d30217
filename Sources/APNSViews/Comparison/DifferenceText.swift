import APNSDiagnosis
import APNSWire
import Octets

/// Writes differences for people: a block for each pair of records, with the fields that differ.
package struct DifferenceText: Sendable {
  private let catalog: Catalog
  private let terminal: Terminal
  private let names: (a: String, b: String)
  /// The streams of the last difference.
  private var streams: Comparison.StreamPair?

  /// `a` and `b`: the names of the inputs.
  package init(_ catalog: Catalog, terminal: Terminal, a: String, b: String) {
    (self.catalog, self.terminal, names) = (catalog, terminal, (a, b))
  }

  /// Writes one difference, and before the first one the names of the inputs.
  package mutating func write(_ difference: Comparison.Difference, to out: inout Output) {
    if streams == nil {
      out.write(terminal.paint("--- \(names.a)", .title) + "\n" + terminal.paint("+++ \(names.b)", .title) + "\n")
    }
    if streams != difference.streams { write(difference.streams, to: &out) }
    streams = difference.streams
    if difference.a == nil || difference.b == nil { return writeSingle(difference, to: &out) }
    out.write(title(of: difference) + "\n")
    let column = column(of: difference)
    for part in difference.parts { write(part, column: column, to: &out) }
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
    out.write("\n" + terminal.paint(text, .dim) + "\n")
  }

  // MARK: Titles

  private func title(of difference: Comparison.Difference) -> String {
    let sides = [difference.a, difference.b].compactMap(\.self)
    var parts = [terminal.paint(sides.map { "#\($0.record.number)" }.joined(separator: " -> "), .dim)]
    /// Adds both values, or one of them if they are equal or a record does not have it.
    func add(_ lead: String, _ style: Terminal.Style = .dim, _ text: (Record) -> String?) {
      var values = sides.compactMap { text($0.record) }
      if values.first == values.last { values = Array(values.prefix(1)) }
      if !values.isEmpty { parts.append(terminal.paint(lead + values.joined(separator: " -> "), style)) }
    }
    add("", .title) { $0.content.title(catalog) }
    let identifiers = Set(sides.compactMap { $0.record.number(.identifier, in: $0.bytes.span, catalog) })
    if identifiers.count == 1, let identifier = identifiers.first { parts.append("identifier \(identifier)") }
    add("at ") { "0x" + String($0.offset, radix: 16) }
    add("packet ") { $0.packets.first.map { String($0.number) } }
    add("line ") { $0.positions.first.map { String($0.line) } }
    return parts.joined(separator: "  ")
  }

  // MARK: Fields

  private func label(of part: PartDifference) -> String { printable((part.a ?? part.b)?.label ?? "") }

  private func column(of difference: Comparison.Difference) -> Int {
    difference.parts.reduce(0) { max($0, min(label(of: $1).columns, 24)) }
  }

  /// A record that only one input has, with all its fields.
  private func writeSingle(_ difference: Comparison.Difference, to out: inout Output) {
    let isRemoved = difference.b == nil
    let (sign, style) = (isRemoved ? "- " : "+ ", isRemoved ? Terminal.Style.error : .payload)
    out.write(terminal.paint(sign, style) + title(of: difference) + "\n")
    let column = column(of: difference) + 6
    for part in difference.parts {
      guard let text = (part.a ?? part.b)?.text else { continue }
      let lead = sign + "  " + label(of: part).padded(to: column - 4)
      terminal.write(text, after: lead, margin: sign.padded(to: column), style, to: &out)
    }
  }

  /// A field that differs: on one line if both values fit, otherwise a line or more for each.
  private func write(_ part: PartDifference, column: Int, to out: inout Output) {
    let (a, b) = (part.a?.text, part.b?.text)
    let lead = "  " + label(of: part).padded(to: column + 2)
    let (old, new) = (a ?? "(none)", b ?? "(none)")
    if lead.columns + old.columns + 4 + new.columns <= terminal.width {
      out.write(
        lead + terminal.paint(old, a == nil ? .dim : .error) + " -> " + terminal.paint(new, b == nil ? .dim : .payload)
          + "\n")
      return
    }
    if let a = part.a, let b = part.b, a.isText, b.isText {
      let offset = zip(a.bytes, b.bytes).prefix { $0 == $1 }.count
      out.write(lead + terminal.paint("differs from byte \(offset) on", .dim) + "\n")
    } else {
      out.write("  \(label(of: part))\n")
    }
    let limit = max(terminal.width - 6, 20) * 4
    let (ones, others) = (Array(old.unicodeScalars), Array(new.unicodeScalars))
    let same = zip(ones, others).prefix { $0 == $1 }.count
    let start = max(ones.count, others.count) <= limit ? 0 : max(same - Self.context, 0)
    for (sign, text, style) in [("-", ones, Terminal.Style.error), ("+", others, .payload)] {
      terminal.write(
        text.excerpt(from: start, atMost: limit), after: "    \(sign) ", margin: "      ", style, to: &out)
    }
  }

  /// Characters before the first difference of long texts.
  private static let context = 24
}

extension RecordPart {
  /// Whether its text shows its bytes one by one.
  fileprivate var isText: Bool {
    switch content {
    case .octets, .text, .json, nil: true
    case .integer, .items: false
    }
  }

  /// The value, and what it means.
  fileprivate var text: String {
    guard let content else { return printable(String(decoding: bytes, as: UTF8.self)) }
    if case .items = content { return bytes.map { String($0) }.joined(separator: ", ") }
    let values = ValueText.strings(of: content, bytes.span)
    return values.count < 2 ? values.joined() : "\(values[0]) (\(values.dropFirst().joined(separator: ", ")))"
  }
}

extension [Unicode.Scalar] {
  /// Some of the characters, with dots for those that are left out.
  fileprivate func excerpt(from start: Int, atMost most: Int) -> String {
    let kept = dropFirst(start).prefix(most)
    let text = String(String.UnicodeScalarView(kept))
    return (start > 0 ? "..." : "") + text + (start + kept.count < count ? "..." : "")
  }
}
