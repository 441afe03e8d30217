import APNSDiagnosis
import APNSGateway
import APNSInput
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The listeners and connections of a server. All of it runs on one event loop.
final class Services {
  let settings: ServerSettings
  let loop: any EventLoop
  private var gateway: Gateway
  private let events: SessionEvents
  /// The tuples that no client has received.
  private var feedback: [UInt8]
  private var listeners: [Listener] = []
  /// When connections are accepted again.
  private var refusesUntil = NIODeadline.uptimeNanoseconds(0)
  private var connections: [Int: Connection] = [:]
  private var connectionCount = 0
  private var isStopping = false
  private var sweep: RepeatedTask?
  private var lastSweep = NIODeadline.now()
  private static let sweepInterval = TimeAmount.milliseconds(500)

  private struct Listener {
    var address: ListenAddress
    let service: RolePolicy.Service
    /// The socket; nil while connections are refused.
    var channel: (any Channel)?
  }

  init(_ settings: ServerSettings, _ gateway: consuming Gateway, _ loop: any EventLoop, _ events: SessionEvents) {
    self.settings = settings
    self.gateway = gateway
    self.loop = loop
    self.events = events
    feedback = settings.feedback
    listeners = settings.listeners.map { Listener(address: $0.address, service: $0.service) }
  }

  func start() -> EventLoopFuture<[ServerAddress]> {
    let bound = NIOLoopBound(self, eventLoop: loop)
    sweep = loop.scheduleRepeatedTask(initialDelay: Self.sweepInterval, delay: Self.sweepInterval) { _ in
      bound.value.closeLate()
    }
    return EventLoopFuture.whenAllSucceed(listeners.indices.map(listen), on: loop)
  }

  /// Opens a listener. A port that was 0 is the one that was chosen from then on.
  private func listen(_ index: Int) -> EventLoopFuture<ServerAddress> {
    let (address, service) = (listeners[index].address, listeners[index].service)
    let bound = NIOLoopBound(self, eventLoop: loop)
    return ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      // A small buffer of the system, so that what is written has nearly arrived.
      .childChannelOption(.socketOption(.so_sndbuf), value: 1 << 16)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let context = bound.value.settings.tls?.context {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
          }
          try channel.pipeline.syncOperations.addHandler(Connection(of: bound.value, service, on: channel))
        }
      }
      .bind(host: address.host, port: address.port)
      .flatMapThrowing { channel in
        guard let local = channel.localAddress?.hostAndPort, let endpoint = Endpoint("\(local)") else {
          throw ServerError("\(address): no IP address")
        }
        bound.value.listeners[index].channel = channel
        bound.value.listeners[index].address = local
        return ServerAddress(endpoint: endpoint, service: service)
      }
      .flatMapErrorThrowing { error in
        throw error as? ServerError
          ?? ServerError(
            "cannot listen on \(address) (\(service.rawValue)): \(reason(of: error)); choose another address and port")
      }
  }

  func stop() {
    guard !isStopping else { return }
    isStopping = true
    events.add(.stopping)
    sweep?.cancel()
    let events = events
    let channels = listeners.compactMap(\.channel) + connections.values.map(\.channel)
    let closed = channels.map(\.closeFuture)
    for listener in listeners { listener.channel?.close(promise: nil) }
    for connection in connections.values { connection.abandon() }
    EventLoopFuture.andAllComplete(closed, on: loop).whenComplete { _ in events.add(.stopped) }
  }

  /// Closes all connections, and serves later ones with another gateway and other feedback.
  func restart(_ gateway: consuming Gateway, feedback: [UInt8]) {
    for connection in connections.values { connection.abandon() }
    self.gateway = gateway
    self.feedback = feedback
    events.add(.restarted)
  }

  // MARK: Connections

  /// Adds a connection and returns its number; nil if it is to be closed at once.
  func add(_ connection: Connection) -> Int? {
    guard !isStopping else { return nil }
    guard connections.count < settings.mostConnections else {
      connection.giveUp("too many connections are open")
      return nil
    }
    let number = connectionCount
    connectionCount += 1
    connections[number] = connection
    if connection.service == .push { gateway.open(number) }
    return number
  }

  func remove(_ number: Int) {
    guard let connection = connections.removeValue(forKey: number) else { return }
    if connection.service == .push { gateway.close(number) }
  }

  /// The number of bytes that the gateway keeps of an incomplete notification.
  func heldBytes(of number: Int) -> Int { gateway.heldBytes(of: number) }

  /// Closes the connections with the longest incomplete notifications, if all of them together are too long.
  func limitHeldBytes() {
    while gateway.heldBytes > ServerSettings.mostHeldBytes {
      guard let longest = connections.keys.max(by: { heldBytes(of: $0) < heldBytes(of: $1) }) else { return }
      connections[longest]?.giveUp("incomplete notifications take too much memory, and this one has the longest")
      gateway.close(longest)
    }
  }

  /// Judges bytes of a push connection.
  func receive(_ bytes: [UInt8], on number: Int) -> [Reaction] { gateway.receive(bytes.span, on: number) }

  /// The tuples for the next feedback client. Each tuple is sent once.
  func takeFeedback() -> [UInt8] {
    defer { feedback = [] }
    return feedback
  }

  func note(_ event: SessionEvent) { events.add(event) }

  /// Closes all listeners for a time, so that connections are refused. A longer time that was set before still applies.
  func refuse(for seconds: Double) {
    refusesUntil = max(refusesUntil, .now() + .seconds(seconds))
    for index in listeners.indices {
      listeners[index].channel?.close(promise: nil)
      listeners[index].channel = nil
    }
    let bound = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: .seconds(seconds)) { bound.value.listenAgain() }
  }

  private func listenAgain() {
    guard !isStopping, refusesUntil <= .now() else { return }
    let bound = NIOLoopBound(self, eventLoop: loop)
    for index in listeners.indices where listeners[index].channel == nil {
      listen(index).whenFailure { bound.value.note(.remark("\($0)")) }
    }
  }

  private func closeLate() {
    let now = NIODeadline.now()
    // While the output is slower than the clients, nothing is read, and no client is to blame for that.
    let delay = now - lastSweep - Self.sweepInterval
    lastSweep = now
    for connection in connections.values {
      if delay > Self.sweepInterval { connection.excuse(delay) }
      connection.closeIfLate(now)
    }
  }
}

extension TimeAmount {
  static func seconds(_ seconds: Double) -> TimeAmount { .nanoseconds(Int64(seconds * 1e9)) }
}

extension SocketAddress {
  var endpoint: Endpoint? { hostAndPort.flatMap { Endpoint("\($0)") } }

  /// The address with its port; nil for a socket without an IP address.
  var hostAndPort: ListenAddress? {
    guard let ipAddress, let port else { return nil }
    return ListenAddress(host: ipAddress, port: port)
  }
}

/// An error of a socket or of TLS, as words.
func reason(of error: any Error) -> String {
  switch error {
  case let error as IOError: unsafe String(cString: strerror(error.errnoCode))
  case is SocketAddressError.UnknownHost: "no address is known for this host"
  case let error as NIOConnectionError: error.connectionErrors.first.map { reason(of: $0.error) } ?? "\(error)"
  default: "\(error)"
  }
}
