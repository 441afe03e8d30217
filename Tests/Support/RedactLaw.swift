import APNSCraft
import APNSInput
import APNSWire

/// The law for redacting arbitrary bytes: they are refused, or replaced by as many bytes with the same findings, and
/// always by the same bytes with the same key.
extension Law {
  static func redact(_ bytes: [UInt8]) -> String? {
    let log = StreamLog(bytes)
    let redactor = Redactor(StandIns(key: "a"), catalog: .standard)
    guard let held = log.streams.first, let redacted = try? redactor.redact(held) else { return nil }
    guard redacted.bytes.count == bytes.count else { return "\(redacted.bytes.count) bytes of \(bytes.count)" }
    if let (_, difference) = redactor.difference(log, StreamLog(redacted.bytes), in: [.standard]) {
      return "at \(difference.offset), \(difference.what), in \(redacted.bytes)"
    }
    let again = try? Redactor(StandIns(key: "a"), catalog: .standard).redact(held)
    return again?.bytes == redacted.bytes ? nil : "another stand-in for the same"
  }
}

extension StreamLog {
  /// A log of one stream with these bytes.
  public init(_ bytes: [UInt8]) {
    self.init()
    open(ByteStream(number: 0))
    if !bytes.isEmpty { append(bytes.span, from: .input(offset: 0), to: 0) }
    close(0, .open)
  }
}
