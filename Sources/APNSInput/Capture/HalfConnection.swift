import Octets

/// One direction of a TCP connection: puts segments in order and delivers their bytes.
///
/// Sequence numbers wrap, so positions are 64-bit offsets from a reference sequence number. The start of the stream is
/// in one of three states: unknown (data is held until the lowest sequence number is clear), given by a handshake, or
/// set to the lowest sequence number if the capture began in the middle.
struct HalfConnection {
  /// Its number is fixed once it was opened.
  var stream: ByteStream
  /// The sequence number of the SYN, if one was seen.
  private(set) var initialSequence: UInt32?
  /// A packet was seen, if only an acknowledgement.
  private var wasSeen = false
  /// Data, a FIN or an RST was seen.
  private(set) var isUsed = false
  private(set) var wasOpened = false
  private(set) var isOver = false
  private var sawHandshake = false

  /// The sequence number at position 0.
  private var reference: UInt32?
  /// The position at which the stream begins, once it is known.
  private var start: Int?
  /// The position of the next byte to deliver.
  private var next = 0
  /// The position of the FIN or RST.
  private(set) var end: Int?
  private var ending = StreamEnding.open
  /// The other side closed while this one was open.
  var peerClosedFirst = false
  private var held = HeldSegments()
  /// The position of a single byte that precedes all others and may be a keep-alive probe.
  private var probe: Int?
  /// The latest sequence number that the peer acknowledged.
  private var acknowledged: UInt32?
  /// Missing bytes not yet reported, so that adjacent losses become one gap.
  private var pendingGap = 0
  /// The latest skipped holes: bytes that arrive for them are late, not repeated.
  private var holes: [Range<Int>] = []
  /// The number of the latest delivered run in `RecentBytes`.
  private var latestRun: Int?
  /// The latest exported piece if pieces are cumulative: the next piece may begin with all of it.
  private var latestPiece: [UInt8] = []

  /// Bytes that one direction holds after a hole before the hole is given up.
  static let holdLimit = 1 << 20
  /// Bytes held to find the lowest sequence number if no handshake was seen.
  static let startBytes = 256 << 10
  /// The largest distance between a sequence number and the next expected one: the maximum TCP window (RFC 7323). A
  /// number further away is damaged. Believing it would create a gap of gigabytes, so the segment is counted and
  /// dropped.
  static let longestJump = 1 << 30
  static let rememberedHoles = 64

  init(stream: ByteStream) { self.stream = stream }
}

extension HalfConnection {
  /// Processes a segment of this direction. `segment.payload` is the range of its payload in `bytes`.
  mutating func accept(
    _ segment: TCPSegment, in bytes: Span<UInt8>, from origin: Origin.Packet, _ shared: inout SharedState
  ) {
    wasSeen = true
    if segment.flags.contains(.syn) {
      initialSequence = segment.sequence
      begin(with: segment.firstByte, &shared)
    }
    let isLast = segment.flags.contains(.fin)
    if segment.length > 0 || isLast {
      isUsed = true
      if let position = position(of: segment.firstByte) {
        if segment.length > 0 {
          let payload = [UInt8](copying: bytes.extracting(segment.payload))
          let piece = HeldSegments.Segment(
            position: position, bytes: payload, missing: segment.missing, mayBeProbe: segment.mayBeKeepAlive,
            origin: origin)
          deliverOrHold(piece, &shared)
        }
        let last = position + segment.length
        if isLast, end == nil, last >= next || start == nil {
          (end, ending) = (last, peerClosedFirst ? .finishedAfterPeer : .finished)
        }
        // Data after the FIN or RST shows that it was not the end.
        if let end, segment.length > 0, last > end { self.end = last }
      } else {
        shared.tally.strayBytes += segment.length
      }
      deliverReady(&shared)
    }
    if segment.flags.contains(.rst) {
      isUsed = true
      // An RST before bytes already delivered does not belong to this connection, and the peer ignored it too. Bytes
      // before a valid RST may still follow if the packets were captured out of order.
      if start != nil, end == nil, let position = position(of: segment.firstByte), position >= next {
        (end, ending) = (position, .reset)
        deliverReady(&shared)
      }
    }
  }

