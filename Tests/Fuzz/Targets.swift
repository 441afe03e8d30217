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
    case .text: [.text]
    case .packets: [.pcapng, .link]
    case .reassembly: [.reassembly]
    case .files, .slow: []
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
    for law in laws {
      if let violation = law.violation(bytes) { return "\(law): \(violation)" }
    }
    return nil
  }
}
