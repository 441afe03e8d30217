import APNSDiagnosis
import APNSGateway
import APNSInput
import NIOCore
import NIOSSL
import NIOTLS
import Octets

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// One connection of a client: receives its bytes, and reacts.
final class Connection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  let service: RolePolicy.Service
  let channel: any Channel
  private let services: Services
  /// The number of the connection, counted from 0; nil before it is open and after.
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
  private var reactions = Queue<Reaction>()
  /// Whether the gateway waits before it acts. The client need not send anything meanwhile.
  private var isWaiting = false

  init(of services: Services, _ service: RolePolicy.Service, on channel: any Channel) {
    self.services = services
    self.service = service
    self.channel = channel
  }

  // MARK: Events of the socket

  func channelActive(context: ChannelHandlerContext) {
    number = services.add(self)
    if number == nil {
      channel.close(promise: nil)
    } else if services.settings.tls == nil {
      begin()
    }
  }

  /// Begins the session: the client has connected, and TLS is established.
  private func begin() {
    guard let client = channel.remoteAddress?.endpoint, let server = channel.localAddress?.endpoint else {
      return channel.close(promise: nil)
    }
    let route = ByteStream.Route(source: client, destination: server)
    self.route = route
    lastTraffic = .now()
    services.note(.opened(route, .now))
    if service == .feedback {
      isEnding = true
      send(services.takeFeedback()[...]) { $0.end() }
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = unwrapInboundIn(data)
    guard !clientHasEnded, let number, let route, let bytes = buffer.readBytes(length: buffer.readableBytes) else {
      return
    }
    if byteCount == 0 { warnAboutTLS(bytes) }
    byteCount += bytes.count
    services.note(.sent(bytes, route, .now))
    lastTraffic = .now()
    guard service == .push, !isDiscarding else { return }
    let new = services.receive(bytes, on: number)
    isDiscarding = new.last?.isLast ?? false
    noteIncomplete(services.heldBytes(of: number))
    for reaction in new { reactions.append(reaction) }
    react()
    services.limitHeldBytes()
  }

  /// - Parameter count: The number of bytes that are kept of an incomplete notification.
  private func noteIncomplete(_ count: Int) {
    let start = byteCount - count
    if count == 0 {
      incomplete = nil
    } else if incomplete?.start != start {
      incomplete = (start, lastTraffic)
    }
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
    if let number { services.remove(number) }
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
    } else if let sentence = ServerTLS.sentence(about: error) {
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
    after(reaction.manner.delaySeconds ?? 0) { $0.perform(reaction) }
  }

  private func perform(_ reaction: Reaction) {
    if let route { services.note(.reacted(reaction, route)) }
    if reaction.manner.refusalSeconds > 0 { services.refuse(for: reaction.manner.refusalSeconds) }
    switch reaction.ending {
    case .close: answer(reaction)
    case .reset: reset()
    case .stall: if clientHasEnded { end() } else { read(false) }
    case .pause(let seconds):
      read(false)
      after(seconds) { connection in
        connection.read(true)
        connection.react()
      }
    }
  }

  private func answer(_ reaction: Reaction) {
    let packet = reaction.packet
    let middle = reaction.manner.splitsReply ? packet.count / 2 : 0
    isEnding = true
    send(packet[..<middle]) { connection in
      connection.after(middle > 0 ? ServerSettings.splitSeconds : 0) { $0.send(packet[middle...]) { $0.end() } }
    }
  }

  /// Acts after a time, unless the connection is closed by then. Reactions wait for that.
  private func after(_ seconds: Double, _ act: @escaping (Connection) -> Void) {
    guard seconds > 0 else { return act(self) }
    isWaiting = true
    let bound = NIOLoopBound((self, act), eventLoop: channel.eventLoop)
    channel.eventLoop.scheduleTask(in: .seconds(seconds)) {
      let (connection, act) = bound.value
      connection.isWaiting = false
      connection.excuse(.seconds(seconds))
      if connection.number != nil { act(connection) }
    }
  }

  /// Writes bytes, each piece when the one before is written, and then acts.
  private func send(_ bytes: ArraySlice<UInt8>, then act: @escaping (Connection) -> Void) {
    guard let route else { return }
    guard !bytes.isEmpty else { return act(self) }
    let piece = Array(bytes.prefix(Self.pieceSize))
    let loop = channel.eventLoop
    let bound = NIOLoopBound((self, act), eventLoop: loop)
    channel.writeAndFlush(ByteBuffer(bytes: piece)).whenSuccess {
      let (connection, act) = bound.value
      // A client that reads slowly is not idle.
      connection.lastTraffic = .now()
      connection.services.note(.sent(piece, route.reversed, .now))
      let rest = bytes.dropFirst(piece.count)
      if rest.isEmpty { act(connection) } else { loop.execute { bound.value.0.send(rest, then: bound.value.1) } }
    }
  }

  /// In bytes.
  private static let pieceSize = 1 << 14

  private func read(_ isOn: Bool) {
    channel.setOption(.autoRead, value: isOn).whenFailure { _ in }
  }

  /// Closes this direction, and the connection once the client has closed, too. A socket that is closed while bytes of
  /// the client are unread is reset, and the client might lose the answer, so they are read first.
  private func end() {
    isEnding = true
    isDiscarding = true
    let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
    channel.close(mode: .output).whenComplete { _ in bound.value.hasWrittenAll() }
  }

  private func hasWrittenAll() {
    serverEnds(isReset: false)
    lastTraffic = .now()
    if clientHasEnded {
      channel.close(promise: nil)
    } else if service == .push {
      after(ServerSettings.lingerSeconds) { $0.abandon() }
    }
  }

  private func reset() {
    isEnding = true
    serverEnds(isReset: true)
    clientHasEnded = true
    let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
    // A socket that is closed without lingering sends RST.
    let socket = channel as? any SocketOptionProvider
    let isSet = socket?.setSoLinger(linger(l_onoff: 1, l_linger: 0)) ?? channel.eventLoop.makeSucceededVoidFuture()
    isSet.whenComplete { _ in bound.value.channel.pipeline.closeSocket() }
  }

  /// Closes the socket at once, whether or not the client has closed its direction.
  func abandon() {
    // TLS that is cut off in its handshake is an error.
    hasFailed = true
    isEnding = true
    isDiscarding = true
    serverEnds(isReset: false)
    if let route, !clientHasEnded { services.note(.abandoned(route, .now)) }
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
    let frameTime = TimeAmount.seconds(services.settings.frameSeconds)
    if route == nil, now - lastTraffic > frameTime {
      giveUp("the TLS handshake took too long")
    } else if let incomplete, now - incomplete.since > frameTime {
      giveUp("a notification was incomplete for too long")
    } else if now - lastTraffic > .seconds(services.settings.idleSeconds) {
      giveUp("nothing was sent for too long")
    }
  }

  /// Closes the connection, and says why.
  func giveUp(_ reason: String) {
    remark("closed, because \(reason)")
    abandon()
  }

  /// A provider that speaks TLS to a server without it is the most frequent mistake.
  private func warnAboutTLS(_ bytes: [UInt8]) {
    // A handshake record of any version.
    guard bytes.starts(with: [0x16, 3]) else { return }
    remark("the client speaks TLS; serve it with --tls-self-signed DIR, or with --tls-cert and --tls-key")
  }

  private func remark(_ sentence: String) {
    services.note(.remark("\(channel.remoteAddress?.hostAndPort?.description ?? "a client"): \(sentence)"))
  }

  // MARK: Ends

  private func clientEnds(isReset: Bool) {
    guard let route, !clientHasEnded else { return }
    clientHasEnded = true
    services.note(.closed(route, isReset: isReset, .now))
  }

  private func serverEnds(isReset: Bool) {
    guard let route, !serverHasEnded else { return }
    serverHasEnded = true
    services.note(.closed(route.reversed, isReset: isReset, .now))
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

extension CaptureTime {
  fileprivate static var now: CaptureTime {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return CaptureTime(seconds: time.tv_sec, nanoseconds: time.tv_nsec, digits: 6)
  }
}
