import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSWire

/// The offsets of the records that match a filter, such as `payload.aps.badge > 5`.
public func offsets(of filter: String, in bytes: [UInt8]) throws(FilterError) -> [Int] {
  var dissector = Dissector(.standard, into: Matches(filter: try Filter(filter, names: .standard)))
  dissector.open(ByteStream(number: 0))
  dissector.append(bytes.span, from: .input(offset: 0), to: 0)
  dissector.finish()
  return dissector.records.offsets
}

struct Matches: RecordSink {
  let filter: Filter
  var offsets: [Int] = []
  var wantsMore: Bool { true }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    if filter.accepts(record, bytes) { offsets.append(record.offset) }
  }
}
