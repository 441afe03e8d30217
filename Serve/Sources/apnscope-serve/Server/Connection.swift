import APNSDiagnosis
import APNSInput
import Foundation
import NIOCore
import NIOSSL
import NIOTLS
import Octets

/// One connection of a client: receives its bytes, and reacts.
final class Connection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  let service: RolePolicy.Service
  let channel: any Channel
  private let server: Server
  /// The number of the stream from the client; nil before the connection is open and after.
  private var number: Int?
  /// The route from the client; nil until the session begins, which is after the TLS handshake.
  private var route: ByteStream.Route?
  private var clientHasEnded = false
  private var serverHasEnded = false
  /// Whether nothing more is written than what is being written.
  private var isEnding = false
  private var hasFailed = false
  /// Whether the client's bytes are shown, but not judged any more.
  private var isDiscarding = false
  /// When the client connected or last sent something, or when everything for it was written.
  private var lastTraffic = NIODeadline.now()
  /// The number of bytes that the client has sent.
  private var byteCount = 0
  /// The incomplete notification: where it begins, in bytes from the beginning of the stream, and when that arrived.
  private var incomplete: (start: Int, since: NIODeadline)?
  /// The reactions that follow, in order.
  private var reactions = CircularBuffer<Reaction>()
  /// Whether the gateway waits before it acts. The client need not send anything meanwhile.
  private var isWaiting = false

  /// How long the gateway waits after its reply for the client to close, so that a reply is not lost in a reset.
  private static let lingerSeconds = 2.0
  /// The time between the two segments of a reply.
  private static let splitSeconds = 0.2
  /// The most bytes that are written at once.
  private static let pieceSize = 1 << 14

  init(of server: Server, _ service: RolePolicy.Service, on channel: any Channel) {
    (self.server, self.service, self.channel) = (server, service, channel)
  }

  private var loop: NIOIsolatedEventLoop { channel.eventLoop.assumeIsolated() }

  // MARK: Events of the socket

  func channelActive(context: ChannelHandlerContext) {
    number = server.add(self)
    if number == nil {
      channel.close(promise: nil)
    } else if server.tls == nil {
      begin()
    }
  }

  /// Begins the session: the client has connected, and TLS is established.
  private func begin() {
    guard let client = channel.remoteAddress?.endpoint, let local = channel.localAddress?.endpoint else {
      return channel.close(promise: nil)
    }
    route = ByteStream.Route(source: client, destination: local)
    lastTraffic = .now()
    note(.opened)
    if service == .feedback {
      isEnding = true
      send(server.takeFeedback()[...]) { self.end() }
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = unwrapInboundIn(data)
    guard !clientHasEnded, let number, route != nil, let bytes = buffer.readBytes(length: buffer.readableBytes) else {
      return
    }
    // A provider that speaks TLS to a server without it is the most frequent mistake. These begin a handshake record.
    if byteCount == 0, bytes.starts(with: [0x16, 3]) {
      remark("the client speaks TLS; serve it with --tls-self-signed DIR, or with --tls-cert and --tls-key")
    }
    byteCount += bytes.count
    note(.sent(bytes))
    lastTraffic = .now()
    guard service == .push, !isDiscarding else { return }
    let new = server.gateway.receive(bytes.span, on: number)
    isDiscarding = new.last?.isLast ?? false
    let held = server.gateway.heldBytes(of: number)
    if held == 0 {
      incomplete = nil
    } else if incomplete?.start != byteCount - held {
      incomplete = (byteCount - held, lastTraffic)
    }
    for reaction in new { reactions.append(reaction) }
    react()
    server.limitHeldBytes()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent { begin() }
    if case ChannelEvent.inputClosed? = event as? ChannelEvent {
      clientEnds(isReset: false)
      react()
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    clientEnds(isReset: false)
    serverEnds(isReset: false)
    if let number { server.remove(number) }
    number = nil
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if case NIOSSLError.uncleanShutdown = error, route != nil {
      // Many clients close their socket without ending TLS.
      clientEnds(isReset: false)
      return react()
    }
    // One error of TLS causes others.
    guard !hasFailed else { return }
    hasFailed = true
    if let error = error as? IOError, error.errnoCode == ECONNRESET || error.errnoCode == EPIPE {
      clientEnds(isReset: true)
    } else if let sentence = tlsFailure(error) {
      remark(sentence)
    }
    channel.pipeline.closeSocket()
  }

  // MARK: Reactions

  /// Performs the reactions that need not wait. A client that has finished gets its answers first.
  private func react() {
    guard !isWaiting else { return }
    guard let reaction = reactions.popFirst() else {
      if clientHasEnded, !isEnding { end() }
      return
    }
    after(reaction.delaySeconds) { self.perform(reaction) }
  }

  private func perform(_ reaction: Reaction) {
    if let route { server.events.add(.reacted(reaction, route)) }
    if reaction.refusalSeconds > 0 { server.refuse(for: reaction.refusalSeconds) }
    switch reaction.ending {
    case .close: answer(reaction)
    case .reset: reset()
    case .stall: if clientHasEnded { end() } else { _ = channel.setOption(.autoRead, value: false) }
    case .pause(let seconds):
      _ = channel.setOption(.autoRead, value: false)
      after(seconds) {
        _ = self.channel.setOption(.autoRead, value: true)
        self.react()
      }
    }
  }

  private func answer(_ reaction: Reaction) {
    let packet = reaction.packet
    let middle = reaction.splitsReply ? packet.count / 2 : 0
    isEnding = true
    send(packet[..<middle]) {
      self.after(middle > 0 ? Self.splitSeconds : 0) { self.send(packet[middle...]) { self.end() } }
    }
  }

  /// Acts after a time, unless the connection is closed by then. Reactions wait for that.
  private func after(_ seconds: Double, _ act: @escaping () -> Void) {
    guard seconds > 0 else { return act() }
    isWaiting = true
    loop.scheduleTask(in: .seconds(seconds)) {
      self.isWaiting = false
      self.excuse(.seconds(seconds))
      if self.number != nil { act() }
    }
  }

  /// Writes bytes, each piece when the one before is written, and then acts.
  private func send(_ bytes: ArraySlice<UInt8>, then act: @escaping () -> Void) {
    guard let route else { return }
    guard !bytes.isEmpty else { return act() }
    let piece = Array(bytes.prefix(Self.pieceSize))
    channel.writeAndFlush(ByteBuffer(bytes: piece)).assumeIsolated().whenSuccess {
      // A client that reads slowly is not idle.
      self.lastTraffic = .now()
      self.server.events.add(.traffic(.sent(piece), route.reversed, .now))
      let rest = bytes.dropFirst(piece.count)
      if rest.isEmpty { act() } else { self.loop.execute { self.send(rest, then: act) } }
    }
  }

  /// Closes this direction, and the connection once the client has closed, too. A socket that is closed while bytes of
  /// the client are unread is reset, and the client might lose the answer, so they are read first.
  private func end() {
    isEnding = true
    isDiscarding = true
    channel.close(mode: .output).assumeIsolated().whenComplete { _ in
      self.serverEnds(isReset: false)
      self.lastTraffic = .now()
      if self.clientHasEnded {
        self.channel.close(promise: nil)
      } else if self.service == .push {
        self.after(Self.lingerSeconds) { self.abandon() }
      }
    }
  }

  private func reset() {
    isEnding = true
    serverEnds(isReset: true)
    clientHasEnded = true
    // A socket that is closed without lingering sends RST.
    let socket = channel as? any SocketOptionProvider
    let isSet = socket?.setSoLinger(linger(l_onoff: 1, l_linger: 0)) ?? channel.eventLoop.makeSucceededVoidFuture()
    isSet.assumeIsolated().whenComplete { _ in self.channel.pipeline.closeSocket() }
  }

  /// Closes the socket at once, whether or not the client has closed its direction.
  func abandon() {
    // TLS that is cut off in its handshake is an error.
    hasFailed = true
    isEnding = true
    isDiscarding = true
    serverEnds(isReset: false)
    if !clientHasEnded { note(.abandoned) }
    clientHasEnded = true
    channel.pipeline.closeSocket()
  }

  /// Disregards a time in which the client was not read.
  func excuse(_ time: TimeAmount) {
    lastTraffic = lastTraffic + time
    if let (start, since) = incomplete { incomplete = (start, since + time) }
  }

  /// Closes a connection that is idle, or that is too slow.
  func closeIfLate(_ now: NIODeadline) {
    guard !isWaiting else { return }
    let frameTime = TimeAmount.seconds(server.options.limits.frameTimeout)
    if route == nil, now - lastTraffic > frameTime {
      giveUp("the TLS handshake took too long")
    } else if let incomplete, now - incomplete.since > frameTime {
      giveUp("a notification was incomplete for too long")
    } else if now - lastTraffic > .seconds(server.options.limits.idleTimeout) {
      giveUp("nothing was sent for too long")
    }
  }

  /// Closes the connection, and says why.
  func giveUp(_ reason: String) {
    remark("closed, because \(reason)")
    abandon()
  }

  // MARK: Notes

  private func remark(_ sentence: String) {
    server.events.add(.remark("\(channel.remoteAddress?.endpoint.map { "\($0)" } ?? "a client"): \(sentence)"))
  }

  /// Notes what the client did.
  private func note(_ traffic: SessionEvent.Traffic) {
    if let route { server.events.add(.traffic(traffic, route, .now)) }
  }

  private func clientEnds(isReset: Bool) {
    guard route != nil, !clientHasEnded else { return }
    clientHasEnded = true
    note(.closed(isReset: isReset))
  }

  private func serverEnds(isReset: Bool) {
    guard let route, !serverHasEnded else { return }
    serverHasEnded = true
    server.events.add(.traffic(.closed(isReset: isReset), route.reversed, .now))
  }
}

extension ChannelPipeline {
  /// Closes the socket. With TLS, it does not wait for the client to agree.
  fileprivate func closeSocket() {
    if let tls = try? syncOperations.context(handlerType: NIOSSLServerHandler.self) {
      tls.close(promise: nil)
    } else {
      close(promise: nil)
    }
  }
}

extension SocketAddress {
  fileprivate var endpoint: Endpoint? {
    guard let ipAddress, let port else { return nil }
    return Endpoint(ipAddress.contains(":") ? "[\(ipAddress)]:\(port)" : "\(ipAddress):\(port)")
  }
}

extension CaptureTime {
  fileprivate static var now: CaptureTime {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return CaptureTime(seconds: time.tv_sec, nanoseconds: time.tv_nsec, digits: 6)
  }
}
