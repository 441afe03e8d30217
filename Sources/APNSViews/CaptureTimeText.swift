import APNSInput
import Octets

extension Output {
  /// Writes a time as in RFC 3339, with the digits that the capture has.
  mutating func time(_ time: CaptureTime, separator: UInt8 = UInt8(ascii: "T"), suffix: StaticString = "Z") {
    second(time.seconds, separator: separator)
    write(".", time.digits == 9 ? time.nanoseconds : time.nanoseconds / 1000, digits: Int(time.digits))
    write(suffix)
  }

  /// Writes seconds since 1970 as `2013-11-19 00:00:00`.
  mutating func second(_ seconds: Int, separator: UInt8) {
    let (year, month, day, second) = UTC.date(seconds)
    decimal(year, digits: 4)
    write("-", month, digits: 2)
    write("-", day, digits: 2)
    byte(separator)
    decimal(second / 3600, digits: 2)
    write(":", second / 60 % 60, digits: 2)
    write(":", second % 60, digits: 2)
  }
}

extension UTC {
  /// `2013-11-19 00:00:00.000000 UTC`.
  static func readable(_ time: CaptureTime) -> String {
    Output.text { $0.time(time, separator: UInt8(ascii: " "), suffix: " UTC") }
  }
}

extension CaptureTime {
  /// Reads an RFC 3339 time in UTC with up to nine fractional digits, as ``NDJSONView`` writes it. Nil for other text.
  public init?(_ text: Span<UInt8>) {
    guard let (seconds, nanoseconds, digits) = UTC.parse(text), digits <= 9 else { return nil }
    self.init(seconds: seconds, nanoseconds: nanoseconds, digits: digits > 6 ? 9 : 6)
  }
}
