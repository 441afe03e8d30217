import APNSDiagnosis
import APNSWire

/// Pairs the connections of two inputs: by what the side with the first role sent, then by order.
struct ConnectionPairing: Pairing {
  let a: [RecordLog.Connection]
  let b: [RecordLog.Connection]
  private let parts: RecordParts
  private var comparer: ContentComparer

  init(_ a: [RecordLog.Connection], _ b: [RecordLog.Connection], _ parts: RecordParts) {
    self.a = a
    self.b = b
    self.parts = parts
    comparer = ContentComparer(parts)
  }

  var count: (a: Int, b: Int) { (a.count, b.count) }

  mutating func isEqual(_ one: Int, _ other: Int) -> Bool {
    let (ones, others) = (a[one].streams, b[other].streams)
    return ones.map(\.roleOrder) == others.map(\.roleOrder)
      && zip(ones, others).allSatisfy { comparer.isEqual($0, $1) }
  }

  func isGreater(_ one: Int, than other: Int) -> Bool {
    let (ones, others) = (a[one].streams, b[other].streams)
    for (one, other) in zip(ones, others) {
      if let isGreater = one.isGreater(from: 0, than: other, from: 0) { return isGreater }
    }
    return ones.count > others.count
  }

  func items(_ ones: Range<Int>, _ others: Range<Int>) -> (a: [Alignment.Item], b: [Alignment.Item]) {
    // Answers don't count: a connection whose answers changed has the same partner.
    var numbering = StreamNumbering(parts)
    func item(_ connection: RecordLog.Connection) -> Alignment.Item {
      Alignment.Item(content: numbering.number(connection.streams[0]), kind: connection.kind)
    }
    return (a[ones].map(item), b[others].map(item))
  }
}

extension RecordLog.Connection {
  /// By order, connections are paired only if they are with the same service. Either side of a connection to the gateway
  /// may be missing.
  fileprivate var kind: Int32 {
    streams[0].role == .gateway ? Int32(StreamRole.provider.rawValue) : streams[0].roleOrder
  }
}
