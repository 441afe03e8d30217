/// One direction of a connection: puts segments in order and hands their bytes on.
///
/// Positions count bytes in 64 bits, from a sequence number that is known; sequence numbers themselves wrap. Three
/// things can be known of where the stream begins: nothing yet (data is held until it is clear what the lowest number
/// is), the number that a handshake gave, or the lowest number of a capture that began in the middle.
struct Direction {
  /// The sequence number of the SYN, where one was seen.
  private(set) var initialSequence: UInt32?
  /// Data, a FIN or a RST was seen.
  private(set) var isUsed = false
  /// The stream was opened, under a number that cannot change any more.
  private(set) var wasOpened = false

  /// The sequence number of position 0.
  private var reference: UInt32?
  /// Where the stream begins, once that is settled.
  private var start: Int?
  /// The position of the next byte to hand on.
  private var next = 0
  /// Where the FIN stands.
  private var end: Int?
  private var isOver = false
  private var held = HeldSegments()
  /// A single byte that came first of all and may be a keep-alive probe.
  private var probe: Int?
  /// Missing bytes that the sink has not been told yet, so that neighbouring losses become one gap.
  private var owed = 0
  /// The latest holes that were given up, to tell bytes that come too late from repeated ones.
  private var holes: [Range<Int>] = []

  /// What one direction may hold behind a hole before the hole is given up.
  static let holdLimit = 1 << 20
  /// What is held to find the lowest sequence number when no handshake was seen.
  static let startSegments = 16
  static let startBytes = 64 << 10
  /// No TCP window reaches further, so a number further away is damaged. Such a segment is counted and dropped: it
  /// would be a gap of gigabytes if it were believed.
  static let longestJump = 1 << 30
  static let rememberedHoles = 64
}

extension Direction {
  /// Takes a segment of this direction. The payload stands in `bytes` where the segment says.
  mutating func take(
    _ segment: TCPSegment, in bytes: Span<UInt8>, from origin: Origin.Packet, as stream: ByteStream,
    into sink: inout some StreamSink & ~Copyable, tally: inout Reassembler.Tally
  ) {
    if segment.flags.contains(.syn) {
      initialSequence = segment.sequence
      begin(with: segment.firstByte, as: stream, into: &sink, tally: &tally)
    }
    let isLast = segment.flags.contains(.fin)
    if segment.length > 0 || isLast {
      isUsed = true
      if let position = position(of: segment.firstByte) {
        if segment.length > 0 {
          place(segment, at: position, in: bytes, from: origin, as: stream, into: &sink, tally: &tally)
        }
        let last = position + segment.length
        if isLast, end == nil, last >= next || start == nil { end = last }
      } else {
        tally.strayBytes += segment.length
      }
      settle(as: stream, into: &sink, tally: &tally)
    }
    if segment.flags.contains(.rst) {
      isUsed = true
      // One that is behind what was sent is none of this connection's, and its peer ignored it too.
      if start != nil, let position = position(of: segment.firstByte), position >= next {
        finish(as: stream, into: &sink, tally: &tally)
      }
    }
  }

  /// The handshake tells the number of the first byte.
  mutating func begin(
    with firstByte: UInt32, as stream: ByteStream, into sink: inout some StreamSink & ~Copyable,
    tally: inout Reassembler.Tally
  ) {
    guard start == nil, !isOver, let position = position(of: firstByte) else { return }
    start = position
    next = position
    settle(as: stream, into: &sink, tally: &tally)
  }

  /// Whether a handshake that gives this first number can be the one of this direction.
  func accepts(firstByte: UInt32) -> Bool {
    if let initialSequence { return firstByte == initialSequence &+ 1 }
    guard let reference else { return !isOver }
    let position = next + distance(from: reference, to: firstByte)
    if let start { return position == start }
    guard let lowest = held.first?.position ?? end else { return true }
    return (0...Self.startBytes).contains(lowest - position)
  }

  /// Hands on what is held, with the holes declared, and closes the stream.
  mutating func finish(
    as stream: ByteStream, into sink: inout some StreamSink & ~Copyable, tally: inout Reassembler.Tally
  ) {
    guard !isOver else { return }
    if start == nil { beginAtLowest() }
    settle(as: stream, into: &sink, tally: &tally)
    while !isOver, let first = held.first {
      giveUpHole(before: first.position, tally: &tally)
      settle(as: stream, into: &sink, tally: &tally)
    }
    guard !isOver else { return }
    if start != nil, let end, end > next { giveUpHole(before: end, tally: &tally) }
    close(stream, in: &sink)
  }
}

// MARK: - Order

