import APNSCapture
import APNSCraft
import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import ArgumentParser
import Octets

enum RedactFormat: String, CaseIterable, ExpressibleByArgument {
  case hex, raw, pcap
}

struct Redact: StreamRunnable {
  static let configuration = CommandConfiguration(
    "redact", "Replace private data and keep the findings, so that the result can be shared.",
    usage: """
      apnscope redact [<options>] [<file>]
      apnscope encode --command 1 --identifier 7 --expiry 0 --token fc13adff785122b4 --payload '{"aps":{"alert":"Hi \
      Jenna"}}' | apnscope redact --key k
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope redact -T pcap | apnscope -T line
      apnscope redact -w public.pcap private.pcap
      """,
    discussion: """
      Tokens, texts, your own payload keys and their numbers are replaced by others of the same size. With the same \
      --key, a value always gets the same replacement. Without --key a random one is used and discarded, so the \
      values cannot be recovered. Lengths, identifiers, expiries, priorities and Apple's keys are kept. In damaged \
      frames every byte that is not structure is replaced, at most three in a row excepted. Their findings may change: \
      input and result are compared by every edition, and the first difference is reported.

      Text is written as hex digits, raw bytes as raw bytes, captures as pcap files of Ethernet packets: with other \
      addresses, and without options, comments, secrets and packets of other protocols.
      """, clean: "the result was written", findings: nil)

  @Argument(help: "File to read; - is standard input (the default).", completion: .file())
  var file: InputPath?

  @Option(reads: "-r <file>", "Read FILE, as in tcpdump.")
  var readFile: InputPath?

  @Option("--from <format>", "Format of the input; hex is any form of hex text.")
  var from: InputFormat = .auto

  @OptionGroup var roles: RoleOptions

  @Option("--key <key>", "Any text, kept secret (default: a random one, which is discarded).")
  var key: String?

  @Option("-T, --format <format>", "hex, raw or pcap (default: that of the input).")
  var format: RedactFormat?

  @OptionGroup var target: OutputOption
  @OptionGroup var messages: QuietOption

  func validate() throws {
    if file != nil, readFile != nil { throw ValidationError("Only one file can be redacted at a time.") }
    if let key, key.isEmpty { throw ValidationError("An empty --key keeps nothing secret.") }
  }

  func execute(_ definitions: Definitions) throws -> ExitStatus {
    let settings = try roles.settings(definitions)
    let source = try InputSource(path: (readFile ?? file)?.path ?? "-").rereadable(quiet: messages.quiet)
    let input = try RedactionInput(source, as: from, by: definitions)
    let format = try outputFormat(for: input)
    var output = try OutputFile(target.output, content: .init(format))
    let standIns = StandIns(key: key)
    let redactor = Redactor(
      standIns, catalog: definitions.catalog, policy: settings.roles, recovers: settings.recovers)
    var redacted: [[UInt8]] = []
    for held in input.log.streams {
      if Interrupt.isRaised { throw Failure.interrupted }
      redacted.append(redactor.redact(held))
    }
    let (bytes, leftOut) = try write(redacted, of: input, as: format, standIns)
    // What was written is read back, and its findings are compared with those of the input.
    let result = InputSource(path: "what was redacted", bytes: bytes)
    let again = try RedactionInput(result, as: InputFormat(rawValue: format.rawValue) ?? .hex, by: definitions)
    let change = redactor.difference(input.log, again.log)
    if Interrupt.isRaised { throw Failure.interrupted }

    output.append { $0.write(bytes.span) }
    try output.close()
    if !messages.quiet { StandardError.say(summary(redacted, of: input.log, change, leftOut: leftOut)) }
    return [input.failure].compactMap(\.self).report() ?? .clean
  }

  /// The output format for this kind of input, unless one is given. Text that contains packets becomes a capture.
  private func outputFormat(for input: RedactionInput) throws(Failure) -> RedactFormat {
    let hasRoutes = input.log.streams.contains { $0.stream.route != nil }
    let format = format ?? (hasRoutes || input.format == .pcap ? .pcap : input.format == .raw ? .raw : .hex)
    if format != .pcap, input.log.streams.count > (format == .hex && !hasRoutes ? 2 : 1) {
      throw .unreadable(
        "\(input.source.title) has several streams, which -T \(format.rawValue) cannot separate; use -T pcap")
    }
    return format
  }

