import TestSupport

/// Filters that people might write about random streams, often with values that stand in them.
struct RandomFilter {
  var generator: SeededGenerator

  mutating func any(depth: Int = 3) -> NaiveFilter {
    switch depth == 0 ? 3 : Int.random(in: 0..<7, using: &generator) {
    case 0: .not(any(depth: depth - 1))
    case 1: .and(any(depth: depth - 1), any(depth: depth - 1))
    case 2: .or(any(depth: depth - 1), any(depth: depth - 1))
    default: test()
    }
  }

  private static let numbers: [(String, [Int])] = [
    ("command", [0, 1, 2, 8]), ("status", [0, 1, 7, 8, 10, 128, 255, 99]), ("priority", [10, 5]),
    ("identifier", [0, 7, 1 << 31, 4_000_000_000]), ("expiry", [0, 1_384_819_200]), ("timestamp", [1_375_731_712]),
    ("offset", [0, 6, 59]), ("length", [6, 38, 59, 83]), ("needed", [1, 2, 20]), ("item", [1, 2, 3, 5, 9]),
  ]
  private static let words: [(String, [String])] = [
    ("type", ["notification", "error-response", "feedback-tuple", "unparsed", "legacy-notification"]),
    ("condition", ["truncated", "malformed"]), ("status_name", ["Invalid token", "Shutdown"]),
    ("reason", ["unknown-command", "rest-of-frame"]),
    ("finding.rule", ["payload-not-json", "truncated", "spare-bytes"]),
    ("finding.message", ["the", "a comma"]), ("payload", ["Hi", "", "{\"aps\":{}}", "🎉"]),
  ]
  private static let octets: [(String, [[UInt8]])] = [
    ("token", [[], [0], [0x5a, 1]]), ("rest", [[0], [1]]), ("hex", [[0], [0xff]]),
  ]
  private static let paths: [(String, [NaiveFilter.Value])] = [
    ("payload.aps.badge", [.number(3), .number(2), .text(Array("3".utf8))]),
    ("payload.aps.alert", [.text(Array("Hi".utf8)), .text(Array("H".utf8)), .other("null")]),
    ("payload.a.1", [.number(2), .number(1)]), ("payload.a.2.b", [.other("null"), .other("true")]),
    ("payload.c", [.text(Array("A".utf8))]), ("payload.aps", [.text(Array("alert".utf8))]), ("payload.a", []),
  ]

  private mutating func test() -> NaiveFilter {
    let order = NaiveFilter.Relation.allCases.filter { $0 != .contains }
    switch Int.random(in: 0..<8, using: &generator) {
    case 0...2:
      let (name, values) = pick(Self.numbers)
      let value = pick(values)
      if generator.chance(30) { return .within(name, [max(0, value - 3)...value, 0...1]) }
      return generator.chance(20) ? .exists(name) : .compare(name, pick(order), .number(value))
    case 3, 4:
      let (name, values) = pick(Self.words)
      let relation: NaiveFilter.Relation = pick([.equal, .notEqual, .contains])
      return generator.chance(20) ? .exists(name) : .compare(name, relation, .text(Array(pick(values).utf8)))
    case 5:
      let (name, values) = pick(Self.octets)
      return generator.chance(20)
        ? .exists(name) : .compare(name, pick([.equal, .notEqual, .contains]), .octets(pick(values)))
    default:
      let (name, values) = pick(Self.paths)
      guard !values.isEmpty, !generator.chance(20) else { return .exists(name) }
      let value = pick(values)
      switch value {
      case .number: return .compare(name, pick(order), value)
      case .text: return .compare(name, pick([.equal, .notEqual, .contains]), value)
      default: return .compare(name, pick([.equal, .notEqual]), value)
      }
    }
  }

  private mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &generator)] }

  /// As text: either spelling of each sign, and parentheses only where precedence asks for them.
  mutating func text(_ filter: NaiveFilter, within rank: Int = 0) -> String {
    let own: Int
    let text: String
    switch filter {
    case .or(let a, let b):
      own = 0
      text = self.text(a, within: 0) + pick([" || ", " or ", "||"]) + self.text(b, within: 1)
    case .and(let a, let b):
      own = 1
      text = self.text(a, within: 1) + pick([" && ", " and ", "&&"]) + self.text(b, within: 2)
    case .not(let one):
      own = 2
      text = pick(["!", "not ", "! "]) + self.text(one, within: 2)
    case .exists(let name): return name
    case .compare(let name, let relation, let value):
      return name + (relation != .contains && generator.chance(50) ? relation.rawValue : " \(relation.word) ")
        + literal(value)
    case .within(let name, let ranges):
      return name + " in {" + ranges.map { "\($0.lowerBound)..\($0.upperBound)" }.joined(separator: pick([",", ", "]))
        + "}"
    }
    return own < rank ? "(\(text))" : text
  }

  private mutating func literal(_ value: NaiveFilter.Value) -> String {
    switch value {
    case .number(let number): return generator.chance(70) ? String(number) : "0x" + String(number, radix: 16)
    case .octets(let bytes):
      let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      return pick(["<\(digits.joined(separator: " "))>", "\"\(digits.joined(separator: ":"))\""])
    case .text(let bytes):
      let text = String(decoding: bytes, as: UTF8.self)
      return "\"" + text.map { $0 == "\"" ? "\\\"" : String($0) }.joined() + "\""
    case .other(let text): return text
    }
  }
}
