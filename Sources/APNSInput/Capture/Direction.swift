import Octets

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
  /// Nothing more comes of it.
  private(set) var isOver = false
  /// A handshake gave the number of its first byte.
  private var wasGreeted = false

  /// The sequence number of position 0.
  private var reference: UInt32?
  /// Where the stream begins, once that is settled.
  private var start: Int?
  /// The position of the next byte to hand on.
  private var next = 0
  /// Where the FIN stands, or a RST.
  private var end: Int?
  private var ending = StreamEnding.open
  /// The other side closed first.
  private var isLeft = false
  private var held = HeldSegments()
  /// A single byte before all others that may be a keep-alive probe.
  private var probe: Int?
  /// How far the peer has all bytes, as long as the start is not settled.
  private var acknowledged: UInt32?
  /// Missing bytes that the sink has not been told yet, so that neighbouring losses become one gap.
  private var owed = 0
  /// The latest holes that were given up, to tell bytes that come too late from repeated ones.
  private var holes: [Range<Int>] = []
  /// The latest run that was handed on.
  private var latestRun: Int?

  /// What one direction may hold behind a hole before the hole is given up.
  static let holdLimit = 1 << 20
  /// What is held to find the lowest sequence number when no handshake was seen.
  static let startBytes = 256 << 10
  /// No TCP window reaches further, so a number further away is damaged. Such a segment is counted and dropped: it
  /// would be a gap of gigabytes if it were believed.
  static let longestJump = 1 << 30
  static let rememberedHoles = 64
}

extension Direction {
  /// Takes a segment of this direction. The payload stands in `bytes` where the segment says.
  mutating func take(
    _ segment: TCPSegment, in bytes: Span<UInt8>, from origin: Origin.Packet, as stream: ByteStream,
    into sink: inout some StreamSink & ~Copyable, _ ledger: inout Ledger
  ) {
    if segment.flags.contains(.syn) {
      initialSequence = segment.sequence
      begin(with: segment.firstByte, as: stream, into: &sink, &ledger)
    }
    let isLast = segment.flags.contains(.fin)
    if segment.length > 0 || isLast {
      isUsed = true
      if let position = position(of: segment.firstByte) {
        if segment.length > 0 {
          place(segment, at: position, in: bytes, from: origin, as: stream, into: &sink, &ledger)
        }
        let last = position + segment.length
        if isLast, end == nil, last >= next || start == nil {
          (end, ending) = (last, isLeft ? .finishedAfterPeer : .finished)
        }
        // Data behind it shows that it was not the end.
        if let end, segment.length > 0, last > end { self.end = last }
      } else {
        ledger.tally.strayBytes += segment.length
      }
      settle(as: stream, into: &sink, &ledger)
    }
    if segment.flags.contains(.rst) {
      isUsed = true
      // One that is behind what was sent is none of this connection's, and its peer ignored it too. What stands before
      // it may still come: the capture may have its packets in another order.
      if start != nil, end == nil, let position = position(of: segment.firstByte), position >= next {
        (end, ending) = (position, .reset)
        settle(as: stream, into: &sink, &ledger)
      }
    }
  }

  /// The handshake tells the number of the first byte.
  mutating func begin(
    with firstByte: UInt32, as stream: ByteStream, into sink: inout some StreamSink & ~Copyable,
    _ ledger: inout Ledger
  ) {
    guard start == nil, !isOver, let position = position(of: firstByte) else { return }
    start = position
    next = position
    wasGreeted = true
    settle(as: stream, into: &sink, &ledger)
  }

  /// A FIN or a RST was seen.
  var hasEnd: Bool { end != nil }

  /// The other side has closed, and this one has not.
  mutating func noteEndOfPeer() {
    if end == nil { isLeft = true }
  }

