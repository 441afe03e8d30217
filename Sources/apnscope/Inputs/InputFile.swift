import APNSCapture
import APNSDiagnosis
import APNSInput
import APNSViews

/// One input, a file or the text of an option: it is opened, its kind is recognised, and its bytes are read into
/// streams.
struct InputFile: ~Copyable {
  let name: String
  let source: ByteSource
  let format: InputFormat
  private let input: InputSource
  private let file: Descriptor
  /// The first bytes, kept for error messages.
  private let head: [UInt8]
  // What reads the bytes; neither is needed for raw bytes.
  private var capture: CaptureReader?
  private var text: TextReader?
  /// Memory for the next bytes of text or raw bytes.
  private var buffer: [UInt8] = []
  private var offset = 0

  private static let pieceSize = 1 << 18

  init(_ input: InputSource, as format: InputFormat) throws(Failure) {
    if let obstacle = input.obstacle { throw .unreadable("\(input.name): \(obstacle)") }
    let file = if input.bytes == nil { try input.open() } else { Descriptor(-1) }
    // With --from raw the bytes are read unchanged, even if they are gzip.
    let source =
      input.bytes.map { ByteSource($0) } ?? ByteSource(descriptor: file.number, decompresses: format != .raw)
    let stated = input.bytes != nil && format == .auto ? .hex : format
    self.format = try ExitStatus.unreadable.failing("\(input.title): ") { try stated.recognised(in: source) }
    (self.input, name, self.source, head) = (input, input.title, source, source.head)
    self.file = file
  }

  var isEmpty: Bool { source.isAtEnd && head.isEmpty && !Interrupt.isRaised }

  /// Reads the input into `sink`; the readable part even if it throws. If the run is interrupted, what was read is
  /// complete up to there.
  /// - Parameters:
  ///   - number: The number of the input.
  ///   - second: The second thread; nil means that there is only one.
  ///   - reassembler: Receives the packets of a capture. The caller finishes it.
  mutating func read(
    by definitions: Definitions, filter: String? = nil, number: Int = 0, with second: WorkerThread? = nil,
    _ reassembler: inout Reassembler, into sink: inout some StreamSink & ~Copyable
  ) throws(Failure) {
    do throws(ReadError) {
      switch format {
      case .pcap: capture = try CaptureReader(source, filter: filter, input: number)
      case .raw: sink.open(ByteStream(number: 0))
      default: text = TextReader(definitions.catalog, format: format.text)
      }
      // An error in a text must reach the sink at once.
      let worker = text == nil && source.isFile && source.size ?? 0 > Self.pieceSize ? second : nil
      if capture == nil {
        buffer = [UInt8](repeating: 0, count: Self.pieceSize)
        if Interrupt.isRaised { sink.stop() }
      }
      if let worker {
        try readAhead(&reassembler, into: &sink, with: worker)
      } else {
        while try !readPiece(&reassembler, into: &sink) {}
      }
      if isStopped { sink.stop() }
      try finish(into: &sink)
    } catch {
      sink.breakOff()
      throw failure(for: error)
    }
    if isStopped { throw .interrupted(name) }
  }

  /// Whether reading was interrupted before the end.
  private var isStopped: Bool { Interrupt.isRaised && (source.wasInterrupted || !source.isAtEnd) }

  /// Reads the next piece. Returns true if there are no more, or if `sink` needs none.
  private mutating func readPiece(
    _ reassembler: inout Reassembler, into sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) -> Bool {
    if let isOver = try capture?.readPiece(Self.pieceSize, into: &reassembler, &sink) { return isOver }
    if !source.isReady { sink.pause() }
    let count = try source.read(into: &buffer)
    guard count > 0 else { return true }
    // A reference, so that the span is not of `self`.
    let buffer = buffer
    if text == nil {
      sink.append(buffer.span.extracting(0..<count), from: .input(offset: offset), to: 0)
      offset += count
    } else {
      try text?.read(buffer.span.extracting(0..<count), into: &sink)
    }
    return Interrupt.isRaised || !sink.wantsMore
  }

  /// Reads the input to its end. This thread dissects the streams of one piece while the worker reads the next piece.
  /// The result is the same as with one thread: if the sink holds so much that it may have to free memory, nothing is
  /// read ahead.
  private mutating func readAhead(
    _ reassembler: inout Reassembler, into sink: inout some StreamSink & ~Copyable, with worker: WorkerThread
  ) throws(ReadError) {
    var now = RecordedStreams()
    var next = RecordedStreams()
    var failure: ReadError?
    var isOver = false
    while !isOver, sink.wantsMore {
      if reassembler.heldBytes + sink.heldBytes > Reassembler.sinkLimit / 2 {
        now.replay(into: &sink)
        do throws(ReadError) { isOver = try readPiece(&reassembler, into: &sink) } catch {
          (failure, isOver) = (error, true)
        }
        continue
      }
      worker.run {
        do throws(ReadError) { isOver = try readPiece(&reassembler, into: &next) } catch {
          (failure, isOver) = (error, true)
        }
      } _: {
        now.replay(into: &sink)
      }
      swap(&now, &next)
    }
    now.replay(into: &sink)
    // An error in a piece that is not needed is ignored.
    if let failure, sink.wantsMore || Interrupt.isRaised { throw failure }
  }

  private mutating func finish(into sink: inout some StreamSink & ~Copyable) throws(ReadError) {
    guard text != nil else { return capture == nil ? sink.close(0, .open) : () }
    do throws(ReadError) { try text?.finish(into: &sink) } catch {
      // After an interruption, cut text is not an error.
      if !isStopped { throw error }
    }
    // A pipe may deliver no bytes, but a user who names a file expects some.
    guard !isStopped, text?.hasFoundBytes == false, !head.isEmpty, !input.isStandardInput else { return }
    let reason =
      "nothing in this text could be read as bytes; choose its format with --from, or read it unchanged with --from raw"
    throw ReadError(.unknownText, reason)
  }

  /// A remark on what was read, such as the interpretation of a text or packets of a capture that could not be read.
  mutating func remark(verbose: Bool) -> String? {
    if let remark = capture?.remark { return remark }
    if let isAssumed = text?.isAssumed { return verbose || isAssumed ? text?.interpretation : nil }
    return ByteSource.isCompressed(head) ? "it begins like gzip; --from raw does not unpack it" : nil
  }

  private func failure(for error: ReadError) -> Failure {
    var failure = Failure(
      status: error.code == .badFilter ? .usage : .unreadable, sentence: "\(name): \(reason(for: error))")
    if let line = error.position?.line, input.isFile, FileKind(input.path).isRegular {
      failure.next = "sed -n \(line)l \(shellWord(input.path))"
    }
    return failure
  }

  /// Why the input cannot be read: what it is instead, if that is known.
  private func reason(for error: ReadError) -> String {
    if let text = input.bytes.map({ String(decoding: $0, as: UTF8.self) }) {
      let kind = FileKind(text)
      if kind != .missing { return "\(text) is a \(kind == .folder ? "directory" : "file"); drop --hex" }
    }
    guard error.code == .unknownText, let other = ForeignProtocol.recognize(head.span) else { return "\(error)" }
    return "\(other.rule.title); \(other.fix())"
  }
}
