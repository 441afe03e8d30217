import APNSInput
import Octets

// Numbers and quantities as text for people.

/// `1,234,567`.
package func grouped(_ number: Int) -> String {
  guard number.magnitude >= 1000 else { return String(number) }
  return grouped(number / 1000) + "," + UTC.digits(abs(number % 1000), atLeast: 3)
}

/// `1,234,567 frames`.
func counted(_ count: Int, _ noun: String) -> String { plural(count, noun, number: grouped(count)) }

/// `12,345,678 bytes (11.8 MiB)`.
func byteText(_ count: Int) -> String {
  counted(count, "byte") + (binaryText(count).map { " (\($0))" } ?? "")
}

/// `11.8 MiB`; nil below 10 KiB.
func binaryText(_ count: Int) -> String? {
  guard count >= 10_240 else { return nil }
  var value = Double(count) / 1024
  var units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][...]
  while value >= 1023.95, units.count > 1 {
    value /= 1024
    units.removeFirst()
  }
  return decimalText(value) + " " + units[units.startIndex]
}

/// One decimal below 1000, none above: `122.3`, `48,930`.
func decimalText(_ value: Double) -> String {
  guard value < 999.95 else { return grouped(Int(exactly: value.rounded()) ?? .max) }
  let tenths = Int((value * 10).rounded())
  return "\(tenths / 10).\(tenths % 10)"
}

/// Units of time in milliseconds.
private let units = [(1000, "s"), (60_000, "min"), (3_600_000, "h"), (86_400_000, "d")]

/// `122.3/s`; low rates are `3.5/min`, `/h` or `/d`. `milliseconds` is positive.
func rateText(_ count: Int, in milliseconds: Int) -> String {
  let rates = units.map { (Double(count) / Double(milliseconds) * Double($0.0), $0.1) }
  let (rate, unit) = rates.first { $0.0 >= 1 } ?? rates[rates.count - 1]
  return "\(decimalText(rate))/\(unit)"
}

/// `40.9 ms`, `12.3 s`, `3 h 12 min`, `12 d 3 h`. Both times are clamped.
func durationText(of times: ClosedRange<CaptureTime>) -> String {
  let (first, last) = (times.lowerBound, times.upperBound)
  let duration = Duration.seconds(last.seconds - first.seconds) + .nanoseconds(last.nanoseconds - first.nanoseconds)
  let seconds = Int(duration.components.seconds)
  switch duration {
  case ..<(.milliseconds(1)): return decimalText(duration / .microseconds(1)) + " µs"
  case ..<(.seconds(1)): return decimalText(duration / .milliseconds(1)) + " ms"
  case ..<(.seconds(60)): return decimalText(Double(Int(duration / .milliseconds(100))) / 10) + " s"
  case ..<(.seconds(3600)): return "\(seconds / 60) min \(seconds % 60) s"
  case ..<(.seconds(86_400)): return "\(seconds / 3600) h \(seconds / 60 % 60) min"
  default: return "\(grouped(seconds / 86_400)) d \(seconds / 3600 % 24) h"
  }
}

/// `500 ms`, `10 s`, `1 d`: a round number of milliseconds.
func widthText(_ milliseconds: Int) -> String {
  let (unit, name) = units.last { milliseconds.isMultiple(of: $0.0) } ?? (1, "ms")
  return "\(grouped(milliseconds / unit)) \(name)"
}

extension Int {
  /// Adds a number from the input; on overflow, the sum is the largest number.
  mutating func add(_ other: Int) {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    self = isTooLarge ? .max : sum
  }
}

/// A bar chart of block elements, with steps of an eighth of a line. Every number above zero is visible.
enum Bars {
  private static let blocks: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// The lines of the chart, from the top; each number is a bar of `width` columns.
  static func lines(_ counts: some Collection<Int>, height: Int, width: Int = 1) -> [String] {
    let most = Double(max(counts.max() ?? 1, 1))
    let levels = counts.map { count in
      count <= 0 ? 0 : max(1, Int((Double(count) / most * Double(height * 8)).rounded()))
    }
    return (0..<height).reversed().map { line in
      var text = levels.map { String(repeating: blocks[min(max($0 - line * 8, 0), 8)], count: width) }.joined()
      while text.last == " " { text.removeLast() }
      return text
    }
  }
}
