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
  private var source: ByteSource
  /// What it begins with, kept for a word about what cannot be read.
  private var head: [UInt8] = []
  /// What the capture held beside streams, for one sentence.
  private(set) var remark: String?

  /// `-` is standard input.
  init(_ path: String) throws(Failure) {
    name = path == "-" ? "standard input" : path
    if path == "-" {
      file = .standardInput
      source = ByteSource(descriptor: 0)
      return
    }
    guard let file = Descriptor(reading: path) else { throw InputFile.missing(path) }
    guard !file.isDirectory else {
      throw .unreadable("\(path) is a directory; name the files in it")
    }
    source = ByteSource(descriptor: file.number)
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
    // What is asked for as raw bytes comes out as it went in, gzip or not.
    if format == .raw { source = ByteSource(descriptor: file.number, unpacks: false) }
    do throws(ReadError) { try fillHead() } catch { throw .unreadable("\(name): \(error)") }
    let isCaptured = format == .pcap || (format == .auto && isCapture(head))
    guard filter == nil || isCaptured || head.isEmpty else {
      throw .usage("\(name) is no capture, so there are no packets for -f to choose from")
    }
    do throws(ReadError) {
      if format == .auto || format == .pcap, let error = ForeignFile.error(for: head) { throw error }
      switch format {
      case .pcap: try readCapture(filter: filter, into: &sink)
      case .auto where isCaptured: try readCapture(filter: filter, into: &sink)
      case .raw: try readRaw(into: &sink)
      case .auto where !TextReader.isText(head.span): try readRaw(into: &sink)
      default: try readText(format.text, strict: strict, into: &sink)
      }
    } catch {
      sink.breakOff()
      guard error.code == .unknownText, let other = ForeignProtocol.recognize(head.span) else {
        throw .unreadable("\(name): \(error)")
      }
      throw .unreadable("\(name): \(other.message); \(other.fix())")
    }
  }

  /// Whether there was no byte at all.
  var isEmpty: Bool { source.isAtEnd && head.isEmpty && !Interrupt.isRaised }

  /// Enough bytes to recognise the format by.
  private mutating func fillHead() throws(ReadError) {
    // A capture and raw bytes show in their first bytes, so a stream that grows slowly is not waited for; text does not
    // show before all of the head is text.
    while source.head.count < 4096, source.head.count < 4 || isUndecided, try source.peekMore() {}
    head = source.head
  }

  private var isUndecided: Bool {
    let head = source.head
    return isCapture(head) ? head.count < 12 : TextReader.isText(head.span)
  }

  private mutating func readCapture(
    filter: String?, into sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    var reader = try CaptureReader(source, filter: filter)
    var reassembler = Reassembler()
    var failure: ReadError?
    do throws(ReadError) { try reader.read(into: &reassembler, &sink) } catch { failure = error }
    reassembler.finish(into: &sink)
    remark = [reader.remark, "\(reassembler.tally)"].filter { !$0.isEmpty }.joined(separator: ", ")
    if let failure { throw failure }
  }

  private mutating func readRaw(into sink: inout some StreamSink & ~Copyable) throws(ReadError) {
    if ByteSource.isPacked(head) { remark = "it begins like gzip, which only --from raw leaves packed" }
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

  /// The input in pieces, until its end or until `body` has seen enough.
  private mutating func forEachChunk(
    _ body: (Span<UInt8>) throws(ReadError) -> Bool, pause: () -> Void
  ) throws(ReadError) {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while !Interrupt.isRaised {
      if !source.isReady { pause() }
      let count = try source.read(into: &buffer)
      guard count > 0, try body(buffer.span.extracting(0..<count)) else { return }
    }
  }
}
