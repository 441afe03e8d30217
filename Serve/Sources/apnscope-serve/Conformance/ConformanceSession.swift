import APNSDiagnosis
import APNSGateway
import APNSInput
import APNSServer
import APNSViews
import APNSWire

/// A server that runs scenarios, and the packets of the current one.
struct ConformanceSession {
  private let server: Server
  private let feedback: [UInt8]
  private let definitions: Definitions
  private let edition: Edition
  /// The services of ports.
  private let ports: [UInt16: RolePolicy.Service]
  private var capture: SessionCapture
  /// The number of packets in the capture.
  private var packetCount = 0
  private var packets: [SessionPacket] = []
  /// The connections since the scenario began, in order, and the number of those before.
  private var connections: [ServedConnection] = []
  private var earlierConnections = 0
  /// The indices of the connections with these routes from the client. Connections of the preceding scenario end during
  /// this one, and have none.
  private var indices: [ByteStream.Route: Int] = [:]
  /// Why a connection failed, such as a TLS handshake, as a sentence.
  private(set) var remark: String?
  /// When something was last sent or closed, on the clock of `clockSeconds`; nil if the provider did not connect.
  private(set) var lastTraffic: Double?
  /// The approximate size of the recorded packets, in bytes.
  private(set) var size = 0

  init(
    _ server: Server, _ capture: SessionCapture, _ feedback: FeedbackList, _ definitions: Definitions,
    _ edition: Edition
  ) {
    self.server = server
    self.capture = capture
    self.feedback = feedback.tuples
    self.definitions = definitions
    self.edition = edition
    ports = Dictionary(server.addresses.map { ($0.endpoint.port, $0.service) }) { first, _ in first }
  }

  var addresses: [ServerAddress] { server.addresses }
  var failure: Failure? { capture.failure }
  /// Whether the provider has closed all connections.
  var isClosed: Bool { connections.allSatisfy(\.isOver) }

  /// What the provider did since the scenario began.
  var traffic: ProviderTraffic {
    ProviderTraffic(packets, connections, definitions, RolePolicy(ports: ports), RulePolicy(edition: edition))
  }

  /// A command line that shows the conversations of the current scenario in a capture of the session; nil if there are
  /// none.
  func command(reading path: String) -> String? {
    guard !connections.isEmpty else { return nil }
    var words = ["apnscope", "dialogue"]
    for (port, service) in ports.sorted(by: { $0.key < $1.key })
    where RolePolicy.documentedPorts[port] != service {
      words += ["-d", "tcp.port==\(port),\(service.rawValue)"]
    }
    let last = earlierConnections + connections.count - 1
    words += ["--connections", "\(earlierConnections)-\(last)", path]
    return shellLine(words)
  }

  /// Begins a scenario. Connections of the preceding one are closed.
  mutating func begin(_ behavior: Behavior) {
    server.restart(definitions, edition: edition, behavior: behavior, feedback: feedback)
    while true {
      let events = server.events.take(waitingFor: 1)
      let start = events.firstIndex { if case .restarted = $0 { true } else { false } }
      record(events[..<(start ?? events.endIndex)])
      guard let start else { continue }
      earlierConnections += connections.count
      (packets, size, connections, indices, lastTraffic, remark) = ([], 0, [], [:], nil, nil)
      return record(events[start...])
    }
  }

  /// Records what happens on the connections. If nothing does, it waits for `seconds`.
  mutating func record(waitingFor seconds: Double) { record(server.events.take(waitingFor: seconds)[...]) }

  /// Stops the server.
  mutating func end() {
    server.stop()
    while true {
      let events = server.events.take(waitingFor: 1)
      capture.write(events[...])
      if case .stopped? = events.last { break }
    }
  }

  private mutating func record(_ events: ArraySlice<SessionEvent>) {
    for event in events {
      let written = SessionPacket.all(in: capture.write([event]), after: packetCount)
      packetCount += written.count
      guard note(event) else { continue }
      packets += written
      size += written.reduce(0) { $0 + $1.bytes.count + 64 }
    }
  }

  /// Notes what an event says about a connection of this scenario; false if it is about none.
  private mutating func note(_ event: SessionEvent) -> Bool {
    switch event {
    case .opened(let route, _):
      indices[route] = connections.count
      let isPush = ports[route.destination.port] == .push
      var connection = ServedConnection(
        number: earlierConnections + connections.count, isPush: isPush, opening: packetCount)
      // The first client of the feedback service receives all of it.
      if !isPush, connections.allSatisfy(\.isPush) { connection.unsentCount = feedback.count }
      connections.append(connection)
      lastTraffic = clockSeconds()
      return true
    case .sent(let bytes, let route, _):
      guard let index = indices[route] ?? indices[route.reversed] else { return false }
      if indices[route] == nil, !connections[index].isPush { connections[index].unsentCount -= bytes.count }
      lastTraffic = clockSeconds()
      return true
    case .closed(let route, let isReset, _):
      if let index = indices[route] {
        let isFirst = connections[index].end == nil
        connections[index].ending = isReset ? .reset : isFirst ? .finished : .finishedAfterPeer
        connections[index].isOver = true
        lastTraffic = clockSeconds()
      }
      if isReset, let index = indices[route.reversed] {
        connections[index].wasReset = true
        connections[index].isOver = true
      }
      guard let index = indices[route] ?? indices[route.reversed] else { return false }
      connections[index].end = connections[index].end ?? packetCount
      return true
    case .abandoned(let route, _):
      guard let index = indices[route] else { return false }
      connections[index].isOver = true
      return true
    case .reacted(let reaction, let route):
      if let index = indices[route], connections[index].reaction == nil { connections[index].reaction = reaction }
      return false
    case .remark(let sentence):
      // A provider that tries again has the same one each time.
      if remark == nil { StandardError.say(sentence) }
      remark = remark ?? sentence
      return false
    case .restarted, .stopping, .stopped: return false
    }
  }
}

/// A connection that a provider opened.
struct ServedConnection {
  let number: Int
  /// Whether it leads to the push gateway, not to the feedback service.
  let isPush: Bool
  /// The number of the last packet of its handshake.
  let opening: Int
  /// The number of the packet with which one side closed it first; nil if none did.
  var end: Int?
  /// What the gateway did first, other than to accept a notification; nil if nothing.
  var reaction: Reaction?
  /// Whether the server reset it.
  var wasReset = false
  /// The number of bytes that the feedback service still has for it.
  var unsentCount = 0
  /// How the provider closed it; open if it did not.
  var ending = StreamEnding.open
  /// Whether nothing more of the provider arrives on it.
  var isOver = false
}