  /// The peer has all bytes before this number.
  mutating func acknowledge(_ number: UInt32) {
    if start == nil { acknowledged = number }
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

  /// About what held segments and remembered holes take in memory, in bytes.
  var footprint: Int { held.footprint + holes.capacity * MemoryLayout<Range<Int>>.stride }

  /// Data is held because it may not be the first.
  var isWaitingForStart: Bool { start == nil && !held.isEmpty }

  /// The capture has come to this time. Segments are captured out of order within moments: nothing that precedes a
  /// segment still comes once the peer has acknowledged it and a second has passed.
  mutating func wait(
    until time: CaptureTime, as stream: ByteStream, into sink: inout some StreamSink & ~Copyable, _ ledger: inout Ledger
  ) {
    guard start == nil, let reference, let acknowledged, let first = held.first else { return }
    guard next + distance(from: reference, to: acknowledged) > first.position else { return }
    guard let arrival = first.origin.time, arrival.isSecond(before: time) else { return }
    beginAtLowest()
    settle(as: stream, into: &sink, &ledger)
  }

  /// Hands on what is held, with the holes declared, and forgets what takes memory.
  mutating func release(as stream: ByteStream, into sink: inout some StreamSink & ~Copyable, _ ledger: inout Ledger) {
    guard !isOver else { return }
    if start == nil { beginAtLowest() }
    settle(as: stream, into: &sink, &ledger)
    while !isOver, let first = held.first {
      giveUpHole(before: first.position, &ledger)
      settle(as: stream, into: &sink, &ledger)
    }
    // What comes for them now counts as not compared.
    holes = []
  }

  /// Hands on what is held, and closes the stream.
  mutating func finish(as stream: ByteStream, into sink: inout some StreamSink & ~Copyable, _ ledger: inout Ledger) {
    release(as: stream, into: &sink, &ledger)
    guard !isOver else { return }
    if start != nil, let end, end > next { giveUpHole(before: end, &ledger) }
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
    as stream: ByteStream, into sink: inout some StreamSink & ~Copyable, _ ledger: inout Ledger
  ) {
    let segmentEnd = position + segment.length
    if isOver {
      ledger.tally.strayBytes += max(0, segmentEnd - max(position, next))
    } else if start != nil, position <= next {
      handOn(
        bytes.extracting(segment.payload), missing: segment.missing, mayBeProbe: segment.mayBeKeepAlive, at: position,
        from: origin, as: stream, into: &sink, &ledger)
    } else {
      if start == nil, segment.mayBeKeepAlive, position < held.first?.position ?? .max { probe = position }
      let copy = [UInt8](copying: bytes.extracting(segment.payload))
      held.insert(
        .init(
          position: position, bytes: copy, missing: segment.missing, mayBeProbe: segment.mayBeKeepAlive, origin: origin)
      )
    }
  }

  /// Hands on all that is due, and closes the stream behind its last byte.
  private mutating func settle(
    as stream: ByteStream, into sink: inout some StreamSink & ~Copyable, _ ledger: inout Ledger
  ) {
    if start == nil, held.byteCount >= Self.startBytes { beginAtLowest() }
    guard start != nil, !isOver else { return }
    while let first = held.first {
      if first.position > next {
        guard held.byteCount > Self.holdLimit else { break }
        giveUpHole(before: first.position, &ledger)
      }
      held.removeFirst()
      handOn(
        first.bytes.span, missing: first.missing, mayBeProbe: first.mayBeProbe, at: first.position, from: first.origin,
        as: stream, into: &sink, &ledger)
    }
    if let end, next >= end {
      while let stray = held.first {
        ledger.tally.strayBytes += stray.end - stray.position
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
  private mutating func handOn(
    _ bytes: Span<UInt8>, missing: Int, mayBeProbe: Bool, at position: Int, from origin: Origin.Packet,
    as stream: ByteStream, into sink: inout some StreamSink & ~Copyable, _ ledger: inout Ledger
  ) {
    let capturedEnd = position + bytes.count
    // A keep-alive probe repeats the last byte that was sent, or sends any byte in its place.
    let isProbe = mayBeProbe && position == next - 1
    if position < next, !isProbe { weigh(bytes, at: position, from: origin, as: stream, into: &sink, &ledger) }
    if capturedEnd > next {
      payGap(of: stream, in: &sink)
      let new = bytes.extracting((next - position)...)
      if sink.wantsMore { sink.append(new, from: .packet(origin), to: stream.number) }
      latestRun = ledger.recent.append(new, at: next, previous: latestRun)
      next = capturedEnd
    }
    if capturedEnd + missing > next { giveUpHole(before: capturedEnd + missing, &ledger) }
  }
}

// MARK: - Loss and contradiction

extension Direction {
  private mutating func giveUpHole(before position: Int, _ ledger: inout Ledger) {
    owed += position - next
    ledger.tally.missingBytes += position - next
    holes.append(next..<position)
    if holes.count > Self.rememberedHoles { holes.removeFirst() }
    next = position
  }

  /// Bytes for places that were passed: repeated, or too late for a hole, or others than those handed on.
  private mutating func weigh(
    _ bytes: Span<UInt8>, at position: Int, from origin: Origin.Packet, as stream: ByteStream,
    into sink: inout some StreamSink & ~Copyable, _ ledger: inout Ledger
  ) {
    guard let start else { return }
    var repeated = position..<min(position + bytes.count, next)
    let early = max(0, min(repeated.upperBound, start) - repeated.lowerBound)
    var late = early
    for hole in holes { late += hole.clamped(to: repeated).count }
    ledger.tally.lateBytes += late
    repeated = min(repeated.lowerBound + early, repeated.upperBound)..<repeated.upperBound
    let found = ledger.recent.compare(
      bytes.extracting((repeated.lowerBound - position)..<(repeated.upperBound - position)), at: repeated.lowerBound,
      latest: latestRun)
    ledger.tally.uncomparedBytes += max(0, found.forgotten - (late - early))
    guard let differing = found.differing else { return }
    ledger.tally.overlappingBytes += differing.count
    guard sink.wantsMore else { return }
    let other = bytes.extracting((differing.lowerBound - position)..<(differing.upperBound - position))
    sink.overlap(other, at: differing.lowerBound - start, from: .packet(origin), in: stream.number)
  }

  private mutating func payGap(of stream: ByteStream, in sink: inout some StreamSink & ~Copyable) {
    if !wasOpened {
      open(stream, in: &sink)
    }
    if owed > 0 {
      if sink.wantsMore { sink.gap(of: owed, in: stream.number) }
      owed = 0
    }
  }

  private mutating func close(_ stream: ByteStream, in sink: inout some StreamSink & ~Copyable) {
    if owed > 0 { payGap(of: stream, in: &sink) }
    if wasOpened { sink.close(stream.number, ending(at: next)) }
    isOver = true
  }

  /// An end that was never reached is none.
  private func ending(at position: Int) -> StreamEnding { end.map { position >= $0 } == true ? ending : .open }

  /// A side that ended without a word still answers its peer: it is told of as a stream without bytes.
  mutating func tellSilentEnd(
    as stream: ByteStream, into sink: inout some StreamSink & ~Copyable
  ) {
    guard isUsed, !wasOpened, let end, start == nil || next >= end, held.isEmpty else { return }
    open(stream, in: &sink)
    sink.close(stream.number, ending)
    isOver = true
  }

  private mutating func open(_ stream: ByteStream, in sink: inout some StreamSink & ~Copyable) {
    var stream = stream
    stream.beginning = wasGreeted ? .handshake : .midway
    sink.open(stream)
    wasOpened = true
  }
}
