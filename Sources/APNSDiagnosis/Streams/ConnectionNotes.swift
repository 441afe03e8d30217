import APNSInput
import APNSWire
import Octets

/// The facts that a stream needs about its connection: the other side, the ports, and earlier connections. It is small,
/// because there may be thousands of streams.
struct ConnectionNotes {
  /// The answer of the service. The provider's stream receives it from the other side.
  private(set) var answer: SeenAnswer?
  var isPeerClosed = false
  private var hasReportedSentAfter = false
  private var hasReportedOpen = false
  /// The number of answers from the service, up to the highest count that matters.
  private var refusals: UInt8 = 0
  private var successes: UInt8 = 0
  /// Whether the stream goes to the feedback service, which reads nothing.
  private(set) var isFeedbackClient = false
  /// The time at which its first byte was captured, in seconds since 1970 UTC.
  private var begin: UInt32 = 0
  /// Findings to report with the first record, with messages that may state its number of bytes.
  private var first: [(rule: Rule, message: (_ count: Int) -> String)] = []

  /// A class, because most connections have none.
  final class SeenAnswer: Sendable {
    let status: UInt8
    let packet: Origin.Packet?
    /// The number of bytes of the other side that had arrived before it.
    let end: Int

    init(status: UInt8, packet: Origin.Packet?, end: Int = 0) {
      (self.status, self.packet, self.end) = (status, packet, end)
    }

    /// Whether it came before another packet, as far as the capture shows.
    func precedes(_ other: Origin.Packet?) -> Bool {
      if let packet, let other { packet < other } else { true }
    }
  }

  /// Whether frames must be inspected one by one.
  var isWatching: Bool { !first.isEmpty || isFeedbackClient || awaitsFrames }
  private var awaitsFrames: Bool { answer != nil && !(hasReportedSentAfter && (hasReportedOpen || isPeerClosed)) }

  /// In seconds. If the service keeps the connection open for this long after an answer, it does not close it.
  private static let leastWait = 1

  /// Adds the answer of the other side, which came when this side had sent `end` bytes.
  mutating func receive(_ other: SeenAnswer, at end: Int) {
    if answer == nil { answer = SeenAnswer(status: other.status, packet: other.packet, end: end) }
  }

  // MARK: The beginning of a stream

  mutating func noteBegin(of stream: ByteStream, _ time: CaptureTime?, _ recent: inout RecentConnections) {
    guard let time, let route = stream.route, stream.beginning == .handshake, stream.number.isMultiple(of: 2) else {
      return
    }
    begin = UInt32(clamping: time.seconds)
    if let seconds = recent.open(route, at: Int(begin)) {
      let message =
        "\(RecentConnections.most) connections from \(route.source.address) to \(route.destination) were opened "
        + "and closed within \(plural(seconds, "second")), and this is the next one"
      first.append((.rapidConnections, { _ in message }))
    }
  }

  func noteEnd(of stream: ByteStream, _ ending: StreamEnding, _ recent: inout RecentConnections) {
    guard begin > 0, let route = stream.route, ending == .finished || ending == .reset else { return }
    recent.close(route, openedAt: Int(begin))
  }

  mutating func noteRole(_ role: StreamRole, of stream: ByteStream, _ policy: RolePolicy, holdsFrame: Bool) {
    guard policy.role == nil, let route = stream.route else { return }
    func service(_ port: UInt16) -> RolePolicy.Service? { policy.ports[port] ?? RolePolicy.documentedPorts[port] }
    if role == .provider, service(route.destination.port) == .feedback {
      guard holdsFrame else {
        isFeedbackClient = true
        first.insert(
          (.feedbackClientWrites, { "the client wrote \(plural($0, "byte")) to the feedback service" }), at: 0)
        return
      }
      let message = "these notifications were written to port \(route.destination.port), the feedback service's"
      first.append((.pushOnFeedbackPort, { _ in message }))
    }
    if role == .feedback, service(route.source.port) == .push {
      let message = "feedback tuples came from port \(route.source.port), which is for notifications"
      first.append((.feedbackOnPushPort, { _ in message }))
    }
  }

