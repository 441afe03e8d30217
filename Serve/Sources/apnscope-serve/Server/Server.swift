import APNSDiagnosis
import APNSInput
import ArgumentParser
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// A push gateway and a feedback service on sockets.
///
/// One thread, that of `loop`, reads and writes all sockets and decides the replies. Another thread takes the
/// ``events`` and shows them. Safe, because `loop` runs everything that uses the variables.
final class Server: @unchecked Sendable {
  let options: ApnscopeServe
  let definitions: Definitions
  /// Nil for connections without TLS.
  let tls: NIOSSLContext?
  /// The tuples that the feedback service sends to its first client.
  let feedback: [UInt8]
  let events = SessionEvents()
  /// Where the services listen once they have started, the push gateway first. No port is 0.
  private(set) var addresses: [ServiceAddress] = []
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let loop: any EventLoop
  /// Judges the streams of push connections.
  var gateway: Gateway
  /// The tuples that no client has received.
  private var unsentFeedback: [UInt8]
  /// The services and their sockets, which are nil while connections are refused. A port that was 0 is the one that was
  /// chosen once it listens.
  private var listeners: [(address: ServiceAddress, channel: (any Channel)?)]
  /// When connections are accepted again.
  private var refusesUntil = NIODeadline.uptimeNanoseconds(0)
  /// By the number of the stream from the client. As in captures, the stream to the client has the next number.
  private var connections: [Int: Connection] = [:]
  private var nextNumber = 0
  private var isStopping = false
  private var sweep: RepeatedTask?
  private var lastSweep = NIODeadline.now()
  private static let sweepInterval = TimeAmount.milliseconds(500)
  /// The most bytes of incomplete notifications, over all connections.
  private static let mostHeldBytes = 16 << 20
  /// The most connections at once; others are closed immediately. Those, files and listeners need descriptors, too.
  private let mostConnections = min(4096, descriptorLimit() / 4 * 3)

  init(
    _ options: ApnscopeServe, _ definitions: Definitions, _ tls: NIOSSLContext?, feedback: [UInt8],
    _ behavior: Behavior
  ) {
    (self.options, self.definitions, self.tls, self.feedback) = (options, definitions, tls, feedback)
    loop = group.next()
    gateway = Gateway(definitions, options.edition, behavior)
    unsentFeedback = feedback
    listeners = [(options.listen, nil), (options.feedback, nil)]
  }

  // MARK: Used by another thread

