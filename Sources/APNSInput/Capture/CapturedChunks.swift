/// Turns pieces of streams into streams, in the order in which they were captured: nothing else tells one.
///
/// Pieces between the same two endpoints, of the same stream where the capture numbers them, are one connection. Its
/// even stream is the side that talks to port 2195 or 2196, else the side that was seen first. Without endpoints, what
/// was sent is the even stream and what was received the odd one, as far as that is told.
struct CapturedChunks {
  private var conversations: [Key: Conversation] = [:]

  private struct Key: Hashable {
    let pair: EndpointPair?
    let stream: UInt32?
  }
}

extension CapturedChunks {
  /// Takes the next piece, and tells how many bytes of it the snap length cut off.
  /// - Parameters:
  ///   - originalLength: of the whole packet on the wire.
  ///   - nextConnection: the number of the next new connection.
  mutating func take(
    _ chunk: StreamChunk, in bytes: Span<UInt8>, originalLength: Int, origin: Origin.Packet,
    numberedBy nextConnection: inout Int, into sink: inout some StreamSink & ~Copyable
  ) -> Int {
    // As with IP, a length that nothing captures is damage and no loss.
    let cut = originalLength.subtractingReportingOverflow(bytes.count)
    let missing = !cut.overflow && (0...(1 << 20)).contains(cut.partialValue) ? cut.partialValue : 0
    guard !chunk.payload.isEmpty || missing > 0 else { return 0 }

    let (pair, side) = Self.route(of: chunk)
    let key = Key(pair: pair, stream: chunk.stream)
    if conversations[key] == nil {
      // Without a pair, the lower side is the one that sent.
      let opener = pair.map { $0.service?.opposite ?? side } ?? .lower
      conversations[key] = Conversation(number: nextConnection, pair: pair, opener: opener)
      nextConnection += 1
    }
    conversations[key]?.take(bytes.extracting(chunk.payload), missing: missing, from: side, origin, into: &sink)
    return missing
  }

  /// Closes all streams.
  mutating func finish(into sink: inout some StreamSink & ~Copyable) {
    for var conversation in conversations.values.sorted(by: { $0.number < $1.number }) {
      conversation.close(into: &sink)
    }
    conversations = [:]
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
      /// Missing bytes that the sink has not been told of, so that neighbouring losses become one gap.
      var owed = 0
    }

    init(number: Int, pair: EndpointPair?, opener: EndpointPair.Side) {
      self.number = number
      self.pair = pair
      self.opener = opener
    }

    mutating func take(
      _ bytes: Span<UInt8>, missing: Int, from side: EndpointPair.Side, _ origin: Origin.Packet,
      into sink: inout some StreamSink & ~Copyable
    ) {
      let stream = stream(from: side)
      if !directions[side.rawValue].isOpen { sink.open(stream) }
      directions[side.rawValue].isOpen = true
      if !bytes.isEmpty, sink.wantsMore {
        payGap(from: side, into: &sink)
        sink.append(bytes, from: .packet(origin), to: stream.number)
      }
      directions[side.rawValue].owed += missing
    }

    mutating func close(into sink: inout some StreamSink & ~Copyable) {
      for side in [opener, opener.opposite] where directions[side.rawValue].isOpen {
        payGap(from: side, into: &sink)
        sink.close(stream(from: side).number)
      }
    }

    private mutating func payGap(from side: EndpointPair.Side, into sink: inout some StreamSink & ~Copyable) {
      let owed = directions[side.rawValue].owed
      if owed > 0, sink.wantsMore { sink.gap(of: owed, in: stream(from: side).number) }
      directions[side.rawValue].owed = 0
    }

    private func stream(from side: EndpointPair.Side) -> ByteStream {
      ByteStream(number: number * 2 + (side == opener ? 0 : 1), route: pair?.route(from: side))
    }
  }
}
