import APNSDiagnosis
import APNSViews

/// The last line on standard error: what there was, what is wrong, and what to run next.
struct Triage {
  private var frames = 0
  private var bad = 0
  private var shown = 0
  private var passedOver = 0
  private var rules: [String: Int] = [:]
  private var first: (record: Record, finding: Finding, input: String)?
  private var remarks: [String] = []
  private var streams: [Int] = []
  private var hadBytes = false
  private(set) var worst: Finding.Severity?

  /// A stream turned up, shown or not.
  mutating func see(stream: Int) {
    if streams.last != stream, streams.count < 16, !streams.contains(stream) { streams.append(stream) }
  }

  /// A record did not match the filter: it is not spoken of.
  mutating func passOver() { passedOver += 1 }

  mutating func count(_ record: Record, of input: String) {
    shown += 1
    if case .frame = record.content { frames += 1 }
    guard !record.findings.isEmpty else { return }
    bad += 1
    for finding in record.findings {
      rules[finding.rule, default: 0] += 1
      if first == nil { first = (record, finding, input) }
      worst = max(worst ?? finding.severity, finding.severity)
    }
  }

  /// An input was read; `remark` is what it held beside streams.
  mutating func note(input: String, isEmpty: Bool, remark: String?) {
    if isEmpty { remarks.append("\(input) is empty") } else { hadBytes = true }
    if let remark, !remark.isEmpty { remarks.append(remark) }
  }

  var foundSomething: Bool { frames > 0 || bad > 0 }

  /// Nil where there is nothing to say. `flags`: those that reading the same input again takes; `wanted`: the one stream
  /// that was asked for.
  func line(flags: [String], format: ViewFormat, wanted: Int?) -> String? {
    var parts = remarks
    if let first {
      parts.insert("\(plural(frames, "frame")), \(bad) to look at\(rules.count > 1 ? " (\(counts))" : "")", at: 0)
      parts.append(
        "first: #\(first.record.number) at 0x\(String(first.finding.range.lowerBound, radix: 16))"
          + "\(place(of: first.finding, in: first.record)): \(first.finding.rule), \(first.finding.message)")
      if let next = next(flags, format, first.record, first.input) { parts.append(next) }
    } else if passedOver > 0, shown == 0 {
      parts.append("\(plural(passedOver, "record")) read, none matches the filter")
    } else if let wanted, !streams.contains(wanted), !streams.isEmpty {
      let numbers = streams.sorted().map(String.init).joined(separator: ", ")
      parts.append("there is no stream \(wanted); there \(streams.count == 1 ? "is" : "are") \(numbers)")
    } else if let wanted, streams.isEmpty, hadBytes, frames == 0 {
      parts.append("there is no stream \(wanted): what is no capture is one stream, number 0")
    } else if frames == 0, hadBytes {
      parts.append("no frame in it")
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  private var counts: String {
    rules.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(4)
      .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  private func place(of finding: Finding, in record: Record) -> String {
    var parts: [String] = []
    if record.stream.isDirected { parts.append("stream \(record.stream.number)") }
    if let packet = record.packets.first { parts.append("packet \(packet.number)") }
    let index = min(finding.range.lowerBound - record.offset, record.positions.count - 1)
    if index >= 0 {
      parts.append("line \(record.positions[index].line), column \(record.positions[index].column)")
    }
    return parts.isEmpty ? "" : " (" + parts.joined(separator: ", ") + ")"
  }

  private func next(_ flags: [String], _ format: ViewFormat, _ first: Record, _ input: String) -> String? {
    // What passed an interface cannot be read again.
    guard format != .command, !input.isEmpty else { return nil }
    var words = ["apnscope"] + flags.map(shellWord)
    if format == .tree {
      // Only an error of the sender's can be mended; what a capture lacks cannot.
      guard case .frame = first.content, worst == .error else { return nil }
      words += ["-T", "command"]
    }
    let purpose = format == .tree ? ", then mend the line it prints" : ""
    if input == "-" || input == "--hex" {
      return format == .tree ? "next: the same with -T command\(purpose)" : "next: the same with -T tree"
    }
    if first.stream.isDirected { words += ["--stream", String(first.stream.number)] }
    return "next: " + (words + [shellWord(input)]).joined(separator: " ") + purpose
  }
}

/// A word as a POSIX shell takes it back.
private func shellWord(_ text: String) -> String {
  let isPlain = text.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "_"), UInt8(ascii: ","), UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: ":"):
      true
    default: false
    }
  }
  return isPlain && !text.isEmpty ? text : quotedForShell(text)
}
