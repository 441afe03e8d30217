import APNSCapture
import APNSDiagnosis
import APNSInput

/// One input: opened, recognised by its first bytes, and read to its end into streams.
struct InputFile: ~Copyable {
  let name: String
  private let format: InputFormat
  private let follows: Bool
  private let file: Descriptor
  let source: ByteSource
  /// Helps to read a long file; nil if one thread is to do it.
  var second: LazyCompanion?
  /// What it begins with, kept for a word about what cannot be read.
  private var head: [UInt8] = []
  /// What the capture held beside streams, for one sentence.
  private(set) var remark: String?

  /// `-` is standard input.
  /// - Parameter follows: what is written to the file later is waited for.
  init(_ path: String, named name: String? = nil, as format: InputFormat, follows: Bool = false) throws(Failure) {
    self.name = name ?? (path == "-" ? "standard input" : path)
    self.format = format
    self.follows = follows
    // What is asked for as raw bytes comes out as it went in, gzip or not.
    let decompresses = format != .raw
    if path == "-" {
      file = .standardInput
      source = ByteSource(descriptor: 0, decompresses: decompresses)
      return
    }
    guard let file = Descriptor(reading: path) else { throw InputFile.missing(path) }
    source = ByteSource(descriptor: file.number, decompresses: decompresses, follows: follows)
    self.file = file
  }

  /// What to do about a file that is not there depends on what its name looks like.
  private static func missing(_ path: String) -> Failure {
    if Interrupt.isRaised { return .interrupted(path) }
    let reason = systemError()
    let digits = path.filter { $0 != " " && $0 != "<" && $0 != ">" }
    if digits.count >= 4, digits.allSatisfy(\.isHexDigit) {
      return .unreadable("\(path): \(reason); to read these digits as bytes: apnscope --hex '\(path)'")
    }
    return .unreadable("\(path): \(reason)")
  }

  /// Reads as much as it takes to tell what this is.
  mutating func kind() throws(Failure) -> InputKind {
    do throws(ReadError) {
      var isAll = false
      while true {
        if let kind = try InputKind(source.head, isAll: isAll, as: format) {
          if head.isEmpty { head = source.head }
          return kind
        }
        isAll = try !source.peekMore() || source.isAtEndForNow
      }
    } catch {
      throw .unreadable("\(name): \(error)")
    }
  }

  /// When the first packet was captured; nil where that cannot be told, or this is no capture.
  mutating func firstPacketTime() -> CaptureTime? {
    do {
      guard case .capture = try kind() else { return nil }
      var reader = try CaptureReader(source)
      return reader.firstPacketTime()
    } catch {
      return nil
    }
  }

  /// Reading was stopped, and bytes may follow.
  private var isStopped: Bool { Interrupt.isRaised && (source.wasInterrupted || !source.isAtEnd) }

  /// For a file that is followed, Ctrl-C is the way to end.
  private func checkInterruption() throws(Failure) {
    if isStopped, !source.isAtEndForNow { throw .interrupted(name) }
  }

  /// Everything that can be read of a capture goes into `sink`, also when it throws. The reassembler goes on with the next
  /// capture, or is finished by the caller.
  mutating func readCapture(
    filter: String?, input: Int, _ reassembler: inout Reassembler,
    into sink: inout Dissector<some InputSink & ~Copyable>
  ) throws(Failure) {
    do throws(ReadError) {
      var reader = try CaptureReader(source, filter: filter, input: input)
      defer { remark = reader.remark }
      guard let ahead = ahead() else {
        _ = try reader.readPiece(.max, into: &reassembler, &sink)
        return
      }
      try ahead.run(into: &sink) {
        reassembler.heldBytes
      } record: { (streams) throws(ReadError) in
        try reader.readPiece(ReadingAhead.piece, into: &reassembler, &streams)
      } read: { (dissector) throws(ReadError) in
        try reader.readPiece(ReadingAhead.piece, into: &reassembler, &dissector)
      }
    } catch {
      sink.breakOff()
      guard error.code != .badFilter else { throw .usage("\(name): \(error)") }
      throw .unreadable("\(name): \(error)")
    }
    if isStopped { sink.stop() }
    try checkInterruption()
  }

  /// For a file that is not waited for, and has more than one piece.
  private func ahead() -> ReadingAhead? {
    guard let second, source.isFile, !source.follows, source.size ?? 0 > ReadingAhead.piece else { return nil }
    return second.companion.map { ReadingAhead(companion: $0) }
  }

