import APNSInput
import APNSQuery
import APNSViews
import APNSWire

// Frames from lines of NDJSON.
extension Encode {
  func encodeLines(_ changes: [Assignment], to output: inout EncodedOutput) throws(Failure) {
    let time = now()
    var reader = NDJSONReader(.standard)
    if files.isEmpty, !quiet { Talk.sayWaiting(for: "NDJSON from ", see: "apnscope encode --help") }
    for name in files.isEmpty ? ["-"] : files {
      var lines = try LineReader(name)
      while !output.isClosed, try lines.advance() {
        do throws(ReadError) {
          let number = lines.number
          if changes.isEmpty {
            try lines.read { (line) throws(ReadError) in
              if try output.add(line, number: number, with: reader) { return }
              if let entry = try reader.readBytes(line, number: number) { try output.add(entry) }
            }
          } else if var entry = try reader.read(lines.copy, number: number) {
            try apply(changes, to: &entry, time)
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
  func check(_ changes: [Assignment]) throws(Failure) {
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
