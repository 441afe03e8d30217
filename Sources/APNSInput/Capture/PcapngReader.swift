import Octets

/// Reads the packets of a pcapng file incrementally. A packet is available as soon as the last byte of its block is,
/// wherever the chunks of input end.
///
/// A file may contain several sections, each with its own byte order and interfaces. Long blocks without packets are
/// skipped without buffering, so memory is bounded by the longest accepted packet block, 1 MiB. An invalid length is an
/// error with the offset of its block; the packets before it have been returned.
package struct PcapngReader: PacketReader {
  package var file = CaptureFields()
  package private(set) var hasTLSSecrets = false

  /// A block that is skipped up to the repeated length at its end.
  private var skipped: PcapngBlock?
  private var isInSection = false
  private var interfaces: [PcapngInterface] = []
  /// Packets lost on the interfaces of earlier sections.
  private var droppedBefore: UInt64 = 0

  /// Maximum number of interfaces in one section, to bound memory.
  static let interfaceLimit = 1 << 16
  /// The type of decryption secrets that are a TLS key log, in NSS format.
  private static let tlsSecrets: UInt32 = 0x544c_534b

  package init() {}

  /// Number of packets that the capturing system reports as lost.
  package var droppedPackets: UInt64 { interfaces.reduce(droppedBefore) { $0.addingClamped($1.dropped) } }
}

extension PcapngReader {
  package mutating func next() throws(ReadError) -> CapturedPacket? {
    while true {
      if let block = skipped {
        guard file.left >= 4 else { return nil }
        try checkTrailer(of: block, at: 0)
        file.advance(4)
        skipped = nil
      }
      guard let block = try header(), file.left >= block.needed else { return nil }
      let isSkipped = block.needed < block.length
      if !isSkipped { try checkTrailer(of: block, at: block.length - 4) }
      let packet = try packet(in: block)
      file.advance(isSkipped ? block.length - 4 : block.length)
      if isSkipped { skipped = block }
      if let packet { return packet }
    }
  }

  package func finish() throws(ReadError) {
    guard file.left > 0 || skipped != nil || file.offset == 0 else { return }
    throw ReadError(
      .damagedCapture, "the capture ends in the middle of a block: copy it again, or use what was read",
      offset: skipped?.offset ?? file.offset)
  }
}

// MARK: - Blocks

extension PcapngReader {
  /// The header of the next block; nil if it is not complete yet.
  private mutating func header() throws(ReadError) -> PcapngBlock? {
    guard file.left >= 8 else { return nil }
    let type = PcapngBlock.Kind(rawValue: file.uint32(at: 0))
    // The type of a section header is a palindrome, so it is valid in both byte orders. The byte order mark follows the
    // length.
    if type == .section {
      guard file.left >= 12 else { return nil }
      file.isBigEndian = file.byte(at: 8) == 0x1a
      guard file.uint32(at: 8) == 0x1a2b_3c4d else { throw damaged("its section header has no byte order mark") }
      droppedBefore = droppedPackets
      interfaces = []
      isInSection = true
    }
    guard isInSection else { throw damaged("it does not begin with a section header") }
    let length = Int(file.uint32(at: 4))
    let block = PcapngBlock(kind: type, length: length, offset: file.offset)
    guard length >= type.minimum, length.isMultiple(of: 4) else {
      throw damaged("the \(type) claims a length of \(length) bytes, which is impossible")
    }
    guard block.needed <= PcapngBlock.longest else {
      throw damaged("the \(type) claims \(length) bytes, more than any packet has")
    }
    return block
  }

  private func checkTrailer(of block: PcapngBlock, at index: Int) throws(ReadError) {
    let again = Int(file.uint32(at: index))
    guard again == block.length else {
      throw damaged(
        "the \(block.kind) claims \(block.length) bytes at its beginning and \(again) at its end", in: block)
    }
  }

  private func damaged(_ what: String, in block: PcapngBlock? = nil) -> ReadError {
    ReadError(
      .damagedCapture, "\(what): the capture is damaged from here on; copy or record it again",
      offset: block?.offset ?? file.offset)
  }
}

// MARK: - Contents

extension PcapngReader {
  private mutating func packet(in block: PcapngBlock) throws(ReadError) -> CapturedPacket? {
    switch block.kind {
    case .section:
      let version = file.uint16(at: 12)
      guard version == 1 else { throw damaged("the section uses version \(version) of the format, not 1") }
    case .interface:
      guard let interface = PcapngInterface(block, in: file) else {
        throw damaged("the options of the \(block.kind) are invalid")
      }
      guard interfaces.count < Self.interfaceLimit else {
        throw damaged("the section describes more than \(Self.interfaceLimit) interfaces")
      }
      interfaces.append(interface)
    case .statistics where block.needed == block.length:
      let number = Int(file.uint32(at: 8))
      if interfaces.indices.contains(number) { interfaces[number].note(block, in: file) }
    case .secrets: hasTLSSecrets = hasTLSSecrets || file.uint32(at: 8) == Self.tlsSecrets
    case .enhancedPacket, .oldPacket, .simplePacket:
      return try captured(in: block)
    default: break
    }
    return nil
  }

  private func captured(in block: PcapngBlock) throws(ReadError) -> CapturedPacket {
    let number =
      switch block.kind {
      case .enhancedPacket: Int(file.uint32(at: 8))
      case .oldPacket: Int(file.uint16(at: 8))
      default: 0
      }
    guard interfaces.indices.contains(number) else {
      throw damaged("the \(block.kind) refers to interface \(number), which is not described")
    }
    let interface = interfaces[number]
    if block.kind == .simplePacket {
      let original = Int(file.uint32(at: 8))
      let snapped = interface.snapLength == 0 ? original : min(original, interface.snapLength)
      return CapturedPacket(
        link: interface.link, time: nil, originalLength: original, direction: nil,
        bytes: file.range(at: 12, count: min(snapped, block.length - block.kind.minimum)))
    }
    let count = Int(file.uint32(at: 20))
    guard count <= block.length - block.kind.minimum else {
      throw damaged("the \(block.kind) claims \(count) captured bytes, but contains fewer")
    }
    let units = UInt64(file.uint32(at: 12)) << 32 | UInt64(file.uint32(at: 16))
    return CapturedPacket(
      link: interface.link, time: interface.time(of: units), originalLength: Int(file.uint32(at: 24)),
      direction: direction(in: (28 + (count + 3) / 4 * 4)..<(block.length - 4)),
      bytes: file.range(at: 28, count: count))
  }

  /// The lowest two bits of the packet's flags option (epb_flags) encode the direction.
  private func direction(in options: Range<Int>) -> PacketDirection? {
    let option = file.options(in: options).all.last { $0.code == 2 && $0.size == 4 }
    let flags = option.map { file.uint32(at: $0.value) } ?? 0
    return flags & 3 == 1 ? .received : flags & 3 == 2 ? .sent : nil
  }
}
