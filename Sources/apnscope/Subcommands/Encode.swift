import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import APNSWire
import ArgumentParser

struct Encode: Runnable {
  static let configuration = CommandConfiguration(
    "encode", "Build frames from flags or from NDJSON: as hex, raw bytes, base64, a C array, NDJSON or a capture.",
    usage: """
      apnscope encode [<options>] [<file> ...]
      apnscope encode --command 2 --token b4bce12f9d --payload '{"aps":{"alert":"Hi"}}' --expiry +1d --priority 10
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope
      apnscope encode --timestamp now --token b4bce12f9d -T c
      apnscope encode --command 0 --token b4bce12f9d --payload '{}' --length token_length=32
      apnscope --hex '000001aa000a7b22617073223a7b7d7d' -T ndjson | apnscope encode --set payload.aps.badge=3 -T ndjson
      """,
    discussion: """
      Without flags that describe a frame, encode reads NDJSON, as written by `dissect -T ndjson`, from the files or \
      from standard input. Lengths are computed unless you give them; a length that you give is written unchanged, \
      even if it is wrong.
      """, clean: "the frames were written", findings: nil)

  @Argument(help: "NDJSON files; - is standard input, the default.", completion: .file())
  var files: [InputPath] = []

  @OptionGroup var frame: FrameOptions

  @Option("-T, --format <format>", "Output format; c is a C array, pcap a capture with synthetic packets.")
  var format: EncodeFormat = .hex

  @OptionGroup var target: OutputOption
  @OptionGroup var frames: FramesOption
  @OptionGroup var messages: QuietOption

  func execute(_ definitions: Definitions) throws -> ExitStatus {
    let catalog = definitions.catalog
    let changes = try frame.changes()
    // Wrong usage ends the run before anything is opened for writing.
    let entry = try frame.isEmpty ? nil : frame.entry(changes, catalog)
    if entry == nil {
      try check(changes, catalog)
    } else if let file = files.first {
      throw Failure.usage("the flags already describe a frame, so no file is read; drop \(file.path)")
    }
    var output = try EncodedOutput(format, definitions, to: target.output)
    do {
      if let entry { try output.add(entry) } else { try encodeLines(changes, catalog, to: &output) }
    } catch {
      // The error is the reason for what else fails now.
      try? output.close(complete: false)
      throw error
    }
    try output.close()
    if !messages.quiet, let losses = output.losses { StandardError.say(losses) }
    return .clean
  }

  private func encodeLines(_ changes: [Assignment], _ catalog: Catalog, to output: inout EncodedOutput) throws(Failure)
  {
    let time = now()
    var reader = NDJSONReader(catalog, makesDrafts: !changes.isEmpty)
    if files.isEmpty, !messages.quiet { StandardError.sayWaiting(for: "NDJSON from ", see: "apnscope encode --help") }
    for name in files.isEmpty ? ["-"] : files.map(\.path) {
      try readLines(of: name) { line, number in
        if var entry = try reader.read(line, number: number) {
          try apply(changes, to: &entry, time)
          try output.add(entry)
        }
        return !output.isClosed
      }
    }
  }

  private func apply(_ changes: [Assignment], to entry: inout NDJSONReader.Entry, _ time: Int) throws(ReadError) {
    guard !changes.isEmpty, case .frame(var draft) = entry.content else { return }
    // In a stream of several frame types, each change is for those that have the field.
    for change in changes where draft.schema.has(change.member) {
      do throws(AssignmentError) { try change.apply(to: &draft, now: time) } catch {
        throw ReadError(.notRecord, "--set \(error)", position: entry.position)
      }
    }
    entry.content = .frame(draft)
  }

  /// What is wrong with a change whatever the lines hold is wrong usage.
  private func check(_ changes: [Assignment], _ catalog: Catalog) throws(Failure) {
    let schemas = catalog.schemas
    for change in changes {
      let fitting = schemas.filter { $0.has(change.member) }
      guard !fitting.isEmpty else {
        let names = schemas.flatMap(\.assignableNames)
        throw .usage("--set \(change.name) is not a field of any frame type\(suggestion(change.member, names))")
      }
      for schema in fitting {
        try ExitStatus.usage.failing("--set ") { try change.check(for: schema, now: now()) }
      }
    }
  }
}
