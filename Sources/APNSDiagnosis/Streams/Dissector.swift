import APNSInput
import APNSWire

/// Turns streams of bytes into records: holds of each stream only what is not framed yet.
public struct Dissector<Records: RecordSink & ~Copyable>: StreamSink, ~Copyable {
  public var records: Records
  private var shared: StreamState.Shared
  /// What the input's stream 0 is called, so that streams of several inputs keep apart.
  private var firstNumber = 0
  private var highestNumber = -1
  /// The same of the file being read, among the streams of the input that it is a part of.
  private var firstInFile = 0
  /// Slots, of which `indices` knows those in use.
  private var streams: [StreamState] = []
  private var indices: [Int: Int] = [:]
  private var vacant: [Int] = []
  /// Why the bytes of a stream that is closed end.
  private var runEnding = RunEnding.over
  /// Which of the inputs is being read, counted from 0.
  private var input = 0
  /// About what streams hold in memory until it is framed, in bytes.
  public private(set) var heldBytes = 0
  /// The position of the next byte in streams that were scanned ahead.
  private var positionAhead: Int?

  /// Verdicts are remembered by form. The result is the same without, which a test can see.
  package var remembersForms: Bool {
    get { shared.remembersForms }
    set { shared.remembersForms = newValue }
  }

  /// What searches for causes have cost so far, in units of about a nanosecond: the same in every run.
  package var searchWork: Int { shared.searchWork }

  /// - Parameter counting: frames that the sink need not get as records; nil if it gets all.
  public init(
    _ definitions: Definitions, policy: RolePolicy = RolePolicy(), rules: RulePolicy = RulePolicy(),
    recovers: Bool = true, counting: Counting? = nil, into records: consuming Records
  ) {
    let inspector = Inspector(definitions, rules)
    shared = StreamState.Shared(
      catalog: definitions.catalog, roles: policy, recovers: recovers, causes: definitions.finder,
      inspector: inspector, facts: FrameFacts(definitions.catalog, rules.edition),
      judge: FormJudge(definitions, inspector), reported: counting.map { ReportedFindings($0) })
    self.records = records
  }

  /// What was read before the reading was stopped is still taken.
  public var wantsMore: Bool { runEnding == .stopped ? records.wantsMore : records.wantsInput }

  public mutating func pause() { records.pause() }

  public mutating func breakOff() {
    if runEnding != .stopped { runEnding = .brokenOff }
  }

  public mutating func stop() { runEnding = .stopped }

  public mutating func open(_ stream: ByteStream) {
    open(stream, at: 0)
  }

  /// The stream's first byte counts as `offset`.
  public mutating func open(_ stream: ByteStream, at offset: Int) {
    highestNumber = max(highestNumber, firstNumber + stream.number)
    let inFile = stream.number - firstInFile
    var named = ByteStream(
      number: firstNumber + stream.number, inFile: inFile < 0 ? stream.number : inFile, route: stream.route,
      isDirected: stream.isDirected)
    named.beginning = stream.beginning
    let state = StreamState(named, of: input, at: offset)
    if let index = indices[stream.number] ?? vacant.popLast() {
      streams[index].forget(&shared)
      streams[index] = state
      indices[stream.number] = index
    } else {
      indices[stream.number] = streams.count
      streams.append(state)
    }
  }

  public mutating func append(_ bytes: Span<UInt8>, from origin: Origin, to stream: Int) {
    if let position = positionAhead {
      positionAhead = position + bytes.count
      if let index = indices[stream] { shared.prescan.align(position, with: streams[index].end) }
    }
    change(stream) { state, shared, records in state.append(bytes, from: origin, &shared, into: &records) }
    shared.prescan.unalign()
  }

  /// For scanning streams while those before them are read.
  public var ahead: Prescanner { Prescanner(shared.judge) }

  /// Takes the calls of recorded streams. What was found ahead saves work, and changes nothing.
  public mutating func take(_ streams: inout RecordedStreams, knowing ahead: inout Prescanner) {
    exchange(&ahead)
    streams.replay(into: &self)
    exchange(&ahead)
  }

  private mutating func exchange(_ ahead: inout Prescanner) {
    swap(&shared.prescan, &ahead.prescan)
    positionAhead = positionAhead == nil ? 0 : nil
  }

  public mutating func gap(of count: Int, in stream: Int) {
    if let index = indices[stream] { streams[index].gap(of: count) }
  }

  public mutating func overlap(_ bytes: Span<UInt8>, at offset: Int, from origin: Origin, in stream: Int) {
    if let position = positionAhead { positionAhead = position + bytes.count }
    change(stream) { state, shared, records in
      state.overlap(bytes, at: offset, from: origin, shared, into: &records)
    }
  }

  public mutating func close(_ stream: Int, _ ending: StreamEnding) {
    let runEnding = runEnding
    change(stream) { state, shared, records in
      state.close(runEnding, &shared, into: &records)
      state.connection.noteEnd(of: state.stream, ending, &shared.recent)
      records.end(of: state.stream, state.role, ending)
    }
    if ending != .open, let peer = indices[stream ^ 1] { streams[peer].connection.receiveEnd() }
    if let index = indices.removeValue(forKey: stream) { vacant.append(index) }
  }

  public mutating func forget(connection: Int) {
    records.end(of: firstNumber / 2 + connection)
  }

  public func heldBytes(of stream: Int) -> Int { indices[stream].map { streams[$0].heldBytes } ?? 0 }

  private mutating func change(
    _ stream: Int, _ body: (inout StreamState, inout StreamState.Shared, inout Records) -> Void
  ) {
    guard let index = indices[stream] else { return }
    let before = streams[index].heldBytes
    body(&streams[index], &shared, &records)
    heldBytes += streams[index].heldBytes - before
    if streams[index].connection.hasUnsentAnswer, let answer = streams[index].connection.takeAnswer(),
      let peer = indices[stream ^ 1]
    {
      streams[peer].connection.receive(answer, at: streams[peer].end)
    }
  }

  /// What comes now is another input, or another file of the same one, in which `connections` came before.
  public mutating func begin(input: Int, after connections: Int = 0) {
    self.input = input
    firstInFile = connections * 2
    runEnding = .over
  }

  /// The input is over: closes what it left open, in the order of stream numbers. Another input may follow, whose
  /// streams are numbered on, two to a connection.
  public mutating func finish() {
    for stream in indices.keys.sorted() { close(stream, .open) }
    (streams, vacant) = ([], [])
    if highestNumber >= 0 { firstNumber = (highestNumber / 2 + 1) * 2 }
    runEnding = .over
    shared.recent = RecentConnections()
  }
}
