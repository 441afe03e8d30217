import APNSCapture
import APNSDiagnosis
import APNSInput

/// Receives the records of inputs, and remarks on what could not be read.
protocol InputSink: RecordSink, ~Copyable {
  /// Whether all losses are visible in the records.
  var showsLosses: Bool { get }
  /// Notes that an input was read, with a remark if there is one.
  mutating func note(_ name: String, isEmpty: Bool, remark: String?)
  /// The counts of a capture, or of a sequence of captures.
  mutating func note(_ tally: Reassembler.Tally)
}

extension InputSink where Self: ~Copyable {
  var wantsMore: Bool { !Interrupt.isRaised }
  var showsLosses: Bool { true }
  mutating func note(_ name: String, isEmpty: Bool, remark: String?) {}
  mutating func note(_ tally: Reassembler.Tally) {}
}

extension InputOptions {
  /// Reads all sources in order. If one fails, the others are still read.
  /// - Parameter readsAhead: Whether a second thread reads; nil if it does unless there is progress to show.
  func read(
    _ sources: [InputSource], by definitions: Definitions, into dissector: inout Dissector<some InputSink & ~Copyable>,
    quiet: Bool = true, verbose: Bool = false, progress: Progress? = nil, readsAhead: Bool? = nil
  ) -> [Failure] {
    var failures: [Failure] = []
    var captures = CaptureSequence()
    let second = readsAhead ?? (progress == nil && processorCount() > 1) ? WorkerThread() : nil
    for (index, source) in sources.enumerated() {
      guard dissector.wantsMore else {
        if Interrupt.isRaised, failures.isEmpty { failures.append(.interrupted(source.name).reading(input: index)) }
        break
      }
      do throws(Failure) { try read(source, number: index) } catch { failures.append(error.reading(input: index)) }
    }
    captures.end(into: &dissector)
    dissector.finish()
    progress?.clear()
    return failures

    func read(_ source: InputSource, number: Int) throws(Failure) {
      var file = try InputFile(source, as: from)
      file.second = second
      if case .file("-") = source, !quiet { StandardError.sayWaiting() }
      progress?.watch(file.source)
      let kind: InputKind
      do throws(Failure) { kind = try file.kind() } catch {
        captures.end(into: &dissector)
        throw error
      }
      let isCapture = if case .capture = kind { true } else { false }
      if !isCapture { captures.end(into: &dissector) }
      dissector.begin(input: number, after: captures.connections)
      defer {
        if !isCapture { dissector.finish() }
        let remarks = [verbose && from == .auto && !file.isEmpty ? kind.reason : nil, file.remark].compactMap(\.self)
        dissector.records.note(file.name, isEmpty: file.isEmpty, remark: remark(remarks, on: file.name))
      }
      guard isCapture || filter == nil || file.isEmpty else {
        throw .usage("\(file.name) is not a capture, so -f has no packets to filter; drop -f")
      }
      try file.read(
        as: kind, by: definitions, filter: filter, number: number, verbose: verbose, &captures, into: &dissector)
    }
  }

  /// Joins remarks, and prepends the name of the input if there are several.
  private func remark(_ remarks: [String], on name: String) -> String? {
    let remark = remarks.filter { !$0.isEmpty }.joined(separator: "; ")
    guard !remark.isEmpty else { return nil }
    return paths.count > 1 || paths.contains(where: { $0.path != "-" && FileKind($0.path) == .folder })
      ? "\(name): \(remark)" : remark
  }
}

/// A sequence of captures that share a reassembler, so that connections continue from one to the next.
struct CaptureSequence: PieceReader, ~Copyable {
  private(set) var reassembler = Reassembler()
  private var reader: CaptureReader?
  private var isOpen = false

  /// Number of connections so far.
  var connections: Int { reassembler.tally.connections }
  var heldBytes: Int { reassembler.heldBytes }

  mutating func open(_ source: ByteSource, filter: String?, input: Int) throws(ReadError) {
    isOpen = true
    reader = try CaptureReader(source, filter: filter, input: input)
  }

  mutating func readPiece(into sink: inout some StreamSink & ~Copyable) throws(ReadError) -> Bool {
    try reader?.readPiece(pieceSize, into: &reassembler, &sink) ?? true
  }

  /// Closes the current capture. Returns a remark on it.
  mutating func close() -> String? {
    defer { reader = nil }
    return reader?.remark
  }

  /// Ends the connections.
  mutating func finish(into sink: inout some StreamSink & ~Copyable) { reassembler.finish(into: &sink) }

  mutating func end(into dissector: inout Dissector<some InputSink & ~Copyable>) {
    guard isOpen else { return }
    finish(into: &dissector)
    dissector.finish()
    let tally = reassembler.tally
    dissector.records.note(tally)
    dissector.records.note("", isEmpty: false, remark: dissector.records.showsLosses ? tally.unrecorded : "\(tally)")
    self = CaptureSequence()
  }
}
