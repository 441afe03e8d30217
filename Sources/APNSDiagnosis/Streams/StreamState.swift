import APNSInput
import APNSWire
import Octets

/// Why the bytes of a stream end.
enum RunEnding {
  /// The stream is over.
  case over
  /// Bytes are missing from the capture.
  case gap
  /// The input cannot be read any further.
  case brokenOff
  /// The user stopped the reading.
  case stopped
}

/// How the expiries of a stream's frames follow each other.
struct ExpirySteps {
  private var last: Int?
  private var areSmall = false

  /// Whether the last step to another expiry was one of less than two hours.
  mutating func areSmall(to expiry: Int) -> Bool {
    if let last, last != expiry { areSmall = abs(expiry - last) < 7200 }
    last = expiry
    return areSmall
  }
}

/// The state of one stream while it is dissected. It is small, because there may be thousands of streams.
struct StreamState {
  let stream: ByteStream
  /// The input in which the stream was opened. Packets name theirs themselves.
  let input: Int32
  var role: StreamRole?
  var foreign: ForeignProtocol?
  var framer: Framer?
  /// The bytes that are not framed yet. The first one is at `offset` in the stream.
  private var buffer: [UInt8] = []
  var offset = 0
  var provenance = Provenance()
  var number = 0
  /// The condition of the last record that was not a tail. It explains why the following bytes belong to no frame.
  var lastCondition: FrameRef.Condition?
  /// Missing bytes that are reported together with the packet that follows them.
  private var pendingGap = 0
  /// Whether the stream's first byte was received.
  var isAligned = true

  var identifiers = IdentifierHistory()
  /// The last frames, used to detect repeated batches.
  var run = RepeatedRun()
  /// The last ordinary expiry; nil if there is none.
  var lastExpiry: UInt32?
  /// Whether the preceding record is a valid frame and no bytes are missing after it.
  var followsFrame = false
  /// The cause or symptoms of the next frame if it is doubtful.
  var doubt = Doubt()
  /// The deviations that the stream has shown, and its last values.
  var known = KnownDeviations()
  var context = Description.Context()
  /// Whether the explanation of what precedes the next frame relies on a deviation in it.
  var expectsDeviation = false
  /// The work of all searches so far; and after they have ended, of looking in vain for what the stream has shown.
  var work = (searches: 0, vain: 0)
  /// Where the next frame begins, or the offset up to which none begins, in bytes from the start of the stream.
  var searched = (place: 0, isFound: false)
  /// Where a frame begins that nothing explains, and how many bytes from there the next frame may follow it.
  var unexplained = (place: -1, reach: 0)
  /// Where the first frame begins for which the stream had no work left; nil if there is none.
  var searchEnd: Int?
  /// Whether the first frame that omits items was not followed by one of them: then frame lengths count all that there
  /// are. What may be answered does not wait for that.
  var countsItems: Bool
  /// How many bytes from the start of a doubtful frame the search waits for.
  var bytesForSearch = 0
  /// The frames with an odd number that are still searched for an explanation, if none is found.
  var oddNumbersLeft = 3
  var expirySteps = ExpirySteps()
  /// The last bytes before those that are held.
  var tail: [UInt8] = []
  var connection = ConnectionNotes()

  /// The state that all streams share.
  struct Shared {
    let catalog: Catalog
    var roles: RolePolicy
    let recovers: Bool
    let explainer: Explainer
    /// The cost of all searches for causes so far.
    var searchWork = 0
    let inspector: Inspector
    /// The facts of the current frame.
    var facts: FrameFacts
    var judge: FormJudge
    /// The memory left for the identifiers of all streams, in bytes.
    var budget = 16 << 20
    var recent = RecentConnections()
    /// Nil if every frame must be reported as a record.
    var counting: Counting?
    /// Counted frames that the sink has not received yet.
    var counted = CountedFrames()
  }

  init(_ stream: ByteStream, of input: Int, at offset: Int) {
    self.offset = offset
    self.stream = stream
    self.input = Int32(truncatingIfNeeded: input)
    countsItems = stream.isDirected
  }

  /// Buffered bytes plus the bookkeeping of their origin, which is larger for small packets.
  var heldBytes: Int { buffer.count + (buffer.isEmpty ? 0 : provenance.footprint) }

