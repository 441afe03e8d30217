import APNSCapture
import APNSInput

/// A capture file that is written while packets arrive. It ends with a complete packet even if the disk is full or the
/// process is killed.
final class PacketFile {
  private let file: Descriptor
  private let name: String
  private static let form = PcapWriter(isNanosecondFile: true)
  /// What is written next.
  private var bytes: [UInt8] = []

  /// Opens a file. Root does not follow links, because another user may have made them.
  init(_ output: OutputPath) throws(Failure) {
    try RunFiles.check(output)
    name = output.path
    guard let file = Descriptor(writing: name, followsLinks: geteuid() != 0) else {
      throw .unreadable("\(name): \(systemError()); choose a writable file")
    }
    self.file = file
  }

  func begin(_ link: LinkType) throws(ReadError) {
    Self.form.header(link, into: &bytes)
    try flush()
  }

  func save(_ packet: Span<UInt8>, originalLength: Int, at time: CaptureTime) throws(ReadError) {
    Self.form.packet(packet, sent: originalLength, seconds: time.seconds, nanoseconds: time.nanoseconds, into: &bytes)
    try flush()
  }

  private func flush() throws(ReadError) {
    // Negative for a pipe, from which nothing can be removed.
    let start = lseek(file.number, 0, SEEK_CUR)
    if writeAll(bytes.span, to: file.number) { return bytes.removeAll(keepingCapacity: true) }
    let reason = systemError()
    guard start >= 0 else { throw ReadError(.unreadable, "\(name): \(reason); not all packets were written") }
    _ = ftruncate(file.number, start)
    throw ReadError(
      .unreadable, "\(name): \(reason); it ends with the last complete packet; free some space and start again")
  }
}
