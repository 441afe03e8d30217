import APNSInput
import APNSWire

extension Output {
  /// RFC 3339, as precise as the capture.
  mutating func time(_ time: CaptureTime, separator: UInt8 = UInt8(ascii: "T"), suffix: StaticString = "Z") {
    UTC.forEachCharacter(of: time.seconds, separator: separator) { byte($0) }
    byte(UInt8(ascii: "."))
    let fraction = time.digits == 9 ? time.nanoseconds : time.nanoseconds / 1000
    UTC.forEachDigit(of: fraction, atLeast: Int(time.digits)) { byte($0) }
    write(suffix)
  }
}

extension UTC {
  /// The same as a string.
  static func text(_ time: CaptureTime, separator: UInt8 = UInt8(ascii: "T"), suffix: StaticString = "Z") -> String {
    var out = Output()
    out.time(time, separator: separator, suffix: suffix)
    return String(decoding: out.bytes, as: UTF8.self)
  }
}

extension CaptureTime {
  /// Reads what `Output.time` writes; nil for anything else.
  public init?(_ text: String) {
    guard let (seconds, fraction) = UTC.parse(text), fraction.count <= 9 else { return nil }
    let padded = fraction + String(repeating: "0", count: 9 - fraction.count)
    self.init(seconds: seconds, nanoseconds: Int(padded) ?? 0, digits: fraction.count > 6 ? 9 : 6)
  }
}
