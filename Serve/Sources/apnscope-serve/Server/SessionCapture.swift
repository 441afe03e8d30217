import APNSInput
import Foundation

/// Writes what happens on a server's connections as the packets of a capture.
struct SessionCapture {
  /// Each with the number of bytes written, all of them complete packets. The path is nil for standard output.
  private var outputs: [(descriptor: Int32, path: String?, size: Int)] = []
  private var writer = CaptureWriter()
  /// Why nothing more can be written.
  private(set) var failure: Failure?
  private var isStopping = false
  private(set) var hasStopped = false

  /// Packets go to the file of this path, and to standard output if it `writesOutput`.
  init(_ path: String?, writesOutput: Bool) throws(Failure) {
    if let path {
      // Root does not follow links, because another user may have made them.
      let link = geteuid() == 0 ? O_NOFOLLOW : 0
      let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | link, 0o666)
      guard file >= 0 else { throw .unreadable("\(path): \(systemError()); choose a writable file") }
      outputs.append((file, path, 0))
    }
    if writesOutput { outputs.append((1, nil, 0)) }
    // Without connections, this is the header of the file.
    var header: [UInt8] = []
    writer.finish(into: &header)
    save(header)
  }

  /// Writes events, and returns their packets in the form of a file, without its header.
  @discardableResult
  mutating func write(_ events: ArraySlice<SessionEvent>) -> [UInt8] {
    var written: [UInt8] = []
    // The connections that are closed when the server stops are open where the capture ends.
    for event in events where !isStopping { write(event, into: &written) }
    if case .stopped? = events.last { hasStopped = true }
    save(written)
    return written
  }

  private mutating func save(_ written: [UInt8]) {
    for (index, output) in outputs.enumerated() where failure == nil {
      outputs[index].size += written.count
      if writeAll(written.span, to: output.descriptor) { continue }
      failure = .output
      guard let path = output.path else { continue }
      failure = .unreadable(
        "\(path): \(systemError()); it ends with the last complete packet; free some space and start again")
      let arrived = Int(lseek(output.descriptor, 0, SEEK_CUR)) - output.size
      let ends = sessionPackets(in: written, after: 0).map(\.bytes.endIndex)
      ftruncate(output.descriptor, off_t(output.size + (ends.last { $0 <= arrived } ?? 0)))
    }
  }

  private mutating func write(_ event: SessionEvent, into out: inout [UInt8]) {
    if case .stopping = event { isStopping = true }
    guard case .traffic(let traffic, let route, let time) = event else { return }
    switch traffic {
    case .opened: writer.open(route, at: time, into: &out)
    case .sent(let bytes): writer.segment(bytes.span, on: route, at: time, into: &out)
    case .closed(let isReset): writer.close(route, isReset: isReset, at: time, into: &out)
    // The direction ends here, so that what has arrived is judged.
    case .abandoned: writer.close(route, at: time, into: &out)
    }
  }
}

/// A packet in a capture of a session.
typealias SessionPacket = (origin: Origin.Packet, bytes: ArraySlice<UInt8>)

/// The packets in what `SessionCapture` has written, numbered after `count`: little-endian, with microseconds.
func sessionPackets(in written: [UInt8], after count: Int) -> [SessionPacket] {
  let headerSize = 16
  var packets: [SessionPacket] = []
  var start = 0
  while start + headerSize <= written.count {
    func word(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(written[start + offset + $1]) << ($1 * 8) } }
    let body = start + headerSize
    let time = CaptureTime(seconds: word(0), nanoseconds: word(4) * 1000, digits: 6)
    start = min(body + word(8), written.count)
    packets.append((Origin.Packet(number: count + packets.count + 1, time: time), written[body..<start]))
  }
  return packets
}
