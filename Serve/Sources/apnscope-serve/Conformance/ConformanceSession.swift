import APNSDiagnosis
import APNSInput
import APNSViews

/// A server that runs scenarios, and the packets of the current one.
struct ConformanceSession {
  private let server: Server
  let addresses: [ServiceAddress]
  private var capture: SessionCapture
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

  init(_ server: Server, _ addresses: [ServiceAddress], _ capture: SessionCapture) {
    (self.server, self.addresses, self.capture) = (server, addresses, capture)
    ports = Dictionary(addresses.map { (UInt16($0.port), $0.service) }) { first, _ in first }
  }

  var failure: Failure? { capture.failure }
  /// Whether the provider has closed all connections.
  var isClosed: Bool { connections.allSatisfy(\.isOver) }

  /// What the provider did since the scenario began.
  var traffic: ProviderTraffic {
    ProviderTraffic(
      packets, connections, server.settings.definitions, RolePolicy(ports: ports),
      RulePolicy(edition: server.settings.edition))
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
      switch event {
      case .traffic(let traffic, let route, _):
        guard note(traffic, route) else { continue }
        packets += written
        size += written.reduce(0) { $0 + $1.bytes.count + 64 }
      case .reacted(let reaction, let route):
        if let index = indices[route], connections[index].reaction == nil { connections[index].reaction = reaction }
      case .remark(let sentence):
        // A provider that tries again has the same one each time.
        if remark == nil { StandardError.say(sentence) }
        remark = remark ?? sentence
      case .restarted, .stopping, .stopped: break
      }
    }
  }

  /// Notes what happened on a connection of this scenario; false if it is none.
  private mutating func note(_ traffic: SessionEvent.Traffic, _ route: ByteStream.Route) -> Bool {
    if case .opened = traffic {
      indices[route] = connections.count
      let isPush = ports[route.destination.port] == .push
      // The first client of the feedback service receives all of it.
      let isFirst = !isPush && connections.allSatisfy(\.isPush)
      connections.append(
        ServedConnection(
          number: earlierConnections + connections.count, isPush: isPush, opening: packetCount,
          unsentCount: isFirst ? server.settings.feedback.count : 0))
    }
    let isFromProvider = indices[route] != nil
    guard let index = indices[route] ?? indices[route.reversed] else { return false }
    connections[index].note(traffic, fromProvider: isFromProvider, packetCount: packetCount)
    switch traffic {
    case .opened, .sent: lastTraffic = clockSeconds()
    case .closed: if isFromProvider { lastTraffic = clockSeconds() }
    case .abandoned: break
    }
    return true
  }
}
