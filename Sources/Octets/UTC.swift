/// Dates in UTC in the proleptic Gregorian calendar, independent of locale and time zone.
package enum UTC {
  /// Formats seconds since 1970 as `2013-11-19 00:00:00`; pass `T` as separator for RFC 3339.
  package static func text(_ seconds: Int, separator: Character = " ") -> String {
    let (year, month, day, second) = date(seconds)
    let date = [month, day].map { "-" + digits($0, atLeast: 2) }.joined()
    let time = [second / 3600, second / 60 % 60, second % 60].map { digits($0, atLeast: 2) }.joined(separator: ":")
    return "\(year < 0 ? "-" : "")\(digits(abs(year), atLeast: 4))\(date)\(separator)\(time)"
  }

  /// A number in decimal with leading zeros.
  package static func digits(_ number: Int, atLeast least: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, least - digits.utf8.count)) + digits
  }

  /// Reads `2013-11-19T00:00:00Z`, with or without a fraction. Digits of the fraction after the ninth are ignored.
  /// Returns nil for any other text.
  package static func parse(_ text: Span<UInt8>) -> (seconds: Int, nanoseconds: Int, fractionDigits: Int)? {
    let end = text.count - 1
    guard end >= 19, text[16] == UInt8(ascii: ":"), text[end] | 0x20 == UInt8(ascii: "z"),
      text[10] == UInt8(ascii: " ") || text[10] | 0x20 == UInt8(ascii: "t"),
      text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[13] == UInt8(ascii: ":"),
      let year = number(text, 0..<4), let month = number(text, 5..<7), let day = number(text, 8..<10),
      let hour = number(text, 11..<13), let minute = number(text, 14..<16), let second = number(text, 17..<19),
      let seconds = seconds(year, month, day, hour, minute, second),
      end == 19 || text[19] == UInt8(ascii: ".") && end > 20
    else { return nil }
    let fraction = min(20, end)..<end
    guard fraction.allSatisfy({ isDigit(text[$0]) }) else { return nil }
    let nanoseconds = (20..<29).reduce(0) { $0 * 10 + ($1 < end ? Int(text[$1] & 0x0f) : 0) }
    return (seconds, nanoseconds, fraction.count)
  }

  /// Seconds since 1970; nil for an impossible date or time.
  package static func seconds(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int
  ) -> Int? {
    let days = days(year, month, day)
    // The calendar has no 30 February; a minute may have a leap second.
    guard (1...12).contains(month), civil(days) == (year, month, day), hour <= 23, minute <= 59, second <= 60
    else { return nil }
    return days * 86_400 + hour * 3600 + minute * 60 + second
  }

  private static func number(_ text: Span<UInt8>, _ range: Range<Int>) -> Int? {
    range.allSatisfy { isDigit(text[$0]) } ? range.reduce(0) { $0 * 10 + Int(text[$1] & 0x0f) } : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  // The days from 1970-01-01 to a date, computed in years that begin on March 1, so that a leap day is their last.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let (year, month) = month <= 2 ? (year - 1, month + 9) : (year, month - 3)
    return year * 365 + floor(year, 4) - floor(year, 100) + floor(year, 400) + (153 * month + 2) / 5 + day - 719_469
  }

  private static func floor(_ a: Int, _ b: Int) -> Int { (a >= 0 ? a : a - b + 1) / b }

  /// The date, and the second of the day.
  package static func date(_ seconds: Int) -> (year: Int, month: Int, day: Int, second: Int) {
    let days = floor(seconds, 86_400)
    let (year, month, day) = civil(days)
    return (year, month, day, seconds - days * 86_400)
  }

  // The date that many days after 1970-01-01, computed in 400-year eras that begin on March 1.
  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = floor(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
