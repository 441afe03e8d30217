import APNSInput
import APNSWire

/// Converts streams of bytes to records. It buffers only the bytes that are not framed yet.
public struct Dissector<Records: RecordSink & ~Copyable>: StreamSink, ~Copyable {
  /// Receives the records.
  public var records: Records
  private var shared: StreamState.Shared
  /// The number of the input's stream 0. It distinguishes the streams of several inputs.
  private var firstNumber = 0
  private var highestNumber = -1
  /// The number of the current file's stream 0 among the streams of its input.
  private var firstInFile = 0
  /// The open streams by their numbers in the input.
  private var streams: [Int: OpenStream] = [:]
  /// Why the bytes of a stream end when it is closed.
  private var runEnding = RunEnding.over
  /// The index of the current input, counted from 0.
  private var input = 0
  /// The approximate number of bytes in memory that are not framed yet.
  public private(set) var heldBytes = 0

  /// The role of the streams that are opened, continued and closed from now on; nil if it is not known.
  package var role: StreamRole? {
    get { shared.roles.role }
    set { shared.roles.role = newValue }
  }

  /// The cost of all searches for causes so far, in units of about a nanosecond. It is the same in every run.
  package var searchWork: Int { shared.searchWork }

  /// Creates a dissector.
  ///
  /// - Parameters:
  ///   - definitions: the frame types, rules and causes to apply.
  ///   - policy: how to determine the roles of streams.
  ///   - rules: which findings to report.
  ///   - recovers: whether to overrule lengths and to search for the bugs of senders.
  ///   - counting: which frames to count instead of reporting them as records; nil reports all.
  ///   - records: receives the records.
  public init(
    _ definitions: Definitions, policy: RolePolicy = RolePolicy(), rules: RulePolicy = RulePolicy(),
    recovers: Bool = true, counting: Counting? = nil, into records: consuming Records
  ) {
    let inspector = Inspector(definitions, rules)
    shared = StreamState.Shared(
      catalog: definitions.catalog, roles: policy, recovers: recovers, explainer: definitions.explainer,
      inspector: inspector, facts: FrameFacts(definitions.catalog, rules.edition),
      judge: FormJudge(definitions, inspector), counting: counting)
    self.records = records
  }

  /// Whether more input is wanted. After ``stop()``, input that was read already is still processed.
  public var wantsMore: Bool { runEnding == .stopped ? records.wantsMore : records.wantsInput }

  /// Notes that no more input is available for now.
  public mutating func pause() { records.pause() }

  /// Declares that the input cannot be read any further. Open frames are then reported as cut by the input.
  public mutating func breakOff() {
    if runEnding != .stopped { runEnding = .brokenOff }
  }

  /// Declares that the user stopped the reading. Open frames are then not reported as truncated.
  public mutating func stop() { runEnding = .stopped }

  /// Opens a stream at its first byte.
  public mutating func open(_ stream: ByteStream) {
    open(stream, at: 0)
  }

  /// Opens a stream whose next byte has this offset.
  public mutating func open(_ stream: ByteStream, at offset: Int) {
    highestNumber = max(highestNumber, firstNumber + stream.number)
    let inFile = stream.number - firstInFile
    var named = ByteStream(
      number: firstNumber + stream.number, inFile: inFile < 0 ? stream.number : inFile, route: stream.route,
      isDirected: stream.isDirected)
    named.beginning = stream.beginning
    let state = StreamState(named, of: input, at: offset)
    streams[stream.number]?.state.identifiers.forget(&shared.budget)
    streams[stream.number] = OpenStream(state)
  }

  /// Appends bytes to an open stream.
  ///
  /// - Parameters:
  ///   - bytes: the next bytes of the stream.
  ///   - origin: where the bytes came from.
  ///   - stream: the number of the stream.
  public mutating func append(_ bytes: Span<UInt8>, from origin: Origin, to stream: Int) {
    change(stream) { state, shared, records in state.append(bytes, from: origin, &shared, into: &records) }
  }

  /// Records that `count` bytes of a stream are missing at its current end.
  public mutating func gap(of count: Int, in stream: Int) {
    streams[stream]?.state.gap(of: count)
  }

  /// Reports bytes that differ from the bytes that the stream already had at `offset`.
  public mutating func overlap(_ bytes: Span<UInt8>, at offset: Int, from origin: Origin, in stream: Int) {
    change(stream) { state, shared, records in
      state.overlap(bytes, at: offset, from: origin, shared, into: &records)
    }
  }

  /// Ends a stream and reports its remaining bytes.
  public mutating func close(_ stream: Int, _ ending: StreamEnding) {
    let runEnding = runEnding
    change(stream) { state, shared, records in
      state.close(runEnding, &shared, into: &records)
      state.connection.noteEnd(of: state.stream, ending, &shared.recent)
      records.end(of: state.stream, state.role, ending)
    }
    if ending != .open { streams[stream ^ 1]?.state.connection.isPeerClosed = true }
    streams[stream] = nil
  }

  /// Ends a connection: both of its streams are closed, and no more of it follows.
  public mutating func forget(connection: Int) {
    records.end(of: firstNumber / 2 + connection)
  }

  /// The approximate number of bytes in memory that are not framed yet, for one stream.
  public func heldBytes(of stream: Int) -> Int { streams[stream]?.state.heldBytes ?? 0 }

  /// The frame of a stream that is not complete yet, if all its lengths are true; nil if there is none.
  public func heldFrame(of stream: Int) -> FrameRef? {
    streams[stream]?.state.heldFrame(shared.catalog)
  }

  private mutating func change(
    _ number: Int, _ body: (inout StreamState, inout StreamState.Shared, inout Records) -> Void
  ) {
    guard let stream = streams[number] else { return }
    let (before, wasAnswered) = (stream.state.heldBytes, stream.state.connection.answer != nil)
    body(&stream.state, &shared, &records)
    heldBytes += stream.state.heldBytes - before
    // The other side gets the answer when it comes.
    if !wasAnswered, stream.state.stream.isDirected, let answer = stream.state.connection.answer,
      let peer = streams[number ^ 1]
    {
      peer.state.connection.receive(answer, at: peer.state.end)
    }
  }

  /// Starts another input, or another file of the same input after `connections` earlier connections.
  public mutating func begin(input: Int, after connections: Int = 0) {
    self.input = input
    firstInFile = connections * 2
    runEnding = .over
  }

  /// Ends the input and closes its open streams in the order of their numbers. Another input may follow. The numbering
  /// of its streams continues, with two numbers for each connection.
  public mutating func finish() {
    for stream in streams.keys.sorted() { close(stream, .open) }
    if highestNumber >= 0 { firstNumber = (highestNumber / 2 + 1) * 2 }
    runEnding = .over
    shared.recent = RecentConnections()
  }
}

/// The state of a stream. It is a class, so that the state is changed in place.
private final class OpenStream {
  var state: StreamState

  init(_ state: StreamState) { self.state = state }
}
