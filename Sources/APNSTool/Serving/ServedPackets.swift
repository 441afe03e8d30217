import APNSDiagnosis
import APNSInput
import APNSServer
import APNSViews
import Octets

/// Writes what happens on a server's connections as packets, and reads them.
final class ServedPackets {
  private let file: Int32?
  private let name: String
  private var writer = CaptureWriter()
  private var reassembler = Reassembler()
  private var packetCount = 0
  /// Packets in the form of a capture file that are not read yet.
  private var written: [UInt8] = []
  private(set) var failure: Failure?

  init(_ file: Int32?, named name: String?) {
    self.file = file
    self.name = name ?? ""
  }

  /// Reads until the server has stopped. An interruption, or a sink that wants no more, stops it.
  func read(_ server: Server, into sink: inout Dissector<ViewSink>) {
    var isStopping = false
    reading: while true {
      let events = server.events.take(waitingFor: Self.pause)
      for event in events {
        switch event {
        case .stopped: break reading
        case .stopping:
          flush(into: &sink)
          sink.stop()
        default: write(event)
        }
        if written.count > Self.batch { flush(into: &sink) }
      }
      flush(into: &sink)
      if events.isEmpty { sink.pause() }
      if !isStopping, Interrupt.isRaised || !sink.wantsMore || failure != nil {
        isStopping = true
        server.stop()
      }
    }
    writer.finish(into: &written)
    flush(into: &sink)
    reassembler.finish(into: &sink)
    sink.finish()
  }

  /// In seconds.
  private static let pause = 0.05
  private static let batch = 1 << 18
  private static let form = PcapWriter(isNanosecondFile: false)

  private func write(_ event: SessionEvent) {
    switch event {
    case .opened(let route, let time): writer.open(route, at: time, into: &written)
    case .sent(let bytes, let route, let time): writer.segment(bytes.span, on: route, at: time, into: &written)
    case .closed(let route, let isReset, let time):
      writer.close(route, isReset: isReset, at: time, into: &written)
    case .remark(let sentence): StandardError.say(sentence)
    case .stopping, .stopped: break
    }
  }

  private func flush(into sink: inout Dissector<ViewSink>) {
    guard !written.isEmpty else { return }
    if failure == nil, let file, writeAll(written.span, to: file) != .done {
      failure = .unreadable("\(name): \(systemError())")
    }
    let packets = written
    written = []
    let bytes = packets.span
    // The first packet is preceded by the header of the file.
    var start = packetCount == 0 ? PcapWriter.headerSize : 0
    while start < bytes.count {
      let (packet, time) = Self.form.packet(at: start, in: bytes)
      packetCount += 1
      reassembler.packet(
        bytes.extracting(packet), link: .ethernet, origin: Origin.Packet(number: packetCount, time: time), into: &sink)
      start = packet.upperBound
    }
  }

  /// What was served, for the summary at the end.
  var summary: String { plural(reassembler.tally.connections, "connection") + " served" }
}
