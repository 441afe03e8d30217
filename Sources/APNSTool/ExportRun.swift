import APNSViews

/// What can be exported of the frame types.
package enum ExportKind: String, CaseIterable, Sendable {
  /// The JSON that `--frames` reads.
  case frames
}

/// Writes the frame types in a form for other tools.
package struct ExportRun {
  private let kind: ExportKind
  /// Nil means standard output.
  private let output: String?

  package init(_ kind: ExportKind, output: String?) {
    self.kind = kind
    self.output = output
  }

  package func run() throws -> ExitStatus {
    if let output { try RecordRun.check(output) }
    var file = try OutputFile(output)
    switch kind {
    case .frames: file.write(FrameFile.text(of: protocolDefinitions.catalog))
    }
    try file.close()
    return .clean
  }
}