extension Direction {
  /// Nil when the number is too far from where the stream is.
  private mutating func position(of sequence: UInt32) -> Int? {
    guard let reference else {
      reference = sequence
      return 0
    }
    let distance = distance(from: reference, to: sequence)
    return distance.magnitude <= Self.longestJump ? next + distance : nil
  }

  /// How far a sequence number is from the next one, on the shorter way round.
  private func distance(from reference: UInt32, to sequence: UInt32) -> Int {
    Int(Int32(bitPattern: sequence &- (reference &+ UInt32(truncatingIfNeeded: next))))
  }

  private mutating func place(
    _ segment: TCPSegment, at position: Int, in bytes: Span<UInt8>, from origin: Origin.Packet,
    as stream: ByteStream, into sink: inout some StreamSink & ~Copyable, tally: inout Reassembler.Tally
  ) {
    let segmentEnd = position + segment.length
    if isOver {
      tally.strayBytes += max(0, segmentEnd - max(position, next))
    } else if start != nil, position <= next {
      release(
        bytes.extracting(segment.payload), missing: segment.missing, at: position, from: origin, as: stream,
        into: &sink, tally: &tally)
    } else {
      if start == nil, held.isEmpty, segment.mayBeKeepAlive { probe = position }
      held.insert(
        .init(position: position, bytes: bytes.copied(segment.payload), missing: segment.missing, origin: origin))
    }
  }

  /// Hands on all that is due, and closes the stream behind its last byte.
  private mutating func settle(
    as stream: ByteStream, into sink: inout some StreamSink & ~Copyable, tally: inout Reassembler.Tally
  ) {
    if start == nil, held.count >= Self.startSegments || held.byteCount >= Self.startBytes { beginAtLowest() }
    guard start != nil, !isOver else { return }
    while let first = held.first {
      if first.position > next {
        guard held.byteCount > Self.holdLimit else { break }
        giveUpHole(before: first.position, tally: &tally)
      }
      held.removeFirst()
      release(
        first.bytes.span, missing: first.missing, at: first.position, from: first.origin, as: stream, into: &sink,
        tally: &tally)
    }
    if let end, next >= end {
      while let stray = held.first {
        tally.strayBytes += stray.end - stray.position
        held.removeFirst()
      }
      close(stream, in: &sink)
    }
  }

  private mutating func beginAtLowest() {
    if let first = held.first, first.position == probe, first.end == first.position + 1 { held.removeFirst() }
    guard let first = held.first else { return }
    start = first.position
    next = first.position
  }

  /// - Parameter position: not behind `next`.
  private mutating func release(
    _ bytes: Span<UInt8>, missing: Int, at position: Int, from origin: Origin.Packet, as stream: ByteStream,
    into sink: inout some StreamSink & ~Copyable, tally: inout Reassembler.Tally
  ) {
    let capturedEnd = position + bytes.count
    countLate(position..<capturedEnd, tally: &tally)
    if capturedEnd > next {
      payGap(of: stream, in: &sink)
      if sink.wantsMore {
        sink.append(bytes.extracting((next - position)...), from: .packet(origin), to: stream.number)
      }
      next = capturedEnd
    }
    if capturedEnd + missing > next {
      owed += capturedEnd + missing - next
      next = capturedEnd + missing
    }
  }
}

// MARK: - Loss

extension Direction {
  private mutating func giveUpHole(before position: Int, tally: inout Reassembler.Tally) {
    owed += position - next
    tally.missingBytes += position - next
    holes.append(next..<position)
    if holes.count > Self.rememberedHoles { holes.removeFirst() }
    next = position
  }

  private mutating func countLate(_ range: Range<Int>, tally: inout Reassembler.Tally) {
    guard let start, range.lowerBound < next else { return }
    // A keep-alive probe repeats the last byte that was sent, which may be the one before the start.
    if range.count == 1, range.lowerBound == next - 1 { return }
    tally.lateBytes += max(0, min(range.upperBound, start) - range.lowerBound)
    for hole in holes { tally.lateBytes += hole.clamped(to: range).count }
  }

  private mutating func payGap(of stream: ByteStream, in sink: inout some StreamSink & ~Copyable) {
    if !wasOpened {
      sink.open(stream)
      wasOpened = true
    }
    if owed > 0 {
      if sink.wantsMore { sink.gap(of: owed, in: stream.number) }
      owed = 0
    }
  }

  private mutating func close(_ stream: ByteStream, in sink: inout some StreamSink & ~Copyable) {
    if owed > 0 { payGap(of: stream, in: &sink) }
    if wasOpened { sink.close(stream.number) }
    isOver = true
  }
}

extension Span<UInt8> {
  fileprivate func copied(_ range: Range<Int>) -> [UInt8] {
    var copy: [UInt8] = []
    copy.reserveCapacity(range.count)
    for index in range { copy.append(self[index]) }
    return copy
  }
}
