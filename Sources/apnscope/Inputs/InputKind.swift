import APNSCapture
import APNSInput

/// The kind of an input, recognised from its first bytes by the same rules for every command.
enum InputKind {
  case capture
  /// Text in this format; nil means that the format is recognised while reading.
  case text(TextFormat?)
  case raw

  /// The number of bytes with which every kind can be recognised.
  private static let headLimit = 4096

  /// - Parameters:
  ///   - head: The first bytes of the input, decompressed.
  ///   - isAll: Whether no more bytes are available now.
  ///   - format: The requested format.
  /// - Returns: Nil if more bytes are needed.
  /// - Throws: An error for a format that another tool must convert first.
  init?(_ head: [UInt8], isAll: Bool, as format: InputFormat) throws(ReadError) {
    // A capture and raw bytes are recognised from their first bytes, so that a growing stream is shown at once. Text is
    // only recognised once the complete head is text.
    let isCapture = APNSCapture.isCapture(head)
    let isText = !isCapture && TextReader.isText(head.span)
    guard isAll || head.count >= (isCapture ? 12 : isText ? Self.headLimit : 4) else { return nil }
    switch format {
    case .raw: self = .raw
    case .auto, .pcap:
      if let error = ForeignFile.error(for: head) { throw error }
      self = isCapture || format == .pcap ? .capture : isText ? .text(nil) : .raw
    default: self = .text(format.text)
    }
  }

  var isCapture: Bool { if case .capture = self { true } else { false } }

  /// Why an input without a requested format is of this kind, in words.
  var reason: String? {
    switch self {
    case .capture: "read as a capture, by its first bytes"
    case .raw: "read as raw bytes: it begins neither like a capture nor like text"
    // The text reader reports the interpretation.
    case .text: nil
    }
  }
}
