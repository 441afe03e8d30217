import APNSDiagnosis
import APNSQuery
import APNSWire

/// Writes differences as NDJSON, one object for each. Names and values of members are those of records.
package struct DifferenceObjects: Sendable {
  private let catalog: Catalog
  private let inputs: (a: [String], b: [String])

  /// - Parameters:
  ///   - catalog: the frame types that the records were decoded with.
  ///   - a: the names of the files of the first input; written if there are several.
  ///   - b: those of the second input.
  package init(_ catalog: Catalog, a: [String] = [], b: [String] = []) {
    self.catalog = catalog
    inputs = (a, b)
  }

  /// Writes one difference.
  package func write(_ difference: Comparison.Difference, to out: inout Output) {
    out.line { out in
      out.member("schema", NDJSONView.schema)
      out.member("change", difference.change.rawValue)
      if let record = difference.a ?? difference.b { out.member("type", record.record.content.typeName(catalog)) }
      if let a = difference.a { out.object("a") { write(a, inputs.a, to: &$0) } }
      if let b = difference.b { out.object("b") { write(b, inputs.b, to: &$0) } }
      out.array("fields") { out in
        for part in difference.parts { out.object { write(part, difference, to: &$0) } }
      }
    }
  }

  private func write(_ held: RecordLog.HeldRecord, _ inputs: [String], to out: inout Output) {
    let record = held.record
    if inputs.count > 1, inputs.indices.contains(Int(record.input)) { out.member("file", inputs[Int(record.input)]) }
    if held.stream.stream.isDirected { out.streamMembers(of: held.stream.stream) }
    out.member("number", Int(record.number))
    out.member("offset", record.offset)
    if !record.isGap { out.member("length", record.count) }
    if record.packet > 0 { out.member("packet", Int(record.packet)) }
  }

  private func write(_ part: PartDifference, _ difference: Comparison.Difference, to out: inout Output) {
    // Text that is not UTF-8 is written as digits, and so is its counterpart.
    let isText = [(part.a, difference.a), (part.b, difference.b)].allSatisfy { value, held in
      guard let value, let held else { return true }
      return held.read { isPrintable(value, $0) }
    }
    out.member("name", isText ? part.name : part.name + "_hex")
    out.member("item", part.item.map { Int($0) })
    for (key, value, held) in [("a", part.a, difference.a), ("b", part.b, difference.b)] {
      guard let value, let held else { continue }
      out.key(key)
      held.read { write(value, $0, isText: isText, to: &out) }
    }
  }

  private func isPrintable(_ value: RecordPart.Value, _ bytes: Span<UInt8>) -> Bool {
    guard case .field(let field, let range) = value else { return true }
    switch catalog.fields[field].content {
    case .text, .json:
      var text = Output()
      return text.jsonString(bytes.extracting(range))
    case .integer, .octets, .items: return true
    }
  }

  private func write(_ value: RecordPart.Value, _ bytes: Span<UInt8>, isText: Bool, to out: inout Output) {
    switch value {
    case .field(let field, let range):
      let data = bytes.extracting(range)
      switch catalog.fields[field].content {
      case .integer: out.decimal(data.number)
      case .text where isText, .json where isText: out.jsonString(data)
      case .octets, .text, .json, .items: out.jsonString(hex: data)
      }
    case .octets(let range): out.jsonString(hex: bytes.extracting(range))
    case .json(let range):
      switch bytes[range.lowerBound] {
      // There may be line ends between the brackets.
      case UInt8(ascii: "{"): out.write("{}")
      case UInt8(ascii: "["): out.write("[]")
      default: out.jsonText(bytes.extracting(range))
      }
    case .number(let number): out.decimal(number)
    case .word(let word): out.jsonString(word)
    case .items(let items): out.write("[\(items.map { String($0) }.joined(separator: ","))]")
    }
  }
}
