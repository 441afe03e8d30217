import APNSInput
import APNSQuery
import APNSViews
import APNSWire

/// Writes the frame that the flags describe, or those of NDJSON lines.
struct EncodeRun {
  private let frame: FrameRequest
  private let format: EncodeFormat
  /// Files of NDJSON; `-` and none at all are standard input.
  var files: [InputPath] = []
  /// `NAME=VALUE`: what is set in each frame.
  var assignments: [String] = []
  /// A file; nil for standard output.
  var output: OutputPath?
  var quiet = false

  init(_ frame: FrameRequest, _ format: EncodeFormat) {
    self.frame = frame
    self.format = format
  }

  func run() throws -> ExitStatus {
    var changes: [Assignment] = []
    for text in assignments {
      guard let assignment = Assignment(text) else { throw Failure.usage("--set \(text): write it as NAME=VALUE") }
      changes.append(assignment)
    }
    // Wrong usage ends the run before anything is opened for writing.
    var piece: EncodedPiece?
    if frame.isEmpty {
      try check(changes)
    } else {
      if let file = files.first {
        throw Failure.usage(
          frame.hex.isEmpty
            ? "the flags already describe a frame, so no file is read; drop \(file.path)"
            : "--hex and files exclude each other; drop \(file.path)")
      }
      piece = try frame.piece(changes)
    }
    var output = try EncodedOutput(format, to: self.output)
    do throws(Failure) {
      if let piece { output.add(piece) } else { try encodeLines(changes, to: &output) }
    } catch {
      output.abandon()
      throw error
    }
    try output.close()
    if !quiet, let losses = output.losses { StandardError.say(losses) }
    return .clean
  }

  private func encodeLines(_ changes: [Assignment], to output: inout EncodedOutput) throws(Failure) {
    let time = now()
    var reader = NDJSONReader(protocolDefinitions.catalog, makesDrafts: !changes.isEmpty)
    if files.isEmpty, !quiet { StandardError.sayWaiting(for: "NDJSON from ", see: "apnscope encode --help") }
    for name in files.isEmpty ? ["-"] : files.map(\.path) {
      var lines = try LineReader(name)
      while !output.isClosed, try lines.advance() {
        do throws(ReadError) {
          let number = lines.number
          try lines.read { (line) throws(ReadError) in
            guard var entry = try reader.read(line, number: number) else { return }
            if !changes.isEmpty { try apply(changes, to: &entry, time) }
            try output.add(entry)
          }
        } catch {
          throw .unreadable("\(lines.name): \(error)")
        }
      }
    }
  }

  private func apply(
    _ changes: [Assignment], to entry: inout NDJSONReader.Entry, _ time: Int
  ) throws(ReadError) {
    guard case .frame(var draft) = entry.content else { return }
    // In a stream of several frame types, each change is for those that have the field.
    for change in changes where draft.schema.has(change.member) {
      try apply(change, to: &draft, time, at: entry.position)
    }
    entry.content = .frame(draft)
  }

  /// What is wrong with a change whatever the lines hold is wrong usage.
  private func check(_ changes: [Assignment]) throws(Failure) {
    let schemas = protocolDefinitions.catalog.schemas
    for change in changes {
      let fitting = schemas.filter { $0.has(change.member) }
      guard !fitting.isEmpty else {
        let names = schemas.flatMap(\.assignableNames)
        throw .usage("--set \(change.name) is not a field of any frame type\(suggestion(change.member, names))")
      }
      for schema in fitting {
        do throws(AssignmentError) {
          try change.check(for: schema, now: now())
        } catch {
          throw .usage("--set \(error)")
        }
      }
    }
  }

  private func apply(
    _ change: Assignment, to draft: inout FrameDraft, _ time: Int, at position: Origin.TextPosition
  ) throws(ReadError) {
    do throws(AssignmentError) {
      try change.apply(to: &draft, now: time)
    } catch {
      throw ReadError(.notRecord, "--set \(error)\(suggestion(change.name, error.candidates))", position: position)
    }
  }
}
