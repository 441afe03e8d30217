/// Reads the packets of a capture file incrementally.
package protocol PacketReader: Sendable {
  var file: CaptureFields { get set }

  /// Returns the next packet, or nil if more input is needed.
  /// - Throws: ``ReadError`` with ``ReadError/Code/damagedCapture``; the packets before the damage were returned.
  mutating func next() throws(ReadError) -> CapturedPacket?

  /// Notes the end of the file.
  /// - Throws: ``ReadError`` with ``ReadError/Code/damagedCapture`` if the file is cut.
  func finish() throws(ReadError)
}

extension PacketReader {
  package var buffer: [UInt8] { file.buffer }
  package mutating func append(_ chunk: Span<UInt8>) { file.append(chunk) }
}

/// A packet in the buffer of the reader that returned it.
package struct CapturedPacket: Sendable {
  /// The link type of the interface that captured it.
  package let link: LinkType
  /// Nil if the capture does not record it.
  package let time: CaptureTime?
  /// Bytes of the packet on the wire, which may be more than were captured.
  package let originalLength: Int
  /// Nil if the capture does not record it.
  package let direction: PacketDirection?
  /// The captured bytes, as a range of the buffer.
  package let bytes: Range<Int>
}
