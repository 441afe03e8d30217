import Octets

/// Turns pieces of streams into streams, in the order in which they were captured: nothing else tells one.
///
/// Pieces between the same two endpoints, of the same stream where the capture numbers them, are one connection. Its
/// even stream is the side that talks to port 2195 or 2196, else the side that was seen first. Without endpoints, what
/// was sent is the even stream and what was received the odd one, as far as that is told.
struct CapturedChunks {
  private var conversations = IdleTable<Key, Conversation>()
  /// Bytes of latest pieces that all conversations keep.
  private var kept = 0

  /// Bytes of latest pieces that may be kept; beyond it the conversations that were idle the longest forget theirs.
  static let keptLimit = 4 << 20

  private struct Key: Hashable {
    let pair: EndpointPair?
    let stream: UInt32?
  }
}

extension CapturedChunks {
  /// Takes the next piece.
  /// - Parameter originalLength: of the whole packet on the wire.
  mutating func take(
    _ chunk: StreamChunk, in bytes: Span<UInt8>, originalLength: Int, origin: Origin.Packet,
    _ tally: inout Reassembler.Tally, into sink: inout some StreamSink & ~Copyable
  ) {
    // As with IP, a length that nothing captures is damage and no loss.
    let cut = originalLength.subtractingReportingOverflow(bytes.count)
    let missing = !cut.overflow && (0...(1 << 20)).contains(cut.partialValue) ? cut.partialValue : 0
    guard !chunk.payload.isEmpty || missing > 0 else { return }
    if missing > 0 { tally.cutPackets += 1 }
    tally.missingBytes += missing

    let (pair, side) = Self.route(of: chunk)
    let key = Key(pair: pair, stream: chunk.stream)
    let index = conversations.find(key) ?? add(key, seenFirst: side, &tally, into: &sink)
    kept -= conversations[index].kept
    conversations[index].take(
      bytes.extracting(chunk.payload), missing: missing, isCumulative: chunk.isCumulative(in: bytes), from: side,
      origin,
      into: &sink)
    kept += conversations[index].kept
    if kept > Self.keptLimit { forget() }
  }

  private mutating func forget() {
    var next = conversations.oldest
    while kept > Self.keptLimit / 2, let index = next {
      next = conversations.newer(than: index)
      kept -= conversations[index].kept
      conversations[index].forget()
    }
  }

  /// Closes conversations, those idle the longest first, until the sink holds no more than `limit` bytes.
  mutating func makeRoom(
    downTo limit: Int, _ tally: inout Reassembler.Tally, in sink: inout some StreamSink & ~Copyable
  ) {
    var next = conversations.oldest
    while sink.heldBytes > limit, let index = next {
      next = conversations.newer(than: index)
      guard conversations[index].streams.contains(where: { sink.heldBytes(of: $0) > 0 }) else { continue }
      drop(index, &tally, into: &sink)
    }
  }

  private mutating func drop(
    _ index: Int, _ tally: inout Reassembler.Tally, into sink: inout some StreamSink & ~Copyable
  ) {
    tally.droppedConnections += 1
    conversations[index].close(into: &sink)
    kept -= conversations[index].kept
    conversations[index].forget()
    conversations.remove(index)
  }

  private mutating func add(
    _ key: Key, seenFirst side: EndpointPair.Side, _ tally: inout Reassembler.Tally,
    into sink: inout some StreamSink & ~Copyable
  ) -> Int {
    if conversations.isFull, let oldest = conversations.oldest {
      drop(oldest, &tally, into: &sink)
    }
    defer { tally.connections += 1 }
    // Without a pair, the lower side is the one that sent.
    let opener = key.pair.map { $0.service?.opposite ?? side } ?? .lower
    return conversations.insert(Conversation(number: tally.connections, pair: key.pair, opener: opener), key)
  }

  /// Closes all streams.
  mutating func finish(into sink: inout some StreamSink & ~Copyable) {
    for index in conversations.all.sorted(by: { conversations[$0].number < conversations[$1].number }) {
      conversations[index].close(into: &sink)
    }
    conversations = IdleTable()
    kept = 0
  }

  private static func route(of chunk: StreamChunk) -> (EndpointPair?, EndpointPair.Side) {
    let isSent = chunk.direction != .received
    guard let source = chunk.source, let destination = chunk.destination else { return (nil, isSent ? .lower : .upper) }
    return EndpointPair.between(source, destination, isLower: isSent)
  }
}

extension CapturedChunks {
  private struct Conversation {
    let number: Int
    let pair: EndpointPair?
    let opener: EndpointPair.Side
    /// By side.
    private var directions = [Direction(), Direction()]

    struct Direction {
      var isOpen = false
      /// The latest piece, where pieces may begin with the one before.
      var latest: [UInt8] = []
      /// Missing bytes that the sink has not been told of, so that neighbouring losses become one gap.
      var owed = 0
    }

    init(number: Int, pair: EndpointPair?, opener: EndpointPair.Side) {
      self.number = number
      self.pair = pair
      self.opener = opener
    }

    mutating func take(
      _ piece: Span<UInt8>, missing: Int, isCumulative: Bool, from side: EndpointPair.Side, _ origin: Origin.Packet,
      into sink: inout some StreamSink & ~Copyable
    ) {
      var known = 0
      if isCumulative {
        if piece.begins(with: directions[side.rawValue].latest) { known = directions[side.rawValue].latest.count }
        directions[side.rawValue].latest = [UInt8](copying: piece)
      }
      let bytes = piece.extracting(known...)
      let stream = stream(from: side)
      if !directions[side.rawValue].isOpen { sink.open(stream) }
      directions[side.rawValue].isOpen = true
      if !bytes.isEmpty, sink.wantsMore {
        payGap(from: side, into: &sink)
        sink.append(bytes, from: .packet(origin), to: stream.number)
      }
      directions[side.rawValue].owed += missing
    }

    /// Bytes of its latest pieces.
    var kept: Int { directions.reduce(0) { $0 + $1.latest.count } }

    mutating func forget() {
      for side in directions.indices { directions[side].latest = [] }
    }

    /// The numbers of both streams.
    var streams: [Int] { [number * 2, number * 2 + 1] }

    mutating func close(into sink: inout some StreamSink & ~Copyable) {
      for side in [opener, opener.opposite] where directions[side.rawValue].isOpen {
        payGap(from: side, into: &sink)
        sink.close(stream(from: side).number, .open)
      }
      sink.forget(connection: number)
    }

    private mutating func payGap(from side: EndpointPair.Side, into sink: inout some StreamSink & ~Copyable) {
      let owed = directions[side.rawValue].owed
      if owed > 0, sink.wantsMore { sink.gap(of: owed, in: stream(from: side).number) }
      directions[side.rawValue].owed = 0
    }

    private func stream(from side: EndpointPair.Side) -> ByteStream {
      ByteStream(number: number * 2 + (side == opener ? 0 : 1), route: pair?.route(from: side), isDirected: true)
    }
  }
}
