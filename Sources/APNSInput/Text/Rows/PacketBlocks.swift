/// The blocks of a packet dump: packets to be reassembled, unless decrypted bytes are printed beside them.
///
/// When tshark decrypts, a packet has a separate block with its decrypted bytes. Its frame then only identifies the
/// stream, and other frames, such as those of the handshake, are not data. Frames are held until this is known, because
/// tshark prints titles only for packets with several blocks.
struct PacketBlocks: Sendable {
  private let tool: String
  /// What the title of the block says it is.
  private var title: RowTitle.Contents?
  private var block = PlacedBytes()
  private var stream: ByteStream?
  private var frames: [[UInt8]] = []
  /// The number of bytes in `frames`.
  private var waiting = 0
  private var isDecrypted = false
  private var hasFrames = false
  private var hasPacket = false
  /// Whether a block is certainly a packet, or has decrypted bytes.
  private(set) var isPlausible = false
  private var firstFramePosition: TextPosition?
  private var lastLink: LinkType?
  private var connections = Numbering<ByteStream.Route>()

  init(_ tool: String) { self.tool = tool }

  var interpretation: TextInterpretation {
    let layer = lastLink.map { $0 == .raw ? " from the IP header" : " from the link header" } ?? ""
    return TextInterpretation(
      phrase: isDecrypted ? "the decrypted bytes of \(tool), without its frames" : "packets of \(tool)\(layer)")
  }

  mutating func append(_ bytes: PlacedBytes) throws(ReadError) {
    block.append(bytes)
    guard block.count <= Self.limit else {
      throw ReadError(.oversizedText, "this packet has more than 1 MiB", position: block.positions[0])
    }
  }

  mutating func begin(_ next: RowTitle, into output: inout TextOutput) throws(ReadError) {
    try end(into: &output)
    title = next.contents
    isPlausible = isPlausible || next.isPacket
    guard title == .decrypted else { return }
    if hasFrames {
      let reason =
        "decrypted bytes follow packets that were already read; print only decrypted bytes: tshark -x -Y tls.app_data"
      throw ReadError(.oversizedText, reason, position: next.position)
    }
    isDecrypted = true
    stream = owner(of: frames.last)
    (frames, waiting) = ([], 0)
  }

  /// Notes an offset of 0: a block begins, unless this is the first line after a title.
  mutating func restart(into output: inout TextOutput) throws(ReadError) {
    if !block.isEmpty { try end(into: &output) }
  }

  private mutating func end(into output: inout TextOutput) throws(ReadError) {
    defer { (title, block) = (nil, PlacedBytes()) }
    guard title != nil || !block.isEmpty else { return }
    release(into: &output)
    guard title == nil || title == .frame else { return }
    let packet = PacketStart(block.values)
    hasPacket = hasPacket || packet != nil
    isPlausible = isPlausible || title != nil || packet?.isCertain == true
    firstFramePosition = firstFramePosition ?? block.positions.first
    if isDecrypted { (frames, waiting) = ([], 0) }
    frames.append(block.values)
    waiting += block.count
    if waiting > Self.limit { try feed(into: &output) }
  }

  /// Appends the bytes of a decrypted block, unless they are a TLS handshake message.
  mutating func release(into output: inout TextOutput) {
    guard title == .decrypted, let stream, !Self.isHandshake(block.values) else { return }
    output.append(block, to: stream)
  }

  /// Whether the bytes are a TLS handshake message, which tshark decrypts too. None of these message types begins a
  /// frame except 8, and an error response has a different length.
  private static func isHandshake(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 4, [4, 8, 11, 13, 15, 20].contains(bytes[0]) else { return false }
    return Int(bytes[1]) << 16 | Int(bytes[2]) << 8 | Int(bytes[3]) == bytes.count - 4
  }

  mutating func finish(into output: inout TextOutput) throws(ReadError) {
    try end(into: &output)
    if !isDecrypted { try feed(into: &output) }
  }

  /// Appends the held frames as packets.
  private mutating func feed(into output: inout TextOutput) throws(ReadError) {
    guard hasPacket || frames.isEmpty else {
      throw ReadError(
        .unknownText, "this dump has no IP packet; use --from hexdump or --from xxd if it has the stream's bytes",
        position: firstFramePosition)
    }
    for frame in frames {
      let link = PacketStart(frame)?.link ?? lastLink ?? .ethernet
      lastLink = link
      output.packet(frame, link: link)
    }
    hasFrames = true
    (frames, waiting) = ([], 0)
  }

  /// The stream that a frame belongs to, numbered like the streams of a capture.
  private mutating func owner(of frame: [UInt8]?) -> ByteStream {
    guard let frame, let route = PacketStart(frame)?.route else { return ByteStream(number: 0) }
    // The side that sent the first decrypted bytes opened the connection.
    let opener = connections.holds(route.reversed) ? route.reversed : route
    return ByteStream(number: connections.number(of: opener) * 2 + (opener == route ? 0 : 1), route: route)
  }

  /// The most bytes of a block, and of the frames held back.
  private static let limit = 1 << 20
}
