import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSWire
import Octets

/// Writes differences as NDJSON, one object for each. Names and values of members are those of records.
package struct DifferenceObjects: Sendable {
  private let catalog: Catalog
  private let inputs: (a: [String], b: [String])

  /// `a` and `b`: the names of the files of each input; written if there are several.
  package init(_ catalog: Catalog, a: [String] = [], b: [String] = []) {
    (self.catalog, inputs) = (catalog, (a, b))
  }

  package func write(_ difference: Comparison.Difference, to out: inout Output) {
    out.line { out in
      out.member("schema", NDJSONView.schema)
      out.member("change", difference.a == nil ? "added" : difference.b == nil ? "removed" : "changed")
      if let held = difference.a ?? difference.b { out.member("type", held.record.content.typeName(catalog)) }
      if let a = difference.a { out.object("a") { write(a.record, inputs.a, to: &$0) } }
      if let b = difference.b { out.object("b") { write(b.record, inputs.b, to: &$0) } }
      out.objects("fields", difference.parts) { write($1, to: &$0) }
    }
  }

  private func write(_ record: Record, _ inputs: [String], to out: inout Output) {
    if inputs.count > 1, inputs.indices.contains(record.input) { out.member("file", inputs[record.input]) }
    if record.stream.isDirected { out.streamMembers(of: record.stream) }
    out.member("number", record.number)
    out.member("offset", record.offset)
    if case .gap = record.content {} else { out.member("length", record.count) }
    out.member("packet", record.packets.first?.number)
  }

  private func write(_ part: PartDifference, to out: inout Output) {
    // Text that is not UTF-8 is written as digits, and so is its counterpart.
    let isText = [part.a, part.b].allSatisfy { $0?.isUTF8 ?? true }
    let one = part.a ?? part.b
    out.member("name", one.map { isText ? $0.name : $0.name + "_hex" })
    out.member("item", one?.item)
    for (key, value) in [("a", part.a), ("b", part.b)] {
      guard let value else { continue }
      out.key(key)
      out.value(value, isText: isText)
    }
  }
}

extension RecordPart {
  /// False if it is a text that is not UTF-8.
  fileprivate var isUTF8: Bool {
    switch content {
    case .text, .json: bytes.span.isUTF8(bytes.indices)
    case .integer, .octets, .items, nil: true
    }
  }
}

extension Output {
  fileprivate mutating func value(_ part: RecordPart, isText: Bool) {
    let bytes = part.bytes.span
    switch part.content {
    case .integer: decimal(bytes.number)
    case .text where isText, .json where isText: jsonString(bytes)
    case .octets, .text, .json: jsonString(hex: bytes)
    case .items: write("[\(part.bytes.map { String($0) }.joined(separator: ","))]")
    case nil:
      switch bytes[0] {
      // There may be line ends between the brackets.
      case UInt8(ascii: "{"): write("{}")
      case UInt8(ascii: "["): write("[]")
      default: jsonText(bytes)
      }
    }
  }
}