  /// Delivers the next piece of a stream that was exported without TCP: without sequence numbers, the order of capture
  /// is the order of the stream.
  /// - Parameter missing: How many bytes after the piece were sent but not captured.
  mutating func accept(
    _ chunk: StreamChunk, missing: Int, in bytes: Span<UInt8>, from origin: Origin.Packet,
    _ shared: inout SharedState
  ) {
    (isUsed, start) = (true, 0)
    var new = [UInt8](copying: bytes.extracting(chunk.payload))
    if chunk.isCumulative {
      let known = new.starts(with: latestPiece) ? latestPiece.count : 0
      latestPiece = new
      new.removeFirst(known)
    }
    if !wasOpened { open(&shared) }
    deliver(.init(position: next, bytes: new, missing: missing, mayBeProbe: false, origin: origin), &shared)
  }

  mutating func begin(with firstByte: UInt32, _ shared: inout SharedState) {
    guard start == nil, !isOver, let position = position(of: firstByte) else { return }
    start = position
    next = position
    sawHandshake = true
    deliverReady(&shared)
  }

  /// Notes that the peer has received all bytes before this sequence number.
  mutating func acknowledge(_ number: UInt32) {
    if acknowledged.map({ Int32(bitPattern: number &- $0) > 0 }) ?? true { acknowledged = number }
  }

  /// The position up to which the peer has certainly received all bytes; nil if the capture has no packet of this side.
  /// Where the peer has closed, it may also have acknowledged a FIN.
  private var acknowledgedEnd: Int? {
    guard wasSeen, let acknowledged, let position = nearestPosition(of: acknowledged) else { return nil }
    let end = position - (peerClosedFirst ? 1 : 0)
    return end - next <= Self.holdLimit ? end : nil
  }

  /// Whether a handshake with this first sequence number can belong to this direction.
  func accepts(firstByte: UInt32) -> Bool {
    if let initialSequence { return firstByte == initialSequence &+ 1 }
    guard let position = nearestPosition(of: firstByte) else { return !isOver }
    if let start { return position == start }
    guard let lowest = held.first?.position ?? end else { return true }
    return (0...Self.startBytes).contains(lowest - position)
  }

  /// Approximate size of held segments, remembered holes and the latest piece, in bytes.
  var footprint: Int { held.footprint + holes.capacity * MemoryLayout<Range<Int>>.stride + latestPiece.count }

  /// Starts the stream at its lowest held byte if that is now certain. Packets are reordered by moments only, so no
  /// earlier byte can still arrive when the peer has acknowledged the held data and one second has passed.
  mutating func wait(until time: CaptureTime, _ shared: inout SharedState) {
    guard start == nil, let acknowledged, let first = held.first else { return }
    guard let position = nearestPosition(of: acknowledged), position > first.position else { return }
    guard let arrival = first.origin.time, arrival.isSecond(before: time) else { return }
    beginAtLowest()
    deliverReady(&shared)
  }

  /// Delivers all held bytes, with holes as gaps, and frees the memory.
  mutating func release(_ shared: inout SharedState) {
    guard !isOver else { return }
    if start == nil { beginAtLowest() }
    deliverReady(&shared)
    while !isOver, let first = held.first {
      skipHole(before: first.position, &shared)
      deliverReady(&shared)
    }
    // Bytes that arrive for these holes later are counted as not compared.
    (holes, latestPiece) = ([], [])
  }

  /// Delivers all held bytes and closes the stream.
  mutating func finish(_ shared: inout SharedState) {
    release(&shared)
    guard !isOver else { return }
    if start != nil, let end = end ?? acknowledgedEnd, end > next { skipHole(before: end, &shared) }
    close(&shared)
  }
}

// MARK: - Order

extension HalfConnection {
  /// Converts a sequence number into a position. Nil if it is more than `longestJump` from the next expected one.
  private mutating func position(of sequence: UInt32) -> Int? {
    reference = reference ?? sequence
    return nearestPosition(of: sequence).flatMap { abs($0 - next) <= Self.longestJump ? $0 : nil }
  }

  /// The position with this sequence number that is nearest to the next expected one; nil before the first segment.
  private func nearestPosition(of sequence: UInt32) -> Int? {
    reference.map { next + Int(Int32(bitPattern: sequence &- ($0 &+ UInt32(truncatingIfNeeded: next)))) }
  }

  private mutating func deliverOrHold(_ piece: HeldSegments.Segment, _ shared: inout SharedState) {
    if isOver {
      shared.tally.strayBytes += max(0, piece.end - max(piece.position, next))
    } else if start != nil, piece.position <= next {
      deliver(piece, &shared)
    } else {
      if start == nil, piece.mayBeProbe, piece.position < held.first?.position ?? .max { probe = piece.position }
      held.insert(piece)
    }
  }

