import APNSDiagnosis

/// Records in memory, with their bytes.
package struct RecordBatch: Sendable {
  /// Each record, and where it ends in `bytes`.
  private var records: [(record: Record, end: Int)] = []
  package private(set) var bytes: [UInt8] = []
  private var findings = 0

  package init() {}

  package var count: Int { records.count }

  /// The size in bytes. A finding counts as 512.
  package var size: Int { bytes.count + findings << 9 }

  package mutating func add(_ record: Record, _ span: Span<UInt8>) {
    bytes.append(contentsOf: span)
    records.append((record, bytes.count))
    findings += record.findings.count
  }

  /// A record with a copy of its bytes.
  subscript(index: Int) -> (record: Record, bytes: [UInt8]) { (records[index].record, Array(bytes[range(of: index)])) }

  private func range(of index: Int) -> Range<Int> { (index == 0 ? 0 : records[index - 1].end)..<records[index].end }

  package func write(_ indices: Range<Int>, through view: inout any View, to out: inout Output) {
    for index in indices { view.show(records[index].record, bytes.span.extracting(range(of: index)), to: &out) }
  }

  /// Removes all records, and keeps the memory for others.
  package mutating func clear() {
    records.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    findings = 0
  }
}
