import APNSDiagnosis
import APNSInput
import APNSPayload
import APNSQuery
import Octets

/// Writes selected fields in columns: one line for each record, tabs between columns, commas between values of a
/// column.
///
/// Values are written as in NDJSON, strings without quotes. Backslashes, tabs, line ends and characters that are unsafe
/// on a terminal are escaped. Values that are JSON (`payload`, objects, arrays) are written as compact JSON, with
/// JSON's escapes.
public struct FieldsView: View {
  public static var showsEachAlone: Bool { true }
  private let columns: [QueryField]
  /// The line before the next record.
  private var header: String

  /// `hasHeader`: the first line has the names of the columns.
  public init(_ columns: [QueryField], hasHeader: Bool = false) {
    self.columns = columns
    let names = columns.map { column in Output.text { $0.columnText(column.name) } }
    header = hasHeader ? names.joined(separator: "\t") + "\n" : ""
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    out.write(header)
    header = ""
    for index in columns.indices {
      if index > 0 { out.byte(UInt8(ascii: "\t")) }
      let kind = columns[index].kind
      var isFirst = true
      columns[index].walk(record, bytes) { value in
        if !isFirst { out.byte(UInt8(ascii: ",")) }
        isFirst = false
        out.column(value, kind, bytes)
        return true
      }
    }
    out.byte(UInt8(ascii: "\n"))
  }

  public func finish(to out: inout Output) { out.write(header) }
}

extension Output {
  fileprivate mutating func column(_ value: FieldValue, _ kind: QueryField.Kind, _ bytes: Span<UInt8>) {
    switch (value, kind) {
    case (.number(let number), _): decimal(number)
    case (.octets(let range), .json): columnJSON(bytes, range)
    case (.octets(let range), .text): columnText(bytes, range)
    case (.octets(let range), _): hex(bytes.extracting(range))
    case (.text(let text), _): columnText(text)
    case (.endpoint(let endpoint), _): write(endpoint.description)
    case (.time(let time), _): self.time(time)
    case (.json(.string, let range), _):
      if let text = JSONValue.unescape(range, in: bytes) {
        columnText(text.span, 0..<text.count)
      } else {
        columnText(bytes, range)
      }
    case (.json(_, let range), _): columnJSON(bytes, range)
    }
  }

  fileprivate mutating func columnText(_ text: String) { columnText(text.utf8.span, 0..<text.utf8.count) }

  /// Writes well-formed JSON without white space, anything else as text.
  private mutating func columnJSON(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    guard let compact = try? JSONValue.compact(bytes, range: range) else { return columnText(bytes, range) }
    jsonText(compact.span)
  }
}
