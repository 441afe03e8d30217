extension Reassembler {
  /// Counts of what a capture held, for a sentence about what could not be read.
  public struct Tally: Sendable, Hashable {
    public internal(set) var packets = 0
    public internal(set) var tcpPackets = 0
    public internal(set) var connections = 0
    public internal(set) var notIP = 0
    /// IP, but another protocol than TCP.
    public internal(set) var notTCP = 0
    /// Packets whose IP or TCP header is cut or makes no sense.
    public internal(set) var damagedHeaders = 0
    /// Pieces of IP packets whose other pieces never came. What they carried becomes a gap.
    public internal(set) var fragments = 0
    /// Packets whose payload the snap length cut.
    public internal(set) var cutPackets = 0
    /// Bytes that the capture lacks: cut by the snap length, or never recorded.
    public internal(set) var missingBytes = 0
    /// Bytes that came when their place was already given up: before a start in the middle, or in a declared gap.
    public internal(set) var lateBytes = 0
    /// Bytes far outside of what the connection could be sending, or behind its end.
    public internal(set) var strayBytes = 0
    /// Bytes that came twice and were not the same.
    public internal(set) var overlappingBytes = 0
    /// Bytes that came again so much later that they could not be compared.
    public internal(set) var uncomparedBytes = 0
    /// Connections that were closed before their end, having been idle the longest, to bound memory.
    public internal(set) var droppedConnections = 0
  }
}

extension Reassembler.Tally: CustomStringConvertible {
  /// What was not read, in one line; empty when all was.
  public var description: String { text(withRecorded: true) }

  /// As much of it as no gap and no overlap shows.
  public var unrecorded: String { text(withRecorded: false) }

  private func text(withRecorded: Bool) -> String {
    let parts: [(count: Int, one: String, many: String)] = [
      (notIP, "packet is not IP", "packets are not IP"),
      (notTCP, "packet is not TCP", "packets are not TCP"),
      (damagedHeaders, "packet has a damaged header", "packets have damaged headers"),
      (fragments, "IP fragment without its other pieces", "IP fragments without their other pieces"),
      (cutPackets, "packet was cut by the snap length", "packets were cut by the snap length"),
      (withRecorded ? missingBytes : 0, "byte is missing", "bytes are missing"),
      (lateBytes, "byte arrived too late", "bytes arrived too late"),
      (strayBytes, "byte does not fit into its stream", "bytes do not fit into their streams"),
      (withRecorded ? overlappingBytes : 0, "byte was sent twice and differs", "bytes were sent twice and differ"),
      (uncomparedBytes, "byte was sent again too late to compare", "bytes were sent again too late to compare"),
      (
        droppedConnections, "connection, idle the longest, was closed early to limit memory",
        "connections, idle the longest, were closed early to limit memory"
      ),
    ]
    return parts.filter { $0.count > 0 }.map { "\($0.count) \($0.count == 1 ? $0.one : $0.many)" }
      .joined(separator: ", ")
  }
}

/// What all directions of a capture share.
struct Ledger {
  var tally = Reassembler.Tally()
  var recent = RecentBytes()
}
