import APNSDiagnosis
import APNSGateway
import APNSInput
import APNSWire
import NIOCore
import NIOPosix
import NIOSSL

/// A push gateway and a feedback service on sockets.
///
/// One thread reads and writes all sockets and decides the replies. Another thread takes the ``events`` and shows them.
public final class Server: Sendable {
  /// What happens on the connections.
  public let events: SessionEvents
  private let group: MultiThreadedEventLoopGroup
  /// Where the services listen, in the order in which the settings name them.
  public let addresses: [ServerAddress]
  private let services: NIOLoopBound<Services>

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - settings: the addresses, and when to give up on a client.
  ///   - definitions: the frame types and rules.
  ///   - edition: the edition whose limits and replies apply.
  ///   - behavior: how the gateway deviates from the documents.
  /// - Throws: ``ServerError`` if it cannot listen on an address.
  public init(
    _ settings: ServerSettings, _ definitions: Definitions, edition: Edition, behavior: Behavior = Behavior()
  ) throws(ServerError) {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let (loop, events) = (group.next(), SessionEvents())
    (self.group, self.events) = (group, events)
    do {
      let services = try loop.submit {
        let gateway = Gateway(definitions, edition: edition, behavior: behavior)
        return NIOLoopBound(Services(settings, gateway, loop, events), eventLoop: loop)
      }.wait()
      self.services = services
      addresses = try loop.flatSubmit { services.value.start() }.wait()
    } catch {
      try? group.syncShutdownGracefully()
      throw error as? ServerError ?? ServerError("\(error)")
    }
  }

  /// Closes all connections, and continues at the same addresses as if it had just started. The event
  /// ``SessionEvent/restarted`` separates the connections.
  ///
  /// - Parameters:
  ///   - definitions: the frame types and rules.
  ///   - edition: the edition whose limits and replies apply.
  ///   - behavior: how the gateway deviates from the documents.
  ///   - feedback: the bytes that the feedback service sends to the next client.
  public func restart(_ definitions: Definitions, edition: Edition, behavior: Behavior, feedback: [UInt8]) {
    let services = services
    group.next().execute {
      services.value.restart(Gateway(definitions, edition: edition, behavior: behavior), feedback: feedback)
    }
  }

  /// Closes all connections. The last event is then ``SessionEvent/stopped``.
  public func stop() {
    let services = services
    group.next().execute { services.value.stop() }
  }

  /// Ends the server's thread, after ``SessionEvent/stopped``.
  public func shutDown() { try? group.syncShutdownGracefully() }
}

/// Where a service listens.
public struct ServerAddress: Sendable, CustomStringConvertible {
  /// The address and the port, which is not 0.
  public let endpoint: Endpoint
  /// The service.
  public let service: RolePolicy.Service

  public var description: String { "\(endpoint) (\(service.rawValue))" }
}

/// An error that prevents a server from starting, as a sentence.
public struct ServerError: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// How a server listens and when it gives up on a client.
public struct ServerSettings: Sendable {
  /// The addresses of the services.
  public var listeners: [(address: ListenAddress, service: RolePolicy.Service)] = []
  /// The certificates; nil for connections without TLS.
  public var tls: ServerTLS?
  /// The bytes that the feedback service sends to the next client.
  public var feedback: [UInt8] = []
  /// A connection without traffic is closed after this time, in seconds.
  public var idleSeconds = 3600.0
  /// A connection is closed if a notification takes longer than this from its first byte to its last, in seconds.
  public var frameSeconds = 60.0
  /// The most connections at once; others are closed immediately.
  public var mostConnections = 4096

  /// Settings without an address.
  public init() {}

  /// How long the gateway waits after its reply for the client to close, so that a reply is not lost in a reset.
  public static let lingerSeconds = 2.0
  /// The time between the two segments of a reply.
  static let splitSeconds = 0.2
  /// The most bytes of incomplete notifications, over all connections.
  static let mostHeldBytes = 16 << 20
}

/// A host and a port to listen on.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
  /// A name or an address.
  public let host: String
  /// The port; 0 chooses a free one.
  public let port: Int

  /// An address on this machine alone.
  public static func loopback(_ port: UInt16) -> ListenAddress { ListenAddress(host: "127.0.0.1", port: Int(port)) }

  init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Parses `HOST:PORT` or `PORT`; an IPv6 address is in brackets. Nil for any other text.
  public init?(_ text: String) {
    let colon = text.lastIndex(of: ":")
    guard let port = UInt16(colon.map { String(text[text.index(after: $0)...]) } ?? text) else { return nil }
    var host = colon.map { text[..<$0] } ?? "127.0.0.1"
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.init(host: String(host), port: Int(port))
  }

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
