import APNSCraft
import APNSInput
import APNSWire

/// The law for redacting arbitrary bytes: they are replaced by as many bytes, and always by the same ones with the same
/// key.
extension Law {
  static func redact(_ bytes: [UInt8]) -> String? {
    guard let held = StreamLog(bytes).streams.first else { return nil }
    let redacted = Redactor(StandIns(key: "a"), catalog: .standard).redact(held)
    guard redacted.count == bytes.count else { return "\(redacted.count) bytes of \(bytes.count)" }
    let again = Redactor(StandIns(key: "a"), catalog: .standard).redact(held)
    return again == redacted ? nil : "another stand-in for the same"
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
