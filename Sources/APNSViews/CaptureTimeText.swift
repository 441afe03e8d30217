import APNSInput
import APNSWire

extension UTC {
  /// RFC 3339, as precise as the capture.
  static func text(_ time: CaptureTime, separator: Character = "T", suffix: String = "Z") -> String {
    let fraction = String(time.digits == 9 ? time.nanoseconds : time.nanoseconds / 1000)
    let zeros = String(repeating: "0", count: max(0, Int(time.digits) - fraction.count))
    return text(time.seconds, separator: separator) + "." + zeros + fraction + suffix
  }
}

extension CaptureTime {
  /// Reads what `UTC.text` writes; nil for anything else.
  public init?(_ text: String) {
    guard let (seconds, fraction) = UTC.parse(text), fraction.count <= 9 else { return nil }
    let padded = fraction + String(repeating: "0", count: 9 - fraction.count)
    self.init(seconds: seconds, nanoseconds: Int(padded) ?? 0, digits: fraction.count > 6 ? 9 : 6)
  }
}
