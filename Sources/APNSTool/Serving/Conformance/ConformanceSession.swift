import APNSDiagnosis
import APNSGateway
import APNSInput
import APNSServer

/// A server that runs scenarios, and the packets of the current one.
struct ConformanceSession {
  private let server: Server
  private let settings: StreamSettings
  private let feedback: [UInt8]
  private var capture: SessionCapture
  private var packets = SessionPackets()
  /// The routes from the clients that connected during this scenario.
  private var clients: Set<ByteStream.Route> = []
  private var openClients: Set<ByteStream.Route> = []
  /// The number of connections before and since the scenario began.
  private var earlierConnections = 0
  private var connections = 0
  /// When the provider last did something, on the clock of `clockSeconds`; nil if it did nothing.
  private(set) var lastTraffic: Double?

  init(_ running: RunningServer, _ capture: SessionCapture, _ feedback: [UInt8]) {
    (server, settings) = (running.server, running.settings)
    self.capture = capture
    self.feedback = feedback
  }

  var addresses: [ServerAddress] { server.addresses }
  var failure: Failure? { capture.failure }
  /// The approximate size of the recorded packets, in bytes.
  var size: Int { packets.size }
  /// The number of connections that the provider has not closed.
  var openConnections: Int { openClients.count }

  /// What the provider did since the scenario began.
  var traffic: ProviderTraffic { ProviderTraffic(packets, settings, firstConnection: earlierConnections) }

  /// A command line that shows the conversations in a capture of the session.
  func command(reading path: String) -> String {
    let uses = addresses.flatMap { ["-d", "tcp.port==\($0.endpoint.port),\($0.service.rawValue)"] }
    return (["apnscope", "dialogue"] + uses + [path]).map(shellWord).joined(separator: " ")
  }

  /// Begins a scenario. Connections of the preceding one are closed.
  mutating func begin(_ behavior: Behavior) {
    server.restart(protocolDefinitions, rules: settings.rules, behavior: behavior, feedback: feedback)
    while true {
      let events = server.events.take(waitingFor: 1)
      let start = events.firstIndex { if case .restarted = $0 { true } else { false } }
      record(events[..<(start ?? events.endIndex)])
      guard let start else { continue }
      (packets, clients, openClients, lastTraffic) = (SessionPackets(), [], [], nil)
      (earlierConnections, connections) = (earlierConnections + connections, 0)
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
      _ = capture.packets(of: events[...])
      if case .stopped? = events.last { break }
    }
    _ = capture.finish()
    server.shutDown()
  }

  private mutating func record(_ events: ArraySlice<SessionEvent>) {
    for event in events {
      let written = capture.packets(of: [event])
      // Connections of the preceding scenario end during this one.
      if isOwn(event) { packets.append(written) }
    }
  }

  /// Whether the event belongs to a connection that was opened during this scenario.
  private mutating func isOwn(_ event: SessionEvent) -> Bool {
    switch event {
    case .opened(let route, _):
      clients.insert(route)
      openClients.insert(route)
      connections += 1
      lastTraffic = clockSeconds()
      return true
    case .sent(_, let route, _):
      if clients.contains(route) { lastTraffic = clockSeconds() }
      return clients.contains(route) || clients.contains(route.reversed)
    case .closed(let route, _, _):
      if openClients.remove(route) != nil { lastTraffic = clockSeconds() }
      return clients.contains(route) || clients.contains(route.reversed)
    case .remark, .restarted, .stopping, .stopped: return false
    }
  }
}