  /// The frame that is not complete yet, if all its lengths are true.
  func heldFrame(_ catalog: Catalog) -> FrameRef? {
    guard !buffer.isEmpty, let role else { return nil }
    return catalog.frame(at: 0, in: buffer.span, of: role)
  }

  mutating func append(
    _ bytes: Span<UInt8>, from origin: Origin, _ shared: inout Shared, into records: inout some RecordSink & ~Copyable
  ) {
    if pendingGap > 0 { emitGap(before: origin, &shared, into: &records) }
    if framer == nil, buffer.isEmpty, offset == 0, case .packet(let packet) = origin {
      connection.noteBegin(of: stream, packet.time, &shared.recent)
    }
    provenance.note(origin, at: offset + buffer.count, count: bytes.count)
    if buffer.isEmpty {
      // Most packets end at the end of a frame and are read in place.
      let count = frames(in: bytes, until: nil, &shared, into: &records).count
      if count < bytes.count { buffer.append(contentsOf: bytes.extracting(count...)) }
    } else {
      buffer.append(contentsOf: bytes)
      drain(until: nil, &shared, into: &records)
    }
    if buffer.isEmpty { provenance.forget() }
  }

  /// The offset of the next byte in the stream.
  var end: Int { offset + buffer.count + pendingGap }

  mutating func gap(of count: Int) {
    pendingGap += count
  }

  /// Reports bytes that differ from earlier bytes at `place`. The record is emitted at the current end of the stream.
  mutating func overlap(
    _ bytes: Span<UInt8>, at place: Int, from origin: Origin, _ shared: borrowing Shared,
    into records: inout some RecordSink & ~Copyable
  ) {
    guard case .packet(let packet) = origin, records.wantsMore else { return }
    let findings = shared.inspector.findings(at: place) {
      $0.add(
        .overlappingBytes, at: 0..<bytes.count,
        "packet \(packet.number) carries other bytes for a place that was sent before; the first ones are shown in the "
          + "frame",
        fix: "compare both with the sender's log; a tampered or spliced capture looks like this")
    }
    emit(.overlap(at: place), bytes, count: 0, findings: findings, packets: [packet], into: &records)
  }

  mutating func close(
    _ ending: RunEnding, _ shared: inout Shared, into records: inout some RecordSink & ~Copyable
  ) {
    if pendingGap > 0 { emitGap(before: nil, &shared, into: &records) }
    drain(until: ending, &shared, into: &records)
    identifiers.forget(&shared.budget)
  }

  private mutating func emitGap(
    before origin: Origin?, _ shared: inout Shared, into records: inout some RecordSink & ~Copyable
  ) {
    let count = pendingGap
    pendingGap = 0
    let last = drain(until: .gap, &shared, into: &records)
    if framer == nil { isAligned = false }
    followsFrame = false
    tail = []
    framer?.gap(of: count, after: last)
    let findings = shared.inspector.findings(at: offset) {
      $0.add(
        .missingBytes, at: 0..<count,
        "\(plural(count, "byte")) of the stream \(count == 1 ? "is" : "are") missing from the capture here")
    }
    if let origin { provenance.note(origin, at: offset, count: 0) }
    let nothing: [UInt8] = []
    emit(.gap, nothing.span, count: count, findings: findings, into: &records)
  }

  /// Emits every record that the buffered bytes determine; with an `ending`, all of them. Returns the last frame.
  @discardableResult
  private mutating func drain(
    until ending: RunEnding?, _ shared: inout Shared, into records: inout some RecordSink & ~Copyable
  ) -> FrameRef? {
    // Moved out of `self` while records borrow from it.
    var held: [UInt8] = []
    swap(&held, &buffer)
    defer { swap(&held, &buffer) }
    let (last, count) = frames(in: held.span, until: ending, &shared, into: &records)
    if count > 0 {
      // Release the memory of a large buffer, because thousands of streams may be open.
      if held.capacity > 4096, held.count - count < held.capacity / 4 {
        held = Array(held[count...])
      } else {
        held.removeSubrange(..<count)
      }
    }
    return last
  }
}
