import APNSDiagnosis
import APNSWire

/// Writes a summary of all records on one screen, at the end. Records are only counted; memory stays below 16 MiB.
public struct SummaryView: View {
  private let members: Members
  let terminal: Terminal
  var catalog: Catalog { members.catalog }
  package private(set) var counts: SummaryCounts

  /// A summary of no records yet.
  public init(_ catalog: Catalog, terminal: Terminal = Terminal()) {
    members = Members(catalog)
    self.terminal = terminal
    counts = SummaryCounts(types: catalog.schemas.count)
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    counts.add(record)
    switch record.content {
    case .frame(let frame, let condition):
      counts.add(members.catalog.index(of: frame), condition, of: record)
      members.forEach(of: frame, in: bytes) { member in
        guard member.kind == .value else { return }
        let field = catalog.fields[Int(member.leaf.field)]
        switch field.role {
        case .token: counts.add(token: bytes.extracting(member.range))
        case .status where field.size == 1: counts.statuses[Int(bytes[member.leaf.start])] += 1
        default: if field.isJSON { counts.payloads.add(member.leaf.count) }
        }
      }
    case .unparsed(let reason): counts.unparsed[reason, default: .init()].add(record.count)
    case .gap: counts.gaps.add(record.count)
    case .overlap: counts.overlaps.add(bytes.count)
    }
  }

  public var saysRemarks: Bool { true }

  public mutating func note(_ remark: String) { counts.note(remark) }
}
