import APNSCapture
import APNSDiagnosis
import APNSInput
import APNSQuery
import ArgumentParser

/// How an input is to be read.
enum InputFormat: String, CaseIterable, ExpressibleByArgument {
  case auto, hex, raw, pcap
  case plain, c, xxd, hexdump, nsdata, escapes, base64

  /// The text format that the name forces; nil where it is recognised by itself.
  var text: TextFormat? { TextFormat(rawValue: rawValue) }
}

/// One input: opened, recognised by its first bytes, and read to its end into streams.
struct InputFile: ~Copyable {
  let name: String
  private let file: Descriptor
  private var head: [UInt8] = []
  private var isAtEnd = false
  /// What the capture held beside streams, for one sentence.
  private(set) var remark: String?

  /// `-` is standard input.
  init(_ path: String) throws(Failure) {
    name = path == "-" ? "standard input" : path
    if path == "-" {
      file = .standardInput
      return
    }
    guard let file = Descriptor(reading: path) else { throw InputFile.missing(path) }
    guard !file.isDirectory else {
      throw .unreadable("\(path) is a directory; name the files in it")
    }
    self.file = file
  }

  /// What to do about a file that is not there depends on what its name looks like.
  private static func missing(_ path: String) -> Failure {
    let reason = systemError()
    let digits = path.filter { $0 != " " && $0 != "<" && $0 != ">" }
    if digits.count >= 4, digits.allSatisfy(\.isHexDigit) {
      return .unreadable("\(path): \(reason); to read these digits as bytes: apnscope --hex '\(path)'")
    }
    let subcommands = Apnscope.configuration.subcommands.map { $0._commandName } + ["help"]
    let hint = suggestion(path, subcommands, kind: "the subcommand ")
    return Failure(status: .unreadable, sentence: "\(path): \(reason)" + hint, isMistypedSubcommand: !hint.isEmpty)
  }

  /// Everything that can be read goes into `sink`, also when it throws.
  mutating func read(
    as format: InputFormat, strict: Bool, filter: String?, into sink: inout some StreamSink & ~Copyable
  ) throws(Failure) {
    try fillHead()
    let isCaptured = format == .pcap || (format == .auto && isCapture(head))
    guard filter == nil || isCaptured || head.isEmpty else {
      throw .usage("\(name) is no capture, so there are no packets for -f to choose from")
    }
    do throws(ReadError) {
      switch format {
      case .pcap: try readCapture(filter: filter, into: &sink)
      case .auto where isCaptured: try readCapture(filter: filter, into: &sink)
      case .raw: try readRaw(into: &sink)
      case .auto where head.starts(with: [0x1f, 0x8b]):
        throw ReadError(.unreadable, "this is gzip; unpack it first: gunzip -c FILE | apnscope")
      case .auto where !TextReader.isText(head.span): try readRaw(into: &sink)
      default: try readText(format.text, strict: strict, into: &sink)
      }
    } catch {
      sink.breakOff()
      guard error.code == .unknownText, let other = ForeignProtocol.recognize(head.span) else {
        throw .unreadable("\(name): \(error)")
      }
      throw .unreadable("\(name): \(other.message); \(other.fix)")
    }
  }

  /// Whether there was no byte at all.
  var isEmpty: Bool { isAtEnd && head.isEmpty && !Interrupt.isRaised }

  /// Enough bytes to recognise the format by.
  private mutating func fillHead() throws(Failure) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    // A capture and raw bytes show in their first bytes, so a stream that grows slowly is not waited for; text does not
    // show before all of the head is text.
    while head.count < 4096, !isAtEnd, head.count < 4 || isUndecided {
      guard let count = file.read(into: &buffer) else { throw .unreadable("\(name): \(systemError())") }
      isAtEnd = count == 0
      head += buffer[..<count]
    }
  }

  private var isUndecided: Bool { isCapture(head) ? head.count < 12 : TextReader.isText(head.span) }

  private mutating func readCapture(
    filter: String?, into sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    var reader = try CaptureReader(descriptor: file.number, head: head, filter: filter)
    defer { remark = "\(reader.tally)" }
    try reader.read(into: &sink)
  }

  private mutating func readRaw(into sink: inout some StreamSink & ~Copyable) throws(ReadError) {
    sink.open(ByteStream(number: 0))
    var offset = 0
    try forEachChunk { (chunk: Span<UInt8>) throws(ReadError) in
      sink.append(chunk, from: .input(offset: offset), to: 0)
      offset += chunk.count
      return sink.wantsMore
    } pause: {
      sink.pause()
    }
    sink.close(0)
  }

  private mutating func readText(
    _ format: TextFormat?, strict: Bool, into sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    var reader = TextReader(format: format, strict: strict)
    try forEachChunk { (chunk: Span<UInt8>) throws(ReadError) in
      try reader.read(chunk, into: &sink)
      return sink.wantsMore
    } pause: {
      sink.pause()
    }
    try reader.finish(into: &sink)
  }

  /// The head, then the rest in pieces, until the end or until `body` has seen enough.
  private mutating func forEachChunk(
    _ body: (Span<UInt8>) throws(ReadError) -> Bool, pause: () -> Void
  ) throws(ReadError) {
    guard try body(head.span) else { return }
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while !isAtEnd, !Interrupt.isRaised {
      if !file.isReady { pause() }
      guard let count = file.read(into: &buffer) else { throw ReadError(.unreadable, systemError()) }
      isAtEnd = count == 0
      guard count > 0, try body(buffer.span.extracting(0..<count)) else { return }
    }
  }
}