  private func write(
    _ redacted: [[UInt8]], of input: RedactionInput, as format: RedactFormat, _ standIns: StandIns
  ) throws(Failure) -> (bytes: [UInt8], leftOut: Int) {
    switch format {
    case .raw: return (redacted.first ?? [], 0)
    case .hex: return (digits(redacted, of: input.log), 0)
    case .pcap where input.format == .pcap:
      var capture = CaptureRedaction(input.log, redacted: redacted, standIns)
      try input.forEachPacket { capture.process($0, $1, originalLength: $2, $3) }
      // Bytes that arrived without TCP, or in fragments, get TCP packets of their own.
      if capture.isIncomplete { return (synthetic(redacted, of: input.log, standIns), capture.leftOut) }
      // A capture that ends inside a packet does so again.
      return (capture.bytes + (input.failure == nil ? [] : [UInt8](repeating: 0, count: 8)), capture.leftOut)
    case .pcap: return (synthetic(redacted, of: input.log, standIns), 0)
    }
  }

  private func summary(_ redacted: [[UInt8]], of log: StreamLog, _ change: String?, leftOut: Int) -> String {
    let changed = zip(log.streams, redacted).reduce(0) { $0 + zip($1.0.bytes, $1.1).count { $0 != $1 } }
    var line = "\(changed) of \(plural(redacted.joined().count, "byte")) replaced; "
    line += change.map { "damaged bytes have other findings now: \($0)" } ?? "the findings are the same in all editions"
    if leftOut > 0 { line += "; \(plural(leftOut, "packet")) without TCP omitted" }
    return line
  }
}

/// The streams of an input. A capture is read again, packet by packet.
private struct RedactionInput {
  let source: InputSource
  let format: InputFormat
  private(set) var log = StreamLog()
  /// The error at which reading a capture ended; what precedes it was read.
  private(set) var failure: Failure?

  init(_ source: InputSource, as format: InputFormat, by definitions: Definitions) throws(Failure) {
    var file = try InputFile(source, as: format)
    (self.source, self.format) = (source, file.format)
    var reassembler = Reassembler()
    do throws(Failure) { try file.read(by: definitions, &reassembler, into: &log) } catch {
      // Only a capture has packets.
      if error.isInterruption || reassembler.tally.packets == 0 { throw error }
      failure = error
    }
    reassembler.finish(into: &log)
  }

  func forEachPacket(_ body: (Span<UInt8>, LinkType, Int, Origin.Packet) -> Void) throws(Failure) {
    let file = try InputFile(source, as: .pcap)
    do throws(ReadError) {
      var reader = try CaptureReader(file.source)
      try reader.forEachPacket(body)
    } catch {
      // The same error was recorded in the first reading.
      if failure == nil { throw .unreadable("\(source.title): \(error)") }
    }
  }
}

/// Hex digits, sixteen bytes per line; if there are two sides, each line begins with the mark of its side.
private func digits(_ redacted: [[UInt8]], of log: StreamLog) -> [UInt8] {
  var out: [UInt8] = []
  var pieces = log.pieces[...]
  while let first = pieces.first {
    // A line can only have one side, so adjacent pieces of one side are joined.
    let joined = pieces.prefix { $0.stream == first.stream }
    pieces = pieces[joined.endIndex...]
    let held = log.streams[first.stream].stream
    let mark = !held.isDirected ? "" : held.number.isMultiple(of: 2) ? "> " : "< "
    var bytes = redacted[first.stream][first.range.lowerBound..<joined[joined.endIndex - 1].range.upperBound]
    while !bytes.isEmpty {
      out += (mark + bytes.prefix(16).map(\.hexDigits).joined(separator: " ") + "\n").utf8
      bytes = bytes.dropFirst(16)
    }
  }
  return out
}

/// A synthetic capture of the streams, in TCP packets of their own with made-up addresses.
private func synthetic(_ redacted: [[UInt8]], of log: StreamLog, _ standIns: StandIns) -> [UInt8] {
  var writer = CaptureWriter()
  var addresses = AddressStandIns(standIns)
  var out: [UInt8] = []
  let routes = log.streams.map { held in
    let side = held.stream.number.isMultiple(of: 2) ? StreamRole.provider : .gateway
    return held.stream.route.map { addresses.route($0) } ?? .documented(for: side, connection: held.stream.connection)
  }
  var ends = log.streams.map { _ in 0 }
  for piece in log.pieces {
    let (route, gap) = (routes[piece.stream], piece.offset - ends[piece.stream])
    if gap > 0 { writer.gap(of: gap, on: route, into: &out) }
    let bytes = redacted[piece.stream]
    writer.segment(bytes.span.extracting(piece.range), on: route, at: piece.packet?.time, into: &out)
    ends[piece.stream] = piece.offset + piece.range.count
  }
  writer.finish(into: &out)
  return out
}
