import APNSInput
import APNSWire
import Octets

/// Why bytes of a stream end.
enum RunEnding {
  /// The stream is over.
  case over
  /// The capture lacks what follows.
  case gap
  /// The input cannot be read on.
  case brokenOff
  /// The user stopped the reading.
  case stopped
}

/// One stream on its way into records. Small, since there may be many thousand.
struct StreamState {
  let stream: ByteStream
  /// Where the stream was opened; packets know better.
  let input: Int32
  var role: StreamRole?
  var foreign: ForeignProtocol?
  var framer: FramingState?
  /// Bytes not framed yet; the first is at `offset` in the stream.
  private var buffer: [UInt8] = []
  var offset = 0
  var provenance = Provenance()
  var number = 0
  /// What the last record that was no tail is: it says why bytes behind it belong to no frame.
  var lastCondition: FrameRef.Condition?
  /// Missing bytes that are told of with the packet that comes behind them.
  private var pendingGap = 0
  /// The first byte of the stream is there.
  var isAligned = true

  /// What rules remember from frame to frame.
  var memory = StreamMemory()
  /// Bytes further on that belong to a frame whose cause was found, as offsets in the stream.
  var tails: [Range<Int>] = []
  /// The record before is a whole frame, and nothing is missing behind it.
  var followsFrame = false
  /// What is known of the next frame, if it is doubted.
  var doubt = Doubt()
  /// What was found before it.
  var history = CauseHistory()
  /// What is known beside its own bytes.
  var connection = ConnectionNotes()

  /// What all streams share.
  struct Shared {
    let catalog: Catalog
    let roles: RolePolicy
    let recovers: Bool
    let causes: CauseFinder
    /// What searches for causes cost all streams.
    var searchWork = 0
    /// What is left for streams that borrow.
    var searchEffort = CauseEffort.shared
    let inspector: Inspector
    /// Of the frame that is read.
    var facts: FrameFacts
    var judge: FormJudge
    /// For what all streams together remember of identifiers.
    var budget = MemoryBudget(bytes: 16 << 20)
    var remembersForms = true
    var verdicts = VerdictCounts()
    /// Of the stream that is read.
    var prescan = Prescan()
    var recent = RecentConnections()
    /// Nil if every frame has to come as a record.
    var reported: ReportedFindings?
    /// Frames that were counted, until the sink is informed.
    var counted = CountedFrames()
    /// Findings of the last of them. Storage is kept from frame to frame.
    var countedFindings: [CountedFinding] = []
  }

  init(_ stream: ByteStream, of input: Int, at offset: Int) {
    self.offset = offset
    self.stream = stream
    self.input = Int32(truncatingIfNeeded: input)
  }

  /// With what it takes to say where they came from, which is more where packets are small.
  var heldBytes: Int { buffer.count + (buffer.isEmpty ? 0 : provenance.footprint) }

  mutating func append(
    _ bytes: Span<UInt8>, from origin: Origin, _ shared: inout Shared, into records: inout some RecordSink & ~Copyable
  ) {
    if pendingGap > 0 { emitGap(before: origin, &shared, into: &records) }
    if framer == nil, buffer.isEmpty, offset == 0, case .packet(let packet) = origin {
      connection.noteBegin(of: stream, packet.time, &shared.recent)
    }
    provenance.note(origin, at: offset + buffer.count, count: bytes.count)
    var start = 0
    if !buffer.isEmpty {
      start = join(bytes, &shared, into: &records)
      if !buffer.isEmpty { return }
    }
    // Most packets end where a frame does, and are read where they stand.
    let rest = bytes.extracting(start...)
    let count = frames(in: rest, until: nil, &shared, into: &records).count
    if count < rest.count { buffer.append(contentsOf: rest.extracting(count...)) } else { provenance.forget() }
  }