  /// Starts the services.
  func start() throws(Failure) {
    do {
      addresses = try loop.flatSubmit {
        let interval = Self.sweepInterval
        self.sweep = self.loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in self.closeLate() }
        return EventLoopFuture.whenAllSucceed(self.listeners.indices.map(self.listen), on: self.loop)
      }.wait()
    } catch {
      throw error as? Failure ?? .unreadable("\(error)")
    }
  }

  /// Closes all connections, and continues at the same addresses as if it had just started.
  func restart(_ behavior: Behavior) {
    loop.execute {
      for connection in self.connections.values { connection.abandon() }
      self.gateway = Gateway(self.definitions, self.options.edition, behavior)
      self.unsentFeedback = self.feedback
      self.events.add(.restarted)
    }
  }

  /// Closes all connections. The last event is then ``SessionEvent/stopped``.
  func stop() {
    loop.execute {
      guard !self.isStopping else { return }
      self.isStopping = true
      self.events.add(.stopping)
      self.sweep?.cancel()
      let channels = self.listeners.compactMap(\.channel) + self.connections.values.map(\.channel)
      let closed = channels.map(\.closeFuture)
      for listener in self.listeners { listener.channel?.close(promise: nil) }
      for connection in self.connections.values { connection.abandon() }
      EventLoopFuture.andAllComplete(closed, on: self.loop).whenComplete { _ in self.events.add(.stopped) }
    }
  }

  /// Ends the server's thread, after ``SessionEvent/stopped``.
  func shutDown() { try? group.syncShutdownGracefully() }

  // MARK: Listeners

  private func listen(_ index: Int) -> EventLoopFuture<ServiceAddress> {
    let address = listeners[index].address
    return ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      // A small buffer of the system, so that what is written has nearly arrived.
      .childChannelOption(.socketOption(.so_sndbuf), value: 1 << 16)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let tls = self.tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
          try pipeline.addHandler(Connection(of: self, address.service, on: channel))
        }
      }
      .bind(host: address.host, port: address.port)
      .flatMapThrowing { channel in
        guard let host = channel.localAddress?.ipAddress, let port = channel.localAddress?.port else {
          throw Failure.unreadable("\(address): no IP address")
        }
        let local = ServiceAddress(host: host, port: port, service: address.service)
        self.listeners[index] = (local, channel)
        return local
      }
      .flatMapErrorThrowing { error in
        throw error as? Failure
          ?? .unreadable("cannot listen on \(address): \(reason(of: error)); choose another address and port")
      }
  }

  /// Closes all listeners for a time, so that connections are refused. A longer time that was set before still applies.
  func refuse(for seconds: Double) {
    refusesUntil = max(refusesUntil, .now() + .seconds(seconds))
    for index in listeners.indices {
      listeners[index].channel?.close(promise: nil)
      listeners[index].channel = nil
    }
    loop.scheduleTask(in: .seconds(seconds)) {
      guard !self.isStopping, self.refusesUntil <= .now() else { return }
      for index in self.listeners.indices where self.listeners[index].channel == nil {
        self.listen(index).whenFailure { self.events.add(.remark(($0 as? Failure)?.sentence ?? "\($0)")) }
      }
    }
  }

  // MARK: Connections

  /// Adds a connection and returns the number of its stream; nil if it is to be closed at once.
  func add(_ connection: Connection) -> Int? {
    guard !isStopping else { return nil }
    guard connections.count < mostConnections else {
      connection.giveUp("too many connections are open")
      return nil
    }
    let number = nextNumber
    nextNumber += 2
    connections[number] = connection
    if connection.service == .push { gateway.open(ByteStream(number: number)) }
    return number
  }

  func remove(_ number: Int) {
    guard let connection = connections.removeValue(forKey: number) else { return }
    if connection.service == .push { gateway.discard(number) }
  }

  /// Closes the connections with the longest incomplete notifications, if all of them together are too long.
  func limitHeldBytes() {
    while gateway.heldBytes > Self.mostHeldBytes {
      let longest = connections.keys.max(by: { gateway.heldBytes(of: $0) < gateway.heldBytes(of: $1) })
      guard let longest else { return }
      connections[longest]?.giveUp("incomplete notifications take too much memory, and this one has the longest")
      gateway.discard(longest)
    }
  }

  /// The tuples for the next feedback client. Each tuple is sent once.
  func takeFeedback() -> [UInt8] {
    defer { unsentFeedback = [] }
    return unsentFeedback
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

/// Where a service listens.
struct ServiceAddress: Sendable, CustomStringConvertible {
  /// A name or an IP address.
  var host: String
  /// 0 chooses a free port.
  var port: Int
  let service: RolePolicy.Service

  var description: String { (host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)") + " (\(service.rawValue))" }
}

extension ServiceAddress {
  /// Parses `HOST:PORT` or `PORT`; an IPv6 address is in brackets.
  init(_ text: String, _ service: RolePolicy.Service) throws {
    guard let match = text.wholeMatch(of: /(?:\[(?<v6>.+)\]:|(?<name>[^:]+):)?(?<port>\d+)/),
      let port = UInt16(match.port)
    else { throw ValidationError("write HOST:PORT or PORT, such as 127.0.0.1:2195 or [::1]:2195") }
    self.init(host: String(match.v6 ?? match.name ?? "127.0.0.1"), port: Int(port), service: service)
  }
}

extension TimeAmount {
  static func seconds(_ seconds: Double) -> TimeAmount { .nanoseconds(Int64(seconds * 1e9)) }
}

/// An error of a socket or of TLS, as words.
func reason(of error: any Error) -> String {
  switch error {
  case let error as IOError: systemError(error.errnoCode)
  case is SocketAddressError.UnknownHost: "no address is known for this host"
  case let error as NIOConnectionError: error.connectionErrors.first.map { reason(of: $0.error) } ?? "\(error)"
  default: "\(error)"
  }
}

/// Allows this process as many open descriptors as the system lets it have, and returns how many that are.
private func descriptorLimit() -> Int {
  #if os(Linux)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    let resource = RLIMIT_NOFILE
  #endif
  var limit = rlimit()
  guard unsafe getrlimit(resource, &limit) == 0 else { return 256 }
  limit.rlim_cur = limit.rlim_max
  if unsafe setrlimit(resource, &limit) != 0 { _ = unsafe getrlimit(resource, &limit) }
  return Int(clamping: limit.rlim_cur)
}
