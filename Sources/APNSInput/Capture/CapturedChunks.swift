import Octets

/// Assembles streams from pieces that were exported without TCP. Without sequence numbers, the order of capture is the
/// order of the stream.
///
/// Pieces with the same two endpoints and the same stream number (if the capture has one) form a connection. Its even
/// stream is sent by the side that talks to port 2195 or 2196, otherwise by the side seen first. Without endpoints,
/// sent pieces form the even stream and received pieces the odd one; pieces without a direction count as sent.
struct CapturedChunks {
  private var connections = IdleTable<Key, ChunkConnection>()
  /// Bytes of cumulative pieces that all connections keep for comparison.
  private var rememberedBytes = 0

  /// The limit of `rememberedBytes`. When it is exceeded, the longest-idle connections drop theirs.
  static let rememberedLimit = 4 << 20

  private struct Key: Hashable {
    let pair: EndpointPair?
    let stream: UInt32?
  }
}

extension CapturedChunks {
  /// Adds the next piece.
  /// - Parameter originalLength: Bytes of the complete packet on the wire.
  mutating func accept(
    _ chunk: StreamChunk, in bytes: Span<UInt8>, originalLength: Int, origin: Origin.Packet,
    _ tally: inout Reassembler.Tally, into sink: inout some StreamSink & ~Copyable
  ) {
    // As for IP packets, an implausible original length is treated as damage, not as loss.
    let cut = originalLength.subtractingReportingOverflow(bytes.count)
    let missing = !cut.overflow && (0...(1 << 20)).contains(cut.partialValue) ? cut.partialValue : 0
    guard !chunk.payload.isEmpty || missing > 0 else { return }
    if missing > 0 { tally.cutPackets += 1 }
    tally.missingBytes += missing

    let (pair, side) = Self.route(of: chunk)
    let key = Key(pair: pair, stream: chunk.stream)
    let index = connections.find(key) ?? add(key, seenFirst: side, &tally, into: &sink)
    rememberedBytes -= connections[index].rememberedBytes
    connections[index].accept(
      bytes.extracting(chunk.payload), missing: missing, isCumulative: chunk.isCumulative(in: bytes), from: side,
      origin,
      into: &sink)
    rememberedBytes += connections[index].rememberedBytes
    if rememberedBytes > Self.rememberedLimit { forget() }
  }

  private mutating func forget() {
    var next = connections.oldest
    while rememberedBytes > Self.rememberedLimit / 2, let index = next {
      next = connections.newer(than: index)
      rememberedBytes -= connections[index].rememberedBytes
      connections[index].forget()
    }
  }

  /// Closes the longest-idle connections until the sink holds at most `limit` bytes.
  mutating func releaseMemory(
    downTo limit: Int, _ tally: inout Reassembler.Tally, in sink: inout some StreamSink & ~Copyable
  ) {
    var next = connections.oldest
    while sink.heldBytes > limit, let index = next {
      next = connections.newer(than: index)
      guard connections[index].streams.contains(where: { sink.heldBytes(of: $0) > 0 }) else { continue }
      drop(index, &tally, into: &sink)
    }
  }

  private mutating func drop(
    _ index: Int, _ tally: inout Reassembler.Tally, into sink: inout some StreamSink & ~Copyable
  ) {
    tally.droppedConnections += 1
    connections[index].close(into: &sink)
    rememberedBytes -= connections[index].rememberedBytes
    connections[index].forget()
    connections.remove(index)
  }

  private mutating func add(
    _ key: Key, seenFirst side: EndpointPair.Side, _ tally: inout Reassembler.Tally,
    into sink: inout some StreamSink & ~Copyable
  ) -> Int {
    if connections.isFull, let oldest = connections.oldest {
      drop(oldest, &tally, into: &sink)
    }
    defer { tally.connections += 1 }
    // Without endpoints, `route(of:)` assigns sent pieces to the lower side.
    let opener = key.pair.map { $0.service?.opposite ?? side } ?? .lower
    return connections.insert(ChunkConnection(number: tally.connections, pair: key.pair, opener: opener), key)
  }

  /// Closes all streams.
  mutating func finish(into sink: inout some StreamSink & ~Copyable) {
    for index in connections.all.sorted(by: { connections[$0].number < connections[$1].number }) {
      connections[index].close(into: &sink)
    }
    connections = IdleTable()
    rememberedBytes = 0
  }

  private static func route(of chunk: StreamChunk) -> (EndpointPair?, EndpointPair.Side) {
    let isSent = chunk.direction != .received
    guard let source = chunk.source, let destination = chunk.destination else { return (nil, isSent ? .lower : .upper) }
    return EndpointPair.between(source, destination, isLower: isSent)
  }
}

extension CapturedChunks {
  private struct ChunkConnection {
    let number: Int
    let pair: EndpointPair?
    let opener: EndpointPair.Side
    /// Indexed by side.
    private var halves = [Half(), Half()]

    struct Half {
      var isOpen = false
      /// The latest piece if pieces are cumulative: the next piece may begin with all of it.
      var latest: [UInt8] = []
      /// Missing bytes not yet reported to the sink, so that adjacent losses become one gap.
      var pendingGap = 0
    }

    init(number: Int, pair: EndpointPair?, opener: EndpointPair.Side) {
      self.number = number
      self.pair = pair
      self.opener = opener
    }

    mutating func accept(
      _ piece: Span<UInt8>, missing: Int, isCumulative: Bool, from side: EndpointPair.Side, _ origin: Origin.Packet,
      into sink: inout some StreamSink & ~Copyable
    ) {
      var known = 0
      if isCumulative {
        if piece.begins(with: halves[side.rawValue].latest) { known = halves[side.rawValue].latest.count }
        halves[side.rawValue].latest = [UInt8](copying: piece)
      }
      let bytes = piece.extracting(known...)
      let stream = stream(from: side)
      if !halves[side.rawValue].isOpen { sink.open(stream) }
      halves[side.rawValue].isOpen = true
      if !bytes.isEmpty, sink.wantsMore {
        flushGap(from: side, into: &sink)
        sink.append(bytes, from: .packet(origin), to: stream.number)
      }
      halves[side.rawValue].pendingGap += missing
    }

    /// Bytes kept of the latest cumulative pieces.
    var rememberedBytes: Int { halves.reduce(0) { $0 + $1.latest.count } }

    mutating func forget() {
      for side in halves.indices { halves[side].latest = [] }
    }

    /// The numbers of the connection's two streams.
    var streams: [Int] { [number * 2, number * 2 + 1] }

    mutating func close(into sink: inout some StreamSink & ~Copyable) {
      for side in [opener, opener.opposite] where halves[side.rawValue].isOpen {
        flushGap(from: side, into: &sink)
        sink.close(stream(from: side).number, .open)
      }
      sink.forget(connection: number)
    }

    private mutating func flushGap(from side: EndpointPair.Side, into sink: inout some StreamSink & ~Copyable) {
      let pendingGap = halves[side.rawValue].pendingGap
      if pendingGap > 0, sink.wantsMore { sink.gap(of: pendingGap, in: stream(from: side).number) }
      halves[side.rawValue].pendingGap = 0
    }

    private func stream(from side: EndpointPair.Side) -> ByteStream {
      ByteStream(number: number * 2 + (side == opener ? 0 : 1), route: pair?.route(from: side), isDirected: true)
    }
  }
}
