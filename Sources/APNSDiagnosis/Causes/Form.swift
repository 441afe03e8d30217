import APNSWire

/// A frame type as its bug writes it.
final class Form: Sendable {
  /// nil for the format's own.
  let cause: Int?
  let words: String
  let writing: Writing
  let slip: FrameReader.Slipping
  /// nil where it may be any.
  private let first: UInt8?

  init(_ writing: Writing, cause: Int?, _ words: String = "", slip: FrameReader.Slipping = .none) {
    self.writing = writing
    self.cause = cause
    self.words = words
    self.slip = slip
    let isFirst = slip == .none && writing.steps.first == .command
    first = isFirst ? writing.schema.command.flatMap { writing.command.byte(for: $0.rawValue) } : nil
  }

  func mayBegin(with byte: UInt8) -> Bool { first == nil || first == byte }

  var isOwn: Bool { cause == nil }
}
