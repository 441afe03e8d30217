import APNSCapture
import APNSCraft
import APNSDiagnosis
import APNSInput

/// The input of a redaction. It is read into streams; a capture is then read again packet by packet.
struct RedactionInput: ~Copyable {
  let name: String
  private(set) var log = StreamLog()
  /// The error at which reading a capture ended; what precedes it was read.
  private(set) var failure: Failure?
  private let source: InputSource
  private var kind = InputKind.raw

  init(
    _ source: InputSource, named name: String? = nil, as format: InputFormat, by definitions: Definitions
  ) throws(Failure) {
    let name = name ?? source.title
    self.name = name
    self.source = source
    var file = try InputFile(source, named: name, as: format)
    kind = try file.kind()
    var reassembler = Reassembler()
    do throws(Failure) { try file.read(as: kind, by: definitions, &reassembler, into: &log) } catch {
      // Only a capture has packets.
      if error.isInterruption || reassembler.tally.packets == 0 { throw error }
      failure = error
    }
    reassembler.finish(into: &log)
  }

  var hasRoutes: Bool { log.streams.contains { $0.stream.route != nil } }

  var isCapture: Bool { kind.isCapture }

  /// The output format for this kind of input. Text that contains packets becomes a capture.
  var format: RedactFormat {
    switch kind {
    case .capture: .pcap
    case .text: hasRoutes ? .pcap : .hex
    case .raw: hasRoutes ? .pcap : .raw
    }
  }

  func forEachPacket(_ body: (Span<UInt8>, LinkType, Int, Origin.Packet) -> Void) throws(Failure) {
    let file = try InputFile(source, named: name, as: .pcap)
    do throws(ReadError) {
      var reader = try CaptureReader(file.source)
      try reader.forEachPacket(body)
    } catch {
      // The same error was recorded in the first reading.
      if failure == nil { throw .unreadable("\(name): \(error)") }
    }
  }
}
