extension Reassembler {
  /// Counts of the contents of a capture, including what could not be read.
  package struct Tally: Sendable, Hashable {
    /// All packets.
    public internal(set) var packets = 0
    /// TCP packets with a valid header.
    public internal(set) var tcpPackets = 0
    /// Connections, numbered from 0 to one less than this.
    public internal(set) var connections = 0
    /// Packets that contain neither IP nor an exported stream.
    public internal(set) var notIP = 0
    /// IP packets of a protocol other than TCP.
    public internal(set) var notTCP = 0
    /// Packets whose IP or TCP header is cut or invalid.
    public internal(set) var damagedHeaders = 0
    /// IP fragments whose other fragments are missing. Their bytes become a gap.
    public internal(set) var fragments = 0
    /// Packets whose payload was cut by the snap length.
    public internal(set) var cutPackets = 0
    /// Bytes missing from the capture: cut by the snap length or never recorded.
    public internal(set) var missingBytes = 0
    /// Bytes that arrived after their position was skipped: before the assumed start of a stream, or in a declared gap.
    public internal(set) var lateBytes = 0
    /// Bytes far outside the connection's sequence numbers, or after its end.
    public internal(set) var strayBytes = 0
    /// Retransmitted bytes that differ from the first transmission.
    public internal(set) var overlappingBytes = 0
    /// Retransmitted bytes that arrived too late to be compared.
    public internal(set) var uncomparedBytes = 0
    /// Longest-idle connections that were closed before their end to bound memory.
    public internal(set) var droppedConnections = 0
  }
}

extension Reassembler.Tally: CustomStringConvertible {
  /// What could not be read, in one line; empty if everything was read.
  package var description: String { text(withRecorded: true) }

  /// The part of the description that is not visible in the output as a gap or overlap.
  package var unrecorded: String { text(withRecorded: false) }

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

/// State shared by all directions of a capture.
struct SharedState: ~Copyable {
  var tally = Reassembler.Tally()
  var recent = RecentBytes()
  /// What the current packet delivers.
  var streams = RecordedStreams()
}
