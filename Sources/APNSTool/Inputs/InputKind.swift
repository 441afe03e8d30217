import APNSCapture
import APNSInput

/// What an input is: told once, by how it begins, for every command.
enum InputKind {
  case capture
  /// In this format; nil if it shows while the text is read.
  case text(TextFormat?)
  case raw

  /// As many bytes as any kind takes to be told.
  private static let headLimit = 4096

  /// - Parameters:
  ///   - head: how the input begins, unpacked.
  ///   - isAll: no more bytes are to be had now.
  ///   - format: what was asked for.
  /// - Returns: nil if more bytes are needed.
  /// - Throws: for what another tool has to make readable first.
  init?(_ head: [UInt8], isAll: Bool, as format: InputFormat) throws(ReadError) {
    // A capture and raw bytes show in their first bytes, so a stream that grows slowly is not waited for; text does not
    // show before all of the head is text.
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

  /// Why an input whose format was not given is of this kind, in words.
  var reason: String? {
    switch self {
    case .capture: "read as a capture, by its first bytes"
    case .raw: "read as raw bytes: it begins neither like a capture nor like text"
    // The text reader gives the reason.
    case .text: nil
    }
  }
}
