import APNSDiagnosis
import APNSGateway
import APNSInput
import NIOCore
import NIOSSL
import NIOTLS

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
  private let services: Services
  private(set) var channel: (any Channel)?
  private var number: Int?
  private var route: ByteStream.Route?
  private var phase = Phase.judging
  private var clientHasEnded = false
  private var serverHasEnded = false
  private var lastTraffic = NIODeadline.now()
  /// Whether the client has sent nothing.
  private var isUnread = true
  /// When the first byte of an incomplete notification arrived.
  private var incompleteSince: NIODeadline?

  private enum Phase {
    /// Each notification is judged.
    case judging
    /// The reaction is decided; everything else is discarded.
    case discarding
  }

  init(of services: Services, _ service: RolePolicy.Service) {
    self.services = services
    self.service = service
  }

  // MARK: Events of the socket

  func channelActive(context: ChannelHandlerContext) {
    if services.settings.tls == nil { begin(context) }
  }

  /// Begins the session: the client has connected, and TLS is established.
  private func begin(_ context: ChannelHandlerContext) {
    guard let client = context.remoteAddress?.endpoint, let server = context.localAddress?.endpoint else {
      return context.close(promise: nil)
    }
    guard let number = services.add(self, from: client) else { return context.close(promise: nil) }
    let route = ByteStream.Route(source: client, destination: server)
    (channel, self.number, self.route) = (context.channel, number, route)
    services.note(.opened(route, .now))
    if service == .feedback { sendFeedback(context) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = unwrapInboundIn(data)
    guard !clientHasEnded, let number, let route, let bytes = buffer.readBytes(length: buffer.readableBytes) else {
      return
    }
    if isUnread { warnAboutTLS(bytes) }
    isUnread = false
    lastTraffic = .now()
    services.note(.sent(bytes, route, .now))
    guard service == .push, phase == .judging else { return }
    if let reaction = services.receive(bytes, on: number) {
      incompleteSince = nil
      if reaction.isLast { phase = .discarding }
      react(reaction, context)
    } else {
      incompleteSince = services.isIncomplete(number) ? incompleteSince ?? lastTraffic : nil
      if services.isFull { giveUp("incomplete notifications take too much memory") }
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent { begin(context) }
    if case ChannelEvent.inputClosed? = event as? ChannelEvent {
      clientEnds(isReset: false)
      // A client that has finished gets its answer first.
      if phase == .judging { end(context) }
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
    if let error = error as? IOError, error.errnoCode == ECONNRESET || error.errnoCode == EPIPE {
      clientEnds(isReset: true)
    } else if let sentence = ServerTLS.sentence(about: error) {
      services.note(.remark("\(route.map { "\($0.source)" } ?? "a client"): \(sentence)"))
    }
    context.close(promise: nil)
  }

  // MARK: Reactions

  private func react(_ reaction: Reaction, _ context: ChannelHandlerContext) {
    let delay = reaction.delaySeconds ?? services.settings.replyDelay
    guard delay > 0 else { return perform(reaction, context) }
    let own = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: .seconds(delay)) {
      let (connection, context) = own.value
      connection.perform(reaction, context)
    }
  }

  private func perform(_ reaction: Reaction, _ context: ChannelHandlerContext) {
    guard number != nil else { return }
    if reaction.refusalSeconds > 0 { services.refuse(for: reaction.refusalSeconds) }
    switch reaction.ending {
    case .close: answer(reaction, context)
    case .reset: reset(context)
    case .stall: read(false, on: context.channel)
    case .pause(let seconds):
      let channel = context.channel
      read(false, on: channel)
      context.eventLoop.scheduleTask(in: .seconds(seconds)) { read(true, on: channel) }
    }
  }

  private func answer(_ reaction: Reaction, _ context: ChannelHandlerContext) {
    let packet = reaction.packet
    guard services.settings.splitsReplies || reaction.splitsPacket, packet.count > 1 else {
      send(packet, context)
      return end(context)
    }
    send(Array(packet.prefix(packet.count / 2)), context)
    let own = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: .seconds(ServerSettings.splitSeconds)) {
      let (connection, context) = own.value
      guard connection.number != nil else { return }
      connection.send(Array(packet.dropFirst(packet.count / 2)), context)
      connection.end(context)
    }
  }

  private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
    guard let route, !bytes.isEmpty else { return }
    services.note(.sent(bytes, route.reversed, .now))
    context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
  }

  private func sendFeedback(_ context: ChannelHandlerContext) {
    send(services.takeFeedback(), context)
    end(context)
  }

  /// Closes this direction, and the connection once the client has closed, too. A socket that is closed while bytes of
  /// the client are unread is reset, and the client might lose the answer, so they are read first.
  private func end(_ context: ChannelHandlerContext) {
    phase = .discarding
    guard !clientHasEnded else { return context.close(promise: nil) }
    serverEnds(isReset: false)
    context.close(mode: .output, promise: nil)
    let own = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: .seconds(ServerSettings.lingerSeconds)) { own.value.pipeline.closeSocket() }
  }

  private func reset(_ context: ChannelHandlerContext) {
    serverEnds(isReset: true)
    clientHasEnded = true
    let own = NIOLoopBound(context, eventLoop: context.eventLoop)
    // A socket that is closed without lingering sends RST.
    let socket = context.channel as? any SocketOptionProvider
    let isSet = socket?.setSoLinger(linger(l_onoff: 1, l_linger: 0)) ?? context.eventLoop.makeSucceededVoidFuture()
    isSet.whenComplete { _ in own.value.pipeline.closeSocket() }
  }

  /// Closes a connection that is idle, or that is too slow with a notification.
  func closeIfLate(_ now: NIODeadline) {
    if let incompleteSince, now - incompleteSince > .seconds(services.settings.frameSeconds) {
      giveUp("a notification was incomplete for too long")
    } else if now - lastTraffic > .seconds(services.settings.idleSeconds) {
      giveUp("nothing was sent for too long")
    }
  }

  private func giveUp(_ reason: String) {
    guard let route else { return }
    services.note(.remark("\(route.source): closed, because \(reason)"))
    close()
  }

  /// Closes the connection at once.
  func close() {
    phase = .discarding
    serverEnds(isReset: false)
    channel?.pipeline.closeSocket()
  }

  /// A provider that speaks TLS to a server without it is the most frequent mistake.
  private func warnAboutTLS(_ bytes: [UInt8]) {
    guard let route, ForeignProtocol.recognize(bytes.span)?.rule.id == Rule.ID.tlsRecords.rawValue else { return }
    services.note(
      .remark(
        "\(route.source): the client speaks TLS; serve it with --tls-self-signed DIR, or with --tls-cert and --tls-key")
    )
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

/// Starts or stops reading.
private func read(_ isOn: Bool, on channel: any Channel) {
  channel.setOption(.autoRead, value: isOn).whenFailure { _ in }
}

extension CaptureTime {
  fileprivate static var now: CaptureTime {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return CaptureTime(seconds: time.tv_sec, nanoseconds: time.tv_nsec, digits: 6)
  }
}