  /// Delivers all bytes that are in order, and closes the stream after its last byte.
  private mutating func deliverReady(_ shared: inout SharedState) {
    if start == nil, held.byteCount >= Self.startBytes { beginAtLowest() }
    guard start != nil, !isOver else { return }
    while let first = held.first {
      if first.position > next {
        guard held.byteCount > Self.holdLimit else { break }
        skipHole(before: first.position, &shared)
      }
      held.removeFirst()
      deliver(first, &shared)
    }
    if let end, next >= end {
      shared.tally.strayBytes += held.byteCount
      held = HeldSegments()
      close(&shared)
    }
  }

  private mutating func beginAtLowest() {
    while let first = held.first, first.position == probe, first.end == first.position + 1 { held.removeFirst() }
    guard let first = held.first else { return }
    start = first.position
    next = first.position
  }

  /// Delivers the new bytes of a segment, and compares the repeated ones.
  /// - Parameter piece: Its position is at most `next`.
  private mutating func deliver(_ piece: HeldSegments.Segment, _ shared: inout SharedState) {
    let (bytes, origin) = (piece.bytes.span, piece.origin)
    // A keep-alive probe repeats the last byte sent, or sends an arbitrary byte in its position.
    let isProbe = piece.mayBeProbe && piece.position == next - 1
    if piece.position < next, !isProbe { compareRetransmission(piece, &shared) }
    if piece.position + bytes.count > next {
      flushGap(&shared)
      let new = bytes.extracting((next - piece.position)...)
      shared.streams.append(new, from: .packet(origin), to: stream.number)
      latestRun = shared.recent.append(new, at: next, previous: latestRun)
      next += new.count
    }
    if piece.end > next { skipHole(before: piece.end, &shared) }
  }
}

// MARK: - Loss and contradiction

extension HalfConnection {
  private mutating func skipHole(before position: Int, _ shared: inout SharedState) {
    pendingGap += position - next
    shared.tally.missingBytes += position - next
    holes.append(next..<position)
    if holes.count > Self.rememberedHoles { holes.removeFirst() }
    next = position
  }

  /// Classifies bytes at positions already delivered: late for a hole, repeated unchanged, or different from the
  /// delivered ones.
  private mutating func compareRetransmission(_ piece: HeldSegments.Segment, _ shared: inout SharedState) {
    guard let start else { return }
    let (bytes, position) = (piece.bytes.span, piece.position)
    var repeated = position..<min(position + bytes.count, next)
    let early = max(0, min(repeated.upperBound, start) - repeated.lowerBound)
    var late = early
    for hole in holes { late += hole.clamped(to: repeated).count }
    shared.tally.lateBytes += late
    repeated = min(repeated.lowerBound + early, repeated.upperBound)..<repeated.upperBound
    let found = shared.recent.compare(
      bytes.extracting((repeated.lowerBound - position)..<(repeated.upperBound - position)), at: repeated.lowerBound,
      latest: latestRun)
    shared.tally.uncomparedBytes += max(0, found.forgotten - (late - early))
    guard let differing = found.differing else { return }
    shared.tally.overlappingBytes += differing.count
    let other = bytes.extracting((differing.lowerBound - position)..<(differing.upperBound - position))
    shared.streams.overlap(other, at: differing.lowerBound - start, from: .packet(piece.origin), in: stream.number)
  }

  private mutating func flushGap(_ shared: inout SharedState) {
    if !wasOpened { open(&shared) }
    if pendingGap > 0 { shared.streams.gap(of: pendingGap, in: stream.number) }
    pendingGap = 0
  }

  private mutating func close(_ shared: inout SharedState) {
    if pendingGap > 0 { flushGap(&shared) }
    // The ending only counts if all bytes before it were reached.
    if wasOpened { shared.streams.close(stream.number, end.map { next >= $0 } == true ? ending : .open) }
    isOver = true
  }

  /// Reports a stream without bytes for a side that sent none, because its silence and its closing are replies to its
  /// peer. A side of which the capture has no packet has no stream.
  mutating func reportEmptyStream(_ shared: inout SharedState) {
    guard wasSeen, !wasOpened, held.first == nil else { return }
    if let end, start != nil, next < end { return }
    open(&shared)
    shared.streams.close(stream.number, ending)
    isOver = true
  }

  private mutating func open(_ shared: inout SharedState) {
    // Without TCP, nothing was seen of the beginning.
    if reference != nil { stream.beginning = sawHandshake ? .handshake : .midway }
    shared.streams.open(stream)
    wasOpened = true
  }
}