  /// Puts bytes behind those that are held: all of them, or as many as it takes to frame what is held. Returns how many
  /// are framed with it, where nothing is held any more.
  private mutating func join(
    _ bytes: Span<UInt8>, _ shared: inout Shared, into records: inout some RecordSink & ~Copyable
  ) -> Int {
    var taken = 0
    while taken < bytes.count {
      let held = buffer.count
      let count = min(bytes.count - taken, max(Self.leastJoint, held))
      buffer.append(contentsOf: bytes.extracting(taken..<(taken + count)))
      taken += count
      drain(until: nil, &shared, into: &records)
      // What is still held came with the new bytes, where it can be read as well.
      if buffer.count <= count, taken < bytes.count {
        taken -= buffer.count
        buffer.removeAll(keepingCapacity: true)
        return taken
      }
    }
    return taken
  }

  /// Most frames are shorter.
  private static let leastJoint = 1024

  /// Where the next byte will stand in the stream.
  var end: Int { offset + buffer.count + pendingGap }

  mutating func gap(of count: Int) {
    pendingGap += count
  }

  /// Shown where the stream stands now; its own place is behind it.
  mutating func overlap(
    _ bytes: Span<UInt8>, at place: Int, from origin: Origin, _ shared: borrowing Shared,
    into records: inout some RecordSink & ~Copyable
  ) {
    guard case .packet(let packet) = origin, records.wantsMore else { return }
    var report = Report(shared.inspector.policy, at: place)
    report.add(
      overlappingBytes, at: 0..<bytes.count,
      "packet \(packet.number) carries other bytes for a place that was sent before; the first ones are shown in the frame",
      fix: "compare both with the sender's log; a tampered or spliced capture looks like this")
    number += 1
    let record = Record(
      stream: stream, input: packet.input, role: role, number: number, offset: offset, count: 0,
      content: .overlap(at: place), findings: report.findings, packets: [packet], positions: [])
    records.take(record, bytes)
  }

  mutating func close(
    _ ending: RunEnding, _ shared: inout Shared, into records: inout some RecordSink & ~Copyable
  ) {
    if pendingGap > 0 { emitGap(before: nil, &shared, into: &records) }
    drain(until: ending, &shared, into: &records)
    forget(&shared)
  }

  /// Nothing more comes: what rules remember is given back.
  mutating func forget(_ shared: inout Shared) {
    memory.forget(&shared.budget)
  }

  private mutating func emitGap(
    before origin: Origin?, _ shared: inout Shared, into records: inout some RecordSink & ~Copyable
  ) {
    let count = pendingGap
    pendingGap = 0
    let last = drain(until: .gap, &shared, into: &records)
    if framer == nil { isAligned = false }
    followsFrame = false
    tails = []
    framer?.gap(of: count, after: last)
    var report = Report(shared.inspector.policy, at: offset)
    report.add(
      missingBytes, at: 0..<count,
      "\(plural(count, "byte")) of the stream \(count == 1 ? "is" : "are") missing from the capture here")
    if let origin { provenance.note(origin, at: offset, count: 0) }
    let nothing: [UInt8] = []
    emit(.gap, nothing.span, count: count, findings: report.findings, into: &records)
  }

  /// Emits what the held bytes settle; with an `ending` all of them. Returns the last frame.
  @discardableResult
  private mutating func drain(
    until ending: RunEnding?, _ shared: inout Shared, into records: inout some RecordSink & ~Copyable
  ) -> FrameRef? {
    // Taken out of self while records borrow from it.
    var held: [UInt8] = []
    swap(&held, &buffer)
    defer { swap(&held, &buffer) }
    let (last, count) = frames(in: held.span, until: ending, &shared, into: &records)
    if count > 0 {
      // Thousands of streams may be open: what one held at its worst is given back.
      if held.capacity > 4096, held.count - count < held.capacity / 4 {
        held = Array(held[count...])
      } else {
        held.removeSubrange(..<count)
      }
    }
    return last
  }
}