  /// Everything that can be read of what is no capture goes into `dissector`, by two threads if it is long, also when this
  /// throws.
  mutating func readBytesAhead(
    of kind: InputKind, strict: Bool, verbose: Bool, into dissector: inout Dissector<some InputSink & ~Copyable>
  ) throws(Failure) {
    guard case .raw = kind, let ahead = ahead() else {
      return try readBytes(of: kind, strict: strict, verbose: verbose, into: &dissector)
    }
    do throws(ReadError) { try readRaw(into: &dissector, ahead) } catch {
      dissector.breakOff()
      throw .unreadable("\(name): \(error)")
    }
    try checkInterruption()
  }

  /// Everything that can be read of what is no capture goes into `sink`, also when it throws.
  mutating func readBytes(
    of kind: InputKind, strict: Bool, verbose: Bool, into sink: inout some StreamSink & ~Copyable
  ) throws(Failure) {
    do throws(ReadError) {
      switch kind {
      case .text(let format): try readText(format, strict: strict, verbose: verbose, into: &sink)
      case .raw: try readRaw(into: &sink)
      case .capture: preconditionFailure("a capture is read by packets")
      }
    } catch {
      sink.breakOff()
      guard error.code == .unknownText, let other = ForeignProtocol.recognize(head.span) else {
        throw .unreadable("\(name): \(error)")
      }
      throw .unreadable("\(name): \(other.message); \(other.fix())")
    }
    try checkInterruption()
  }

  /// Whether there was no byte at all.
  var isEmpty: Bool { source.isAtEnd && head.isEmpty && !Interrupt.isRaised }

  private mutating func readRaw(into sink: inout some StreamSink & ~Copyable) throws(ReadError) {
    try asStream(&sink) { (file, sink) throws(ReadError) in
      var offset = 0
      try file.forEachChunk { (chunk: Span<UInt8>) throws(ReadError) in
        sink.append(chunk, from: .input(offset: offset), to: 0)
        offset += chunk.count
        return sink.wantsMore
      } pause: {
        sink.pause()
      }
    }
  }

  private mutating func readRaw(
    into dissector: inout Dissector<some InputSink & ~Copyable>, _ ahead: ReadingAhead
  ) throws(ReadError) {
    try asStream(&dissector) { (file, dissector) throws(ReadError) in
      let source = file.source
      var buffer = [UInt8](repeating: 0, count: ReadingAhead.piece)
      var offset = 0
      func read(into sink: inout some StreamSink & ~Copyable) throws(ReadError) -> Bool {
        let count = try source.read(into: &buffer)
        guard count > 0 else { return true }
        sink.append(buffer.span.extracting(0..<count), from: .input(offset: offset), to: 0)
        offset += count
        return Interrupt.isRaised
      }
      try ahead.run(into: &dissector) {
        0
      } record: { (streams) throws(ReadError) in
        try read(into: &streams)
      } read: { (dissector) throws(ReadError) in
        try read(into: &dissector)
      }
    }
  }

  /// The one stream of raw bytes.
  private mutating func asStream<Sink: StreamSink & ~Copyable>(
    _ sink: inout Sink, _ read: (inout InputFile, inout Sink) throws(ReadError) -> Void
  ) throws(ReadError) {
    if ByteSource.isCompressed(head) { remark = "it begins like gzip; --from raw does not unpack it" }
    if Interrupt.isRaised { sink.stop() }
    sink.open(ByteStream(number: 0))
    try read(&self, &sink)
    if isStopped { sink.stop() }
    sink.close(0, .open)
  }

  private mutating func readText(
    _ format: TextFormat?, strict: Bool, verbose: Bool, into sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    if Interrupt.isRaised { sink.stop() }
    var reader = TextReader(format: format, strict: strict)
    defer { remark = verbose || reader.isAssumed ? reader.interpretation : nil }
    let settles = follows
    try forEachChunk { (chunk: Span<UInt8>) throws(ReadError) in
      try reader.read(chunk, into: &sink)
      if settles { try reader.resolveFormat(into: &sink) }
      return sink.wantsMore
    } pause: {
      sink.pause()
    }
    guard isStopped else { return try reader.finish(into: &sink) }
    sink.stop()
    // Text that was cut is no fault.
    try? reader.finish(into: &sink)
  }

  private static let longestChunk = 1 << 20

  /// The input in pieces, until its end, an interrupt, or until `body` has seen enough. What was read to recognize the format
  /// is always among them.
  private mutating func forEachChunk(
    _ body: (Span<UInt8>) throws(ReadError) -> Bool, pause: () -> Void
  ) throws(ReadError) {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    repeat {
      if !source.isReady { pause() }
      let count = try source.read(into: &buffer)
      guard count > 0, try body(buffer.span.extracting(0..<count)) else { return }
      guard count == buffer.count, count < Self.longestChunk else { continue }
      // There is more where that came from.
      buffer = [UInt8](repeating: 0, count: Self.longestChunk)
    } while !Interrupt.isRaised
  }
}
