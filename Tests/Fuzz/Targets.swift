import APNSInput
import TestSupport

/// What one run of libFuzzer looks at: laws that take the same kind of input.
enum Target: String, CaseIterable {
  case framing, streams, causes, outputs, dialogue, text, packets, reassembly, files, lines, filter, redact, mutate,
    minimize, slow

  private var laws: [Law] {
    switch self {
    case .framing: [.tiling, .progress, .prefix, .builder, .independence]
    case .streams: [.lossless, .chunking]
    case .causes: [.causes]
    case .outputs: [.outputs]
    case .dialogue: [.dialogue]
    case .packets: [.captureFile, .link]
    case .reassembly: [.reassembly]
    case .files, .slow, .text: []
    case .lines: [.lines, .assignment]
    case .filter: [.filter]
    case .redact: [.redact]
    case .mutate: [.mutate]
    case .minimize: [.minimize]
    }
  }

  func violation(_ bytes: [UInt8]) -> String? {
    if case .files = self { return CaptureFile.violation(bytes) }
    if case .slow = self { return SlowInput.violation(bytes) }
    // One format at a time, which the last byte chooses: all of them would make each run 12 times as long.
    if case .text = self {
      return Law.text(bytes, as: [nil, TextFormat.allCases[Int(bytes.last ?? 0) % TextFormat.allCases.count]])
    }
    for law in laws {
      if let violation = law.violation(bytes) { return "\(law): \(violation)" }
    }
    return nil
  }
}
