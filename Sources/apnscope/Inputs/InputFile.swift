import APNSCapture
import APNSDiagnosis
import APNSInput
import APNSViews

/// One input, a file or the text of an option: it is opened, its kind is recognised, and its bytes are read into
/// streams.
struct InputFile: ~Copyable {
  let name: String
  private let input: InputSource
  private let format: InputFormat
  private let file: Descriptor
  let source: ByteSource
  /// The second thread for long files; nil means that there is only one.
  var second: WorkerThread?
  /// The first bytes, kept for error messages.
  private var head: [UInt8] = []
  /// A remark on what was read, such as the interpretation of a text or packets of a capture that could not be read.
  private(set) var remark: String?

  /// Opens an input.
  init(_ input: InputSource, named name: String? = nil, as format: InputFormat) throws(Failure) {
    let file = try Self.open(input)
    self.input = input
    self.name = name ?? input.title
    if case .text(let text) = input {
      self.format = format == .auto ? .hex : format
      source = ByteSource(Array(text.utf8))
    } else {
      self.format = format
      // With --from raw the bytes are read unchanged, even if they are gzip.
      source = ByteSource(descriptor: file.number, decompresses: format != .raw)
    }
    self.file = file
  }

  private static func open(_ input: InputSource) throws(Failure) -> Descriptor {
    switch input {
    case .text: return Descriptor(number: -1, isOwned: false)
    case .unreadable(let path, let reason): throw .unreadable("\(path): \(reason)")
    case .file(let path): return try Descriptor(input: path)
    case .copy(let copy, _): return try Descriptor(input: copy.path)
    }
  }

  /// Recognises the kind of the input, reading only as much as necessary.
  mutating func kind() throws(Failure) -> InputKind {
    do throws(ReadError) {
      var isAll = false
      while true {
        if let kind = try InputKind(source.head, isAll: isAll, as: format) {
          if head.isEmpty { head = source.head }
          return kind
        }
        isAll = try !source.peekMore()
      }
    } catch {
      throw .unreadable("\(name): \(error)")
    }
  }

  /// The time of the first packet; nil if it is unknown or this is not a capture.
  mutating func firstPacketTime() -> CaptureTime? {
    guard case .capture? = try? kind(), var reader = try? CaptureReader(source) else { return nil }
    return reader.firstPacketTime()
  }

  /// Whether reading was interrupted before the end.
  private var isStopped: Bool { Interrupt.isRaised && (source.wasInterrupted || !source.isAtEnd) }

  /// Reads the input into `sink`; the readable part even if it throws. If the run is interrupted, what was read is
  /// complete up to there.
  /// - Parameters:
  ///   - captures: Receives a capture. The caller finishes it.
  ///   - number: The number of the input.
  mutating func read(
    as kind: InputKind, by definitions: Definitions, filter: String? = nil, number: Int = 0, verbose: Bool = false,
    _ captures: inout CaptureSequence, into sink: inout some StreamSink & ~Copyable
  ) throws(Failure) {
    do throws(ReadError) {
      switch kind {
      case .capture:
        defer { remark = captures.close() }
        try captures.open(source, filter: filter, input: number)
        try captures.read(into: &sink, with: worker)
      case .text(let format): try readText(format, by: definitions, verbose: verbose, into: &sink)
      case .raw: try readRaw(into: &sink)
      }
    } catch {
      sink.breakOff()
      throw failure(for: error)
    }
    guard isStopped else { return }
    sink.stop()
    throw .interrupted(name)
  }

  private func failure(for error: ReadError) -> Failure {
    var failure = Failure(
      status: error.code == .badFilter ? .usage : .unreadable, sentence: "\(name): \(reason(for: error))")
    if let line = error.position?.line, case .file(let path) = input, FileKind(path).isRegular {
      failure.next = "sed -n \(line)l \(shellWord(path))"
    }
    return failure
  }

  /// Why the input cannot be read: what it is instead, if that is known.
  private func reason(for error: ReadError) -> String {
    if case .text(let text) = input {
      let kind = FileKind(text)
      if kind != .missing { return "\(text) is a \(kind == .folder ? "directory" : "file"); drop --hex" }
    }
    guard error.code == .unknownText, let other = ForeignProtocol.recognize(head.span) else { return "\(error)" }
    return "\(other.message); \(other.fix())"
  }

  /// Whether the input has no bytes.
  var isEmpty: Bool { source.isAtEnd && head.isEmpty && !Interrupt.isRaised }

  /// The second thread, if there is one and the file is regular and long enough.
  private var worker: WorkerThread? { source.isFile && source.size ?? 0 > pieceSize ? second : nil }

  private mutating func readRaw(into sink: inout some StreamSink & ~Copyable) throws(ReadError) {
    if Interrupt.isRaised { sink.stop() }
    if ByteSource.isCompressed(head) { remark = "it begins like gzip; --from raw does not unpack it" }
    sink.open(ByteStream(number: 0))
    var pieces = RawPieces(source, size: worker == nil ? chunkSize : pieceSize)
    try pieces.read(into: &sink, with: worker)
    if isStopped { sink.stop() }
    sink.close(0, .open)
  }

  private mutating func readText(
    _ format: TextFormat?, by definitions: Definitions, verbose: Bool,
    into sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    if Interrupt.isRaised { sink.stop() }
    var reader = TextReader(definitions.catalog, format: format, among: definitions.formats)
    defer { remark = verbose || reader.isAssumed ? reader.interpretation : nil }
    var buffer = [UInt8](repeating: 0, count: chunkSize)
    repeat {
      if !source.isReady { sink.pause() }
      let count = try source.read(into: &buffer)
      guard count > 0 else { break }
      try reader.read(buffer.span.extracting(0..<count), into: &sink)
    } while sink.wantsMore && !Interrupt.isRaised
    guard isStopped else {
      try reader.finish(into: &sink)
      // A pipe may deliver no bytes, but a user who names a file expects some.
      guard reader.hasFoundBytes || head.isEmpty || input.isStandardInput else {
        let reason =
          "nothing in this text could be read as bytes; choose its format with --from, or read it unchanged with "
          + "--from raw"
        throw ReadError(.unknownText, reason)
      }
      return
    }
    sink.stop()
    // After an interruption, cut text is not an error.
    try? reader.finish(into: &sink)
  }
}

/// The size of a chunk in bytes, if nothing is read ahead.
private let chunkSize = 1 << 18

/// Reads raw bytes into stream 0.
private struct RawPieces: PieceReader {
  let heldBytes = 0
  private let source: ByteSource
  private var offset = 0
  private var buffer: [UInt8]

  init(_ source: ByteSource, size: Int) {
    self.source = source
    buffer = [UInt8](repeating: 0, count: size)
  }

  mutating func readPiece(into sink: inout some StreamSink & ~Copyable) throws(ReadError) -> Bool {
    if !source.isReady { sink.pause() }
    let count = try source.read(into: &buffer)
    guard count > 0 else { return true }
    sink.append(buffer.span.extracting(0..<count), from: .input(offset: offset), to: 0)
    offset += count
    return Interrupt.isRaised || !sink.wantsMore
  }
}
