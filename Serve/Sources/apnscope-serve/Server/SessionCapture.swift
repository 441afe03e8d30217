import APNSInput
import Foundation

/// Writes what happens on a server's connections as the packets of a capture.
struct SessionCapture {
  private var outputs: [Output] = []
  private var writer = CaptureWriter()
  /// Why nothing more can be written.
  private(set) var failure: Failure?
  private var isStopping = false

  private struct Output {
    let descriptor: Int32
    /// Nil for standard output.
    let path: String?
    /// The number of bytes written, all of them complete packets.
    var size = 0

    /// Writes packets. Returns why nothing more can be written; then the file ends with a complete packet.
    mutating func save(_ written: [UInt8]) -> Failure? {
      if writeAll(written.span, to: descriptor) {
        size += written.count
        return nil
      }
      let reason = systemError()
      // A reader that wants no more is no error.
      guard let path else {
        return errno == EPIPE ? Failure(status: 0, sentence: "") : .unreadable("standard output: \(reason)")
      }
      let arrived = Int(lseek(descriptor, 0, SEEK_CUR)) - size
      let end = SessionPacket.all(in: written[...], after: 0).last { $0.bytes.endIndex <= arrived }?.bytes.endIndex
      ftruncate(descriptor, off_t(size + (end ?? 0)))
      return .unreadable("\(path): \(reason); it ends with the last complete packet; free some space and start again")
    }
  }

  /// Packets go to the file of this path, and to standard output if it `writesOutput`.
  init(_ path: String?, writesOutput: Bool) throws(Failure) {
    if let path {
      // Root does not follow links, because another user may have made them.
      let link = geteuid() == 0 ? O_NOFOLLOW : 0
      let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | link, 0o666)
      guard file >= 0 else { throw .unreadable("\(path): \(systemError()); choose a writable file") }
      outputs.append(Output(descriptor: file, path: path))
    }
    if writesOutput { outputs.append(Output(descriptor: 1, path: nil)) }
    // Without connections, this is the header of the file.
    var header: [UInt8] = []
    writer.finish(into: &header)
    save(header)
  }

  /// Writes events, and returns their packets in the form of a file, without its header.
  @discardableResult
  mutating func write(_ events: ArraySlice<SessionEvent>) -> ArraySlice<UInt8> {
    var written: [UInt8] = []
    // The connections that are closed when the server stops are open where the capture ends.
    for event in events where !isStopping { write(event, into: &written) }
    guard !written.isEmpty else { return [] }
    save(written)
    return written[...]
  }

  private mutating func save(_ written: [UInt8]) {
    for index in outputs.indices where failure == nil { failure = outputs[index].save(written) }
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
struct SessionPacket {
  /// Counted from 1.
  let number: Int
  let time: CaptureTime
  let bytes: ArraySlice<UInt8>

  /// The packets in what `SessionCapture` has written, numbered after `count`: little-endian, with microseconds.
  static func all(in written: ArraySlice<UInt8>, after count: Int) -> [SessionPacket] {
    let headerSize = 16
    var packets: [SessionPacket] = []
    var start = written.startIndex
    while start + headerSize <= written.endIndex {
      func word(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(written[start + offset + $1]) << ($1 * 8) } }
      let body = start + headerSize
      let time = CaptureTime(seconds: word(0), nanoseconds: word(4) * 1000, digits: 6)
      start = min(body + word(8), written.endIndex)
      packets.append(SessionPacket(number: count + packets.count + 1, time: time, bytes: written[body..<start]))
    }
    return packets
  }

  func read(into reassembler: inout Reassembler, _ sink: inout some StreamSink & ~Copyable) {
    reassembler.packet(bytes.span, link: .ethernet, origin: Origin.Packet(number: number, time: time), into: &sink)
  }
}
