import APNSCapture
import APNSCraft
import APNSDiagnosis
import APNSInput
import APNSViews
import Octets

/// The formats of redacted output.
enum RedactFormat: String, CaseIterable {
  case hex, raw, pcap

  var content: OutputFile.Content {
    switch self {
    case .hex: .text
    case .raw: .bytes
    case .pcap: .capture
    }
  }
}

/// Replaces private data, and verifies that all findings are preserved before it writes anything.
struct RedactRun {
  private let settings: StreamSettings
  var inputFormat = InputFormat.auto
  /// The output format; nil means that of the input.
  var format: RedactFormat?
  /// Any text; nil means a random key that is discarded.
  var key: String?
  /// The output file; nil means standard output.
  var output: OutputPath?
  var quiet = false

  init(_ settings: StreamSettings) { self.settings = settings }

  /// - Parameter named: The input file; `-` is standard input.
  func run(_ named: String) throws -> ExitStatus {
    let isPipe = named == "-" || !FileKind(named).isRegular
    let source = isPipe ? InputSource.copy(try SpilledInput(named, quiet: quiet)) : .file(named)
    var input = try RedactionInput(source, as: inputFormat)
    let format = try outputFormat(for: input)
    var file = try OutputFile(output, content: format.content)
    let standIns = StandIns(key: key)
    let redactor = Redactor(
      standIns, catalog: protocolDefinitions.catalog, policy: settings.roles, recovers: settings.recovers)
    let answered = redactor.answered(in: input.log)
    var (redacted, kept): ([[UInt8]], Int) = ([], 0)
    for held in input.log.streams {
      if Interrupt.isRaised { throw Failure.interrupted }
      let stream = try Self.convertingRefusal { () throws(Redactor.Refusal) in
        try redactor.redact(held, answered: answered)
      }
      redacted.append(stream.bytes)
      kept += stream.kept
    }
    let (bytes, leftOut) = try write(redacted, of: &input, as: format, standIns)
    try verify(bytes, of: input, as: format, redactor)
    if Interrupt.isRaised { throw Failure.interrupted }

    file.append { $0.write(bytes.span) }
    try file.close()
    if !quiet { StandardError.say(summary(redacted, of: input.log, kept: kept, leftOut: leftOut)) }
    guard let failure = input.failure else { return .clean }
    failure.report()
    return .unreadable
  }

  private func outputFormat(for input: borrowing RedactionInput) throws(Failure) -> RedactFormat {
    let format = format ?? input.format
    if format != .pcap, input.log.streams.count > (format == .hex && !input.hasRoutes ? 2 : 1) {
      throw .unreadable("\(input.name) has several streams, which -T \(format.rawValue) cannot separate; use -T pcap")
    }
    return format
  }

  private func write(
    _ redacted: [[UInt8]], of input: inout RedactionInput, as format: RedactFormat, _ standIns: StandIns
  ) throws(Failure) -> (bytes: [UInt8], leftOut: Int) {
    switch format {
    case .raw: return (redacted.first ?? [], 0)
    case .hex: return (RedactedText.digits(redacted, of: input.log), 0)
    case .pcap where input.isCapture:
      var capture = CaptureRedaction(input.log, redacted: redacted, standIns)
      try input.forEachPacket { capture.process($0, $1, originalLength: $2, $3, $4) }
      capture.finish()
      if let refusal = capture.refusal { throw .unreadable("\(input.name): \(refusal)") }
      // A capture that ends inside a packet does so again.
      return (capture.bytes + (input.failure == nil ? [] : [UInt8](repeating: 0, count: 8)), capture.leftOut)
    case .pcap: return (RedactedText.capture(redacted, of: input.log), 0)
    }
  }

  /// Reads the output and compares its findings with those of the input.
  private func verify(
    _ bytes: [UInt8], of input: borrowing RedactionInput, as format: RedactFormat, _ redactor: Redactor
  ) throws(Failure) {
    guard !input.log.streams.isEmpty else { return }
    let file = try TemporaryFile.make()
    try file.replace(with: bytes)
    let again = try RedactionInput(.file(file.path), named: "what was redacted", as: format == .raw ? .raw : .auto)
    if let (stream, difference) = redactor.difference(input.log, again.log) {
      throw .unreadable(
        Self.sentence(stream: stream, offset: difference.offset, "after replacement, \(difference.what)"))
    }
  }

  private static func convertingRefusal<T>(_ body: () throws(Redactor.Refusal) -> T) throws(Failure) -> T {
    do throws(Redactor.Refusal) { return try body() } catch {
      throw .unreadable(sentence(stream: error.stream, offset: error.offset, error.what))
    }
  }

  private static func sentence(stream: Int, offset: Int, _ what: String) -> String {
    "cannot redact, and nothing was written: at 0x\(String(offset, radix: 16)) of stream \(stream), \(what); remove "
      + "these bytes, or try another --key"
  }

  private func summary(_ redacted: [[UInt8]], of log: StreamLog, kept: Int, leftOut: Int) -> String {
    var changed = 0
    var all = 0
    for (held, bytes) in zip(log.streams, redacted) {
      all += bytes.count
      for index in bytes.indices where bytes[index] != held.bytes[index] { changed += 1 }
    }
    var line = "\(changed) of \(plural(all, "byte")) replaced; the findings are the same in all editions"
    if kept > 0 { line += "; \(plural(kept, "byte")) outside frames kept, because findings depend on them" }
    if leftOut > 0 { line += "; \(plural(leftOut, "packet")) without TCP omitted" }
    return line
  }
}
