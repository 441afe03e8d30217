import APNSPayload
import Octets
import TestSupport

/// A filter as a tree, and its verdict on a record's line of NDJSON: slow, and sharing nothing with the real one.
indirect enum NaiveFilter {
  case exists(String)
  case compare(String, Relation, Value)
  /// Ends included.
  case within(String, [ClosedRange<Int>])
  case not(NaiveFilter)
  case and(NaiveFilter, NaiveFilter)
  case or(NaiveFilter, NaiveFilter)

  enum Relation: String, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case contains

    var isOrder: Bool { self != .equal && self != .notEqual && self != .contains }

    var word: String {
      switch self {
      case .equal: "eq"
      case .notEqual: "ne"
      case .less: "lt"
      case .lessOrEqual: "le"
      case .greater: "gt"
      case .greaterOrEqual: "ge"
      case .contains: "contains"
      }
    }
  }

  enum Value: Equatable {
    case number(Int)
    case octets([UInt8])
    case text([UInt8])
    /// `null`, `true`, an object, an array; as it is spelt.
    case other(String)
  }

  /// Nil where the payload is no JSON, which tells nothing of the values before its first fault.
  func holds(_ line: JSONValue, _ text: [UInt8]) -> Bool? {
    switch self {
    case .exists(let name): return line.values(name, text).map { !$0.isEmpty }
    case .compare(let name, let relation, let value):
      guard let values = line.values(name, text) else { return nil }
      if relation == .notEqual { return !values.isEmpty && !values.contains(value) }
      return values.contains { $0.holds(relation, value) }
    case .within(let name, let ranges):
      return line.values(name, text)?.contains { one in
        if case .number(let number) = one { ranges.contains { $0.contains(number) } } else { false }
      }
    case .not(let one): return one.holds(line, text).map { !$0 }
    case .and(let a, let b):
      guard let a = a.holds(line, text), let b = b.holds(line, text) else { return nil }
      return a && b
    case .or(let a, let b):
      guard let a = a.holds(line, text), let b = b.holds(line, text) else { return nil }
      return a || b
    }
  }
}

extension NaiveFilter.Value {
  fileprivate func holds(_ relation: NaiveFilter.Relation, _ other: Self) -> Bool {
    switch (relation, self, other) {
    case (.equal, _, _): self == other
    case (.less, .number(let a), .number(let b)): a < b
    case (.lessOrEqual, .number(let a), .number(let b)): a <= b
    case (.greater, .number(let a), .number(let b)): a > b
    case (.greaterOrEqual, .number(let a), .number(let b)): a >= b
    case (.contains, .octets(let a), .octets(let b)), (.contains, .text(let a), .text(let b)): a.has(b)
    case (.contains, .number(let a), .text(let b)): Array(String(a).utf8).has(b)
    case (.contains, .other(let a), .text(let b)): Array(a.utf8).has(b)
    default: false
    }
  }
}

extension [UInt8] {
  fileprivate func has(_ part: [UInt8]) -> Bool {
    part.isEmpty || indices.contains { self[$0...].starts(with: part) }
  }
}

extension JSONValue {
  /// What the name stands for in a line of NDJSON.
  fileprivate func values(_ name: String, _ text: [UInt8]) -> [NaiveFilter.Value]? {
    if name.hasPrefix("payload.") { return pathValues(name.split(separator: ".").dropFirst().map(String.init)) }
    if name.hasPrefix("finding.") {
      return all("findings").flatMap(\.elements).flatMap { $0.all(String(name.dropFirst(8))) }.map { $0.value(text) }
    }
    let objects = [self] + all("items").flatMap(\.elements)
    if name == "item" { return objects.flatMap { $0.all("id") }.map { $0.value(text) } }
    if name == "payload" {
      return objects.compactMap(\.payload).map { .text($0) }
    }
    let isHex = ["token", "rest", "hex"].contains(name)
    return objects.flatMap { $0.all(name) }.map {
      isHex ? .octets($0.string.flatMap { [UInt8](hexDigits: $0) } ?? []) : $0.value(text)
    }
  }

  private func pathValues(_ path: [String]) -> [NaiveFilter.Value]? {
    var found: [NaiveFilter.Value] = []
    for payload in ([self] + all("items").flatMap(\.elements)).compactMap(\.payload) {
      guard let root = try? JSONValue(payload.span, range: 0..<payload.count) else { return nil }
      found += root.at(path[...]).map { $0.value(payload) }
    }
    return found
  }

  private func at(_ path: ArraySlice<String>) -> [JSONValue] {
    guard let step = path.first else { return [self] }
    switch content {
    case .object: return all(step).flatMap { $0.at(path.dropFirst()) }
    case .array(let values):
      guard let index = Int(step), values.indices.contains(index) else { return [] }
      return values[index].at(path.dropFirst())
    default: return []
    }
  }

  private var payload: [UInt8]? {
    all("payload").first?.string ?? all("payload_hex").first?.string.flatMap { [UInt8](hexDigits: $0) }
  }

  private func all(_ key: String) -> [JSONValue] {
    if case .object(let members) = content { members.filter { $0.key == key }.map(\.value) } else { [] }
  }

  private var elements: [JSONValue] { if case .array(let values) = content { values } else { [] } }

  private var string: [UInt8]? { if case .string(let text) = content { text } else { nil } }

  private func value(_ text: [UInt8]) -> NaiveFilter.Value {
    switch content {
    case .string(let text): .text(text ?? [])
    case .number(let digits): .number(Int(String(decoding: digits, as: UTF8.self)) ?? 0)
    default: .other(String(decoding: text[range], as: UTF8.self))
    }
  }
}
