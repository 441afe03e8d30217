import APNSInput
import CPcap

/// Reads a pcap or pcapng capture from an open file or a pipe, and hands on the TCP streams in it.
///
/// The descriptor stays open. A read that a signal interrupts ends the input as its end would.
public struct CaptureReader: ~Copyable {
  public let linkType: LinkType
  /// What the packets held. With a filter, only those that it lets through.
  public var tally: Reassembler.Tally { reassembler.tally }
  /// All packets read so far, whatever the filter says.
  public private(set) var packetCount = 0

  private let descriptor: Int32
  private let capture: OpenCapture
  private let filter: PacketFilter?
  private let isNanosecondFile: Bool
  private var reassembler = Reassembler()

  /// - Parameters:
  ///   - head: bytes that were already read from `descriptor`, to recognise the format.
  ///   - filter: an expression of libpcap, as in `tcp port 2195`.
  public init(descriptor: Int32, head: [UInt8], filter expression: String? = nil) throws(ReadError) {
    let capture = try OpenCapture(descriptor: descriptor, head: head)
    let linkType = LinkType(rawValue: Int(capture.linkType))
    guard linkType.isKnown else {
      throw ReadError(
        .unknownLinkType,
        "the link type \(capture.linkTypeName) is not supported; "
          + "convert the capture to Ethernet or raw IP, or extract the bytes and read them with --from raw")
    }
    if let expression {
      filter = try PacketFilter(expression, for: capture)
    } else {
      filter = nil
    }
    self.descriptor = descriptor
    self.linkType = linkType
    isNanosecondFile = isNanosecondPcap(capture.magic)
    self.capture = capture
  }

  /// Reads to the end, or until the sink has seen enough. All streams are closed, also when this throws because the
  /// capture is cut or damaged: what could be read was handed on before.
  public mutating func read(into sink: inout some StreamSink & ~Copyable) throws(ReadError) {
    do throws(ReadError) {
      while sink.wantsMore {
        if capture_source_is_ready(descriptor) == 0 { sink.pause() }
        guard let packet = unsafe try capture.next() else { break }
        packetCount += 1
        guard unsafe filter?.matches(packet) ?? true else { continue }
        let origin = Origin.Packet(number: packetCount, time: unsafe packet.time(inNanosecondFile: isNanosecondFile))
        // The buffer is libpcap's until its next packet is read, and the reassembler copies what it keeps.
        let bytes = unsafe packet.bytes.span
        let length = unsafe packet.originalLength
        reassembler.packet(bytes, originalLength: length, link: linkType, origin: origin, into: &sink)
      }
    } catch {
      sink.breakOff()
      reassembler.finish(into: &sink)
      throw ReadError(error.code, "after packet \(packetCount): \(error.reason)")
    }
    reassembler.finish(into: &sink)
  }
}

/// Whether bytes begin like a pcap file, of either byte order and precision, or like pcapng.
public func isCapture(_ head: [UInt8]) -> Bool {
  switch head.prefix(4) {
  case [0xa1, 0xb2, 0xc3, 0xd4], [0xd4, 0xc3, 0xb2, 0xa1]: true  // microseconds
  case [0xa1, 0xb2, 0xcd, 0x34], [0x34, 0xcd, 0xb2, 0xa1]: true  // with longer packet headers, from old Linux
  case [0x0a, 0x0d, 0x0d, 0x0a]:  // pcapng; the same are line ends in a text, so look at the byte order mark too
    switch head.dropFirst(8).prefix(4) {
    case [0x1a, 0x2b, 0x3c, 0x4d], [0x4d, 0x3c, 0x2b, 0x1a]: true
    default: head.count < 12
    }
  default: isNanosecondPcap(head)
  }
}

private func isNanosecondPcap(_ head: [UInt8]) -> Bool {
  head.starts(with: [0xa1, 0xb2, 0x3c, 0x4d]) || head.starts(with: [0x4d, 0x3c, 0xb2, 0xa1])
}
