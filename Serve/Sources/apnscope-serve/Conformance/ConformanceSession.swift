import APNSDiagnosis
import APNSInput
import APNSViews

/// A server that runs scenarios, and the packets of the current one.
struct ConformanceSession {
  let server: Server
  private var capture: SessionCapture
  /// Whether the server has begun the current scenario.
  private var hasBegun = false
  /// The services of ports.
  private let ports: [UInt16: RolePolicy.Service]
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

  init(_ server: Server, _ capture: SessionCapture) {
    (self.server, self.capture) = (server, capture)
    ports = Dictionary(server.addresses.map { (UInt16($0.port), $0.service) }) { first, _ in first }
  }

  var failure: Failure? { capture.failure }
  /// Whether the provider has closed all connections.
  var isClosed: Bool { connections.allSatisfy(\.isOver) }

  /// What the provider did since the scenario began.
  var traffic: ProviderTraffic {
    ProviderTraffic(
      packets, connections, server.definitions, RolePolicy(ports: ports),
      RulePolicy(edition: server.options.edition))
  }

  /// A command line that shows the conversations of the current scenario in a capture of the session; nil if there are
  /// none.
  func command(reading path: String) -> String? {
    guard let first = connections.first, let last = connections.last else { return nil }
    var words = ["apnscope", "dialogue"]
    for (port, service) in ports.sorted(by: { $0.key < $1.key })
    where RolePolicy.documentedPorts[port] != service {
      words += ["-d", "tcp.port==\(port),\(service.rawValue)"]
    }
    words += ["--connections", "\(first.number)-\(last.number)", path]
    return shellLine(words)
  }

  /// Begins a scenario. Connections of the preceding one are closed.
  mutating func begin(_ behavior: Behavior) {
    server.restart(behavior)
    hasBegun = false
    while !hasBegun { record(waitingFor: 1) }
  }

  /// Stops the server.
  mutating func end() {
    server.stop()
    while !capture.hasStopped { capture.write(server.events.take(waitingFor: 1)[...]) }
  }

  /// Records what happens on the connections. If nothing does, it waits for `seconds`.
  mutating func record(waitingFor seconds: Double) {
    for event in server.events.take(waitingFor: seconds) {
      let written = sessionPackets(in: capture.write([event]), after: packetCount)
      packetCount += written.count
      switch event {
      case .traffic(let traffic, let route, let time):
        guard note(traffic, route, time) else { continue }
        packets += written
        size += written.reduce(0) { $0 + $1.bytes.count + 64 }
      case .reacted(let reaction, let route):
        if let index = indices[route], connections[index].reaction == nil { connections[index].reaction = reaction }
      case .remark(let sentence):
        // A provider that tries again has the same one each time.
        if remark == nil { StandardError.say(sentence) }
        remark = remark ?? sentence
      case .restarted:
        earlierConnections += connections.count
        (packets, size, connections, indices, lastTraffic, remark) = ([], 0, [], [:], nil, nil)
        hasBegun = true
      case .stopping, .stopped: break
      }
    }
  }

  /// Notes what happened on a connection of this scenario; false if it is none.
  private mutating func note(_ traffic: SessionEvent.Traffic, _ route: ByteStream.Route, _ time: CaptureTime) -> Bool {
    if case .opened = traffic {
      indices[route] = connections.count
      let isPush = ports[route.destination.port] == .push
      // The first client of the feedback service receives all of it.
      let isFirst = !isPush && connections.allSatisfy(\.isPush)
      connections.append(
        ServedConnection(
          number: earlierConnections + connections.count, isPush: isPush, opening: packetCount,
          unsentCount: isFirst ? server.feedback.count : 0))
    }
    let isFromProvider = indices[route] != nil
    guard let index = indices[route] ?? indices[route.reversed] else { return false }
    connections[index].note(traffic, at: time, fromProvider: isFromProvider, packetCount: packetCount)
    switch traffic {
    case .opened, .sent: lastTraffic = clockSeconds()
    case .closed: if isFromProvider { lastTraffic = clockSeconds() }
    case .abandoned: break
    }
    return true
  }
}
