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
  private var listeners: [any Channel] = []
  private var connections: [Int: Connection] = [:]
  private var connectionCount = 0
  private var isStopping = false
  private var sweep: RepeatedTask?

  init(_ settings: ServerSettings, _ gateway: consuming Gateway, _ loop: any EventLoop, _ events: SessionEvents) {
    self.settings = settings
    self.gateway = gateway
    self.loop = loop
    self.events = events
    feedback = settings.feedback
  }

  func start() -> EventLoopFuture<[ServerAddress]> {
    let own = NIOLoopBound(self, eventLoop: loop)
    sweep = loop.scheduleRepeatedTask(initialDelay: .milliseconds(500), delay: .milliseconds(500)) { _ in
      own.value.closeLate()
    }
    let bound = settings.listeners.map { listener in
      bind(listener.address, listener.service).flatMapThrowing { channel in
        guard let endpoint = channel.localAddress?.endpoint else {
          throw ServerError("\(listener.address): no IP address")
        }
        return ServerAddress(endpoint: endpoint, service: listener.service)
      }
    }
    return EventLoopFuture.whenAllSucceed(bound, on: loop)
  }

  private func bind(_ address: ListenAddress, _ service: RolePolicy.Service) -> EventLoopFuture<any Channel> {
    let own = NIOLoopBound(self, eventLoop: loop)
    return ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let context = own.value.settings.tls?.context {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
          }
          try channel.pipeline.syncOperations.addHandler(Connection(of: own.value, service))
        }
      }
      .bind(host: address.host, port: address.port)
      .map { channel in
        own.value.listeners.append(channel)
        return channel
      }
      .flatMapErrorThrowing { error in
        throw ServerError("cannot listen on \(address) (\(service.rawValue)): \(reason(of: error))")
      }
  }

  func stop() {
    guard !isStopping else { return }
    isStopping = true
    events.add(.stopping)
    sweep?.cancel()
    let events = events
    let closed = (listeners + connections.values.compactMap(\.channel)).map(\.closeFuture)
    for listener in listeners { listener.close(promise: nil) }
    for connection in connections.values { connection.close() }
    EventLoopFuture.andAllComplete(closed, on: loop).whenComplete { _ in events.add(.stopped) }
  }

  /// Closes all connections, and serves later ones with another gateway and other feedback.
  func restart(_ gateway: consuming Gateway, feedback: [UInt8]) {
    for connection in connections.values { connection.close() }
    self.gateway = gateway
    self.feedback = feedback
    events.add(.restarted)
  }

  // MARK: Connections

  /// Adds a connection and returns its number; nil if it is to be closed at once.
  func add(_ connection: Connection, from client: Endpoint) -> Int? {
    guard !isStopping else { return nil }
    guard connections.count < settings.mostConnections else {
      note(.remark("\(client): closed, because too many connections are open"))
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

  /// Whether the gateway keeps a part of an incomplete notification.
  func isIncomplete(_ number: Int) -> Bool { gateway.heldBytes(of: number) > 0 }

  /// Whether incomplete notifications take too much memory over all connections.
  var isFull: Bool { gateway.heldBytes > ServerSettings.mostHeldBytes }

  /// Judges bytes of a push connection.
  func receive(_ bytes: [UInt8], on number: Int) -> Reaction? { gateway.receive(bytes.span, on: number) }

  /// The tuples for the next feedback client. Each tuple is sent once.
  func takeFeedback() -> [UInt8] {
    defer { feedback = [] }
    return feedback
  }

  func note(_ event: SessionEvent) { events.add(event) }

  /// Closes all listeners for a time, so that connections are refused.
  func refuse(for seconds: Double) {
    let all = zip(listeners, settings.listeners).map { ($0, ListenAddress(of: $0) ?? $1.address, $1.service) }
    listeners = []
    for (channel, _, _) in all { channel.close(promise: nil) }
    let own = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: .seconds(seconds)) {
      let services = own.value
      guard !services.isStopping else { return }
      for (_, address, service) in all {
        services.bind(address, service).whenFailure { own.value.note(.remark("\($0)")) }
      }
    }
  }

  private func closeLate() {
    let now = NIODeadline.now()
    for connection in connections.values { connection.closeIfLate(now) }
  }
}

extension TimeAmount {
  static func seconds(_ seconds: Double) -> TimeAmount { .nanoseconds(Int64(seconds * 1e9)) }
}

extension SocketAddress {
  var endpoint: Endpoint? { Endpoint(text) }

  /// `127.0.0.1:2195`
  var text: String {
    let host = ipAddress ?? ""
    return host.contains(":") ? "[\(host)]:\(port ?? 0)" : "\(host):\(port ?? 0)"
  }
}

extension ListenAddress {
  fileprivate init?(of channel: any Channel) {
    guard let text = channel.localAddress?.text else { return nil }
    self.init(text)
  }
}

/// An error of a socket or of TLS, as words.
func reason(of error: any Error) -> String {
  switch error {
  case let error as IOError: unsafe String(cString: strerror(error.errnoCode))
  case let error as NIOConnectionError: error.connectionErrors.first.map { reason(of: $0.error) } ?? "\(error)"
  default: "\(error)"
  }
}