  // MARK: Frames

  /// Handles a complete error response with this status.
  mutating func noteAnswer(
    _ status: UInt8, isDirected: Bool, _ packet: Origin.Packet?, at range: Range<Int>, _ report: inout Report
  ) {
    if status == 0 {
      successes = min(successes + 1, 3)
      if successes == 2 {
        report.add(.successAnswered, at: range, "a second answer of status 0: nothing is returned for what is accepted")
      }
      return
    }
    refusals = min(refusals + 1, 3)
    if refusals == 2, isDirected {
      report.add(.secondAnswer, at: range, "a second answer on this connection: the service sends one, then closes")
    }
    answer = answer ?? SeenAnswer(status: status, packet: packet)
  }

  /// Whether further answers of the service still matter.
  var countsAnswers: Bool { refusals < 3 }

  /// Adds findings about the connection to those of a record. A client of the feedback service gets no others.
  mutating func add(
    to findings: inout [Finding], of range: Range<Int>, at offset: Int, _ packet: Origin.Packet?, of stream: ByteStream,
    _ inspector: Inspector
  ) {
    if isFeedbackClient { findings = [] }
    findings =
      inspector.findings(at: offset) { report in
        for (rule, message) in first { report.add(rule, at: range, message(range.count)) }
        first = []
        if let answer, awaitsFrames, offset >= answer.end, answer.precedes(packet) {
          addSentAfter(answer, range, packet, of: stream, &report)
        }
      } + findings
  }

  private mutating func addSentAfter(
    _ answer: SeenAnswer, _ range: Range<Int>, _ packet: Origin.Packet?, of stream: ByteStream, _ report: inout Report
  ) {
    let place = answer.packet.map { " in packet \($0.number)" } ?? ""
    if !hasReportedSentAfter {
      report.add(
        .sentAfterAnswer, at: range,
        "the service had answered with status \(answer.status)\(place) before this came: it reads nothing more")
    }
    hasReportedSentAfter = true
    guard !hasReportedOpen, !isPeerClosed, stream.beginning != .unknown, let then = answer.packet?.time,
      let now = packet?.time
    else {
      return
    }
    let seconds = now.seconds - then.seconds
    guard seconds >= Self.leastWait else { return }
    hasReportedOpen = true
    report.add(
      .noCloseAfterAnswer, at: range,
      "the service answered\(place) and has not closed the connection \(plural(seconds, "second")) later")
  }
}

/// The connections that were closed lately, by client and service. The clients idle for longest are forgotten.
struct RecentConnections {
  private var clients = IdleTable<Key, Client>()

  /// The number of connections, opened and closed within one minute, from which on they are reported.
  static let most = 20
  private static let minute = 60

  private struct Key: Hashable {
    let address: Endpoint.Address
    let service: Endpoint

    init(_ route: ByteStream.Route) { (address, service) = (route.source.address, route.destination) }
  }

  private struct Client {
    /// When the latest closed connections were opened, in ascending order: at most ``most`` times in seconds.
    var opened: [Int] = []
    var isReported = false
  }

  /// Returns in how many seconds ``most`` connections of a client were opened and closed, once for each client.
  mutating func open(_ route: ByteStream.Route, at now: Int) -> Int? {
    guard let index = clients.find(Key(route)), !clients[index].isReported else { return nil }
    // In damaged or merged captures, time also runs backwards.
    clients[index].opened.removeAll { !(0..<Self.minute).contains(now - $0) }
    guard clients[index].opened.count == Self.most else { return nil }
    clients[index].isReported = true
    return max(1, now - clients[index].opened[0])
  }

  mutating func close(_ route: ByteStream.Route, openedAt seconds: Int) {
    let known = clients.find(Key(route))
    if known == nil, clients.isFull, let oldest = clients.oldest { clients.remove(oldest) }
    let index = known ?? clients.insert(Client(), Key(route))
    let position = clients[index].opened.lastIndex { $0 <= seconds }.map { $0 + 1 } ?? 0
    clients[index].opened.insert(seconds, at: position)
    if clients[index].opened.count > Self.most { clients[index].opened.removeFirst() }
  }
}
