import APNSDiagnosis
import APNSQuery
import APNSViews
import TestSupport
import Testing

/// Numbers in payloads are compared as they are written, without rounding.
@Suite struct NumberTests {
  /// Writes the verdict of each filter.
  private struct AllVerdicts: View {
    static var showsEachAlone: Bool { false }
    var filters: [Verdicts]

    mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
      for index in filters.indices { filters[index].show(record, bytes, to: &out) }
    }
  }

  /// `1` for each relation that holds for a number in a payload, otherwise `0`.
  private func verdicts(_ relations: [String], _ number: String) throws -> String {
    let payload = Array("{\"n\":\(number)}".utf8)
    let bytes: [UInt8] = [0, 0, 0] + [UInt8(payload.count >> 8), UInt8(payload.count & 255)] + payload
    let filters = try relations.map { try Verdicts("payload.n \($0)", .standard) }
    return Shown(bytes, as: AllVerdicts(filters: filters), role: .provider).text
  }

  @Test(arguments: [
    ("9007199254740993", "== 9007199254740992.0", false), ("9007199254740993", "> 9007199254740992.0", true),
    ("9007199254740993", "== 9007199254740993.0", true), ("9007199254740993.0", "== 9007199254740993", true),
    ("9007199254740992.5", "in 9007199254740992..9007199254740993", true),
    ("9007199254740993.5", "in {1, 9007199254740992..9007199254740993}", false),
    ("9223372036854775808", "== 9223372036854775807", false), ("9223372036854775808", "> 9223372036854775807", true),
    ("18446744073709551616", "== 18446744073709551616", true), ("18446744073709551616", "> 0xffffffffffffffff", true),
    ("18446744073709551615", "== 0xffffffffffffffff", true), ("-9223372036854775809", "< -9223372036854775808", true),
    ("123456789012345678901234567890", "== 1.2345678901234567890123456789e29", true),
    ("123456789012345678901234567891", "== 1.2345678901234567890123456789e29", false),
    ("0.1", "== 1e-1", true), ("0.1", "== 0.1000000000000000000000000001", false), ("0.30", "in {0.3}", true),
    ("-0", "== 0", true), ("-0.0e9", "== 0", true), ("0e99999999999999999999", "== 0.0", true), ("0", "< 1e-999", true),
    ("1e999", "> 1e998", true), ("1e999", "> 5", true), ("1e999", "< 5", false), ("-1e999", "< 5", true),
    ("1e400", "== 1e401", false), ("10e399", "== 1E+400", true), ("1e-400", "== 0", false), ("1e-400", "> 0", true),
    ("1e99999999999999999999", "> 1e9999", true), ("1e-99999999999999999999", "< 1e-9999", true),
    ("-1e-99999999999999999999", "< 0", true), ("007", "== 7", false), ("7", "== 007", true), ("7", "!= 7.0", false),
    ("7", "== .7e1", true), ("7", "== 7e", false), ("7", "== 7-", false), ("7", "== 1.2.3", false),
  ]) func exactly(_ number: String, _ relation: String, _ expected: Bool) throws {
    #expect(try verdicts([relation], number) == (expected ? "1" : "0"), "\(number) \(relation)")
  }

  @Test(arguments: ["> inf", "> -inf", "< nan", "> 0x1p3", "> -", "> .", "> 1e", "> e5", "> 1e+", "in 3..2.9"])
  func refuses(_ relation: String) {
    #expect(throws: FilterError.self) { try Filter("payload.n \(relation)", names: .standard) }
  }

  /// A number by its digits before and after the decimal point, without an exponent.
  private struct Expanded {
    let isNegative: Bool
    let whole: [Character]
    let fraction: [Character]

    init(_ text: String) {
      let parts = text.lowercased().split(separator: "e")
      var whole = Array(parts[0].prefix { $0 != "." })
      var fraction = Array(parts[0].drop { $0 != "." }.dropFirst())
      let isNegative = whole.first == "-"
      if isNegative { whole.removeFirst() }
      var power = parts.count > 1 ? Int(parts[1])! : 0
      while power > 0 {
        whole.append(fraction.isEmpty ? "0" : fraction.removeFirst())
        power -= 1
      }
      while power < 0 {
        fraction.insert(whole.popLast() ?? "0", at: 0)
        power += 1
      }
      self.isNegative = isNegative && (whole + fraction).contains { $0 != "0" }
      self.whole = whole
      self.fraction = fraction
    }

    /// The order of two texts of the same length is that of the numbers.
    func isLess(than other: Expanded) -> Bool {
      if isNegative != other.isNegative { return isNegative }
      func digits(_ one: Expanded) -> String {
        let zeros = max(whole.count, other.whole.count) - one.whole.count
        let ending = max(fraction.count, other.fraction.count) - one.fraction.count
        return String(repeating: "0", count: zeros) + String(one.whole + one.fraction)
          + String(repeating: "0", count: ending)
      }
      return isNegative ? digits(other) < digits(self) : digits(self) < digits(other)
    }
  }

  private struct RandomNumber {
    var generator: SeededGenerator

    mutating func digits(_ count: ClosedRange<Int>) -> String {
      let choices = generator.chance(30) ? "09" : "0123456789"
      return String(
        (0..<Int.random(in: count, using: &generator)).map { _ in choices.randomElement(using: &generator)! })
    }

    mutating func next() -> String {
      var text = digits(0...24)
      while text.hasPrefix("0") { text.removeFirst() }
      if text.isEmpty { text = "0" }
      if generator.chance(40) { text += "." + digits(1...24) }
      return (generator.chance(30) ? "-" : "") + text + exponent()
    }

    mutating func exponent() -> String {
      guard generator.chance(30) else { return "" }
      let sign = ["", "+", "-"].randomElement(using: &generator)!
      return ["e", "E"].randomElement(using: &generator)! + sign + "\(Int.random(in: 0...30, using: &generator))"
    }

    /// The same number without a decimal point, or one that differs in a digit.
    mutating func near(_ number: String) -> String {
      let parts = number.lowercased().split(separator: "e")
      let zeros = Int.random(in: 0...3, using: &generator)
      var digits = parts[0].filter { $0 != "." } + String(repeating: "0", count: zeros)
      let fraction = parts[0].drop { $0 != "." }.dropFirst().count
      if generator.chance(60), let last = digits.lastIndex(where: { "123456789".contains($0) }) {
        digits.replaceSubrange(last...last, with: generator.chance(50) ? "1" : "8")
      }
      return digits + "e\((parts.count > 1 ? Int(parts[1])! : 0) - fraction - zeros)"
    }
  }

  @Test func agreesWithTheDigits() throws {
    var counts = [0, 0, 0]
    for run in 0..<2_000 {
      let seed = runSeed &+ UInt64(run)
      var random = RandomNumber(generator: SeededGenerator(seed: seed))
      let number = random.next()
      let other = random.generator.chance(70) ? random.near(number) : random.next()
      let (a, b) = (Expanded(number), Expanded(other))
      let (less, greater) = (a.isLess(than: b), b.isLess(than: a))
      let relations = [
        ("== \(other)", !less && !greater), ("!= \(other)", less || greater), ("< \(other)", less),
        ("<= \(other)", !greater), ("> \(other)", greater), (">= \(other)", !less),
        ("in {\(other), x}", !less && !greater), ("in \(other)..1e99", !less), ("in -1e99..\(other)", !greater),
      ]
      let seen = try verdicts(relations.map(\.0), number)
      guard seen == relations.map({ $1 ? "1" : "0" }).joined() else {
        Issue.record("APNSCOPE_SEED=\(seed) \(number) \(other): \(seen)")
        return
      }
      counts[less ? 0 : greater ? 2 : 1] += 1
    }
    #expect(counts.allSatisfy { $0 > 200 }, "\(counts)")
  }
}
