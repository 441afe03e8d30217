import APNSDiagnosis
import APNSWire
import Octets

/// Collects the bytes of streams without gaps and overlaps.
struct StreamBytes: RecordSink {
  private(set) var all: [Stream] = []
  private var indices: [Int: Int] = [:]

  struct Stream {
    let number: Int
    var role: StreamRole?
    var bytes: [UInt8] = []
  }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    switch record.content {
    case .gap, .overlap: return
    default: break
    }
    let index = indices[record.stream.number] ?? all.count
    if index == all.count {
      indices[record.stream.number] = index
      all.append(Stream(number: record.stream.number))
    }
    all[index].role = all[index].role ?? record.role
    all[index].bytes.append(contentsOf: bytes)
  }
}

extension InputOptions {
  /// Reads the streams of all sources; throws if any of them fails.
  func streams(_ settings: StreamSettings) throws(Failure) -> [StreamBytes.Stream] {
    var dissector = settings.dissector(into: StreamBytes())
    if let failure = read(try sources(), by: settings.definitions, into: &dissector).failures.first { throw failure }
    return dissector.records.all
  }
}
