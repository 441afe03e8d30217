import APNSDiagnosis
import APNSPayload
import APNSWire

/// Payloads that are JSON, but ask for something that nobody documented, or in a way that draws a remark: by the table of
/// documented keys, and what goes together.
func payloadMutators(of schema: FrameSchema) -> [Mutator] {
  let targets = schema.paths.filter { $0.field?.role == .payload && $0.schema.role == .provider }
  return targets.flatMap { target in texts.map { $0.mutator(of: target) } + [silent(target)] }
}

/// A payload of its own, with one remark to make on it.
private struct Text: Sendable {
  let name: String
  let title: String
  let rule: Rule.ID
  /// Editions in which the rule holds.
  let editions: ClosedRange<Edition>
  /// Written too, if the frame has a priority.
  let priority: UInt64?
  /// The payload, and what is wrong with it in words. nil where the edition has nothing to choose from.
  let make: @Sendable (_ maker: inout FrameMaker) -> (text: String, words: String)?

  init(
    _ name: String, _ title: String, rule: Rule.ID, editions: ClosedRange<Edition> = .year2009 ... .year2017,
    priority: UInt64? = nil,
    make: @escaping @Sendable (_ maker: inout FrameMaker) -> (text: String, words: String)?
  ) {
    self.name = name
    self.title = title
    self.rule = rule
    self.editions = editions
    self.priority = priority
    self.make = make
  }

  func mutator(of target: FieldPath) -> Mutator {
    Mutator("\(name)-\(target.name)", title, rule: rule, of: target.schema) { bench in
      guard editions.contains(bench.edition), let (text, words) = make(&bench.maker),
        fits(Array(text.utf8), target, bench.edition), let done = bench.replace(target, by: Array(text.utf8))
      else { return nil }
      if let priority, let path = target.schema.path(of: .priority) {
        bench.frame.edit(path) { value, _ in value = .integer(priority) }
      }
      return Change(sentence: "\(done) bytes: \(words)")
    }
  }
}

private func aps(_ members: String) -> String { "{\"aps\":{\(members)}}" }

private let texts: [Text] = wholes + keys

private let wholes: [Text] = [
  Text("not-object", "the payload is JSON, but not an object", rule: .payloadNotObject) { maker in
    let text = maker.chance.pick(["null", "[]", "\"\(maker.text(6))\"", "17", "[{\"aps\":{}}]", "true"])
    return (text, "it is \(text.first == "[" ? "an array" : "another value"), not an object")
  },
  Text("repeated-key", "a key appears twice", rule: .repeatedKey) { maker in
    let key = "k\(maker.chance.number(1...99))"
    return (
      "{\"aps\":{\"alert\":\"\(maker.text(9))\"},\"\(key)\":1,\"\(key)\":2}", "\(key) appears twice"
    )
  },
  Text("lone-surrogate", "an escape is half of a surrogate pair", rule: .loneSurrogate) { maker in
    let half = maker.chance.pick(["\\ud83c", "\\udf89", "\\ud800", "\\udfff"])
    return (
      aps("\"alert\":\"\(maker.text(9)) \(half)\""), "the text of alert ends in \(half), half of a surrogate pair"
    )
  },
  Text("mangled", "the text was damaged before it was sent", rule: .mangledText) { maker in
    let mangled = maker.chance.pick(["\u{fffd}", "cafÃ©", "â€œ"])
    return (
      aps("\"alert\":\"a\(mangled)\""), "the text of alert contains \(mangled) instead of the original characters"
    )
  },
  Text("escaped", "characters are written as escapes", rule: .escapedText) { maker in
    let escape = maker.chance.pick(["\\u00e9", "\\u6f22", "\\ud83c\\udf89"])
    return (aps("\"alert\":\"\(maker.text(9)) \(escape)\""), "a character of alert is written as \(escape)")
  },
  Text("white-space", "there is white space outside the strings", rule: .jsonWhiteSpace) { maker in
    let space = maker.chance.pick([" ", "  ", "\n ", "\t"])
    let text = "\"alert\":\"\(maker.text(9))\""
    return (
      maker.chance.one(in: 50) ? "{\"aps\":\(space){\(text)}}" : aps(text) + space,
      "it has white space (\(space.utf8.count) bytes) outside the strings"
    )
  },
  Text("no-aps", "the payload has no aps", rule: .apsMissing) { maker in
    ("{\"k\(maker.chance.number(1...99))\":\"\(maker.text(9))\"}", "the key aps is missing")
  },
  Text("aps-is", "aps is not an object", rule: .apsNotObject) { maker in
    let value = maker.chance.pick(["\"\(maker.text(5))\"", "null", "[{\"alert\":\"x\"}]", "5", "true"])
    return ("{\"aps\":\(value)}", "aps is another value, not an object")
  },
  Text("empty-aps", "aps is empty", rule: .apsEmpty, priority: 5) { maker in
    (maker.chance.one(in: 50) ? aps("") : "{\"aps\":{},\"k\":\"\(maker.text(9))\"}", "aps has no keys")
  },
  Text(
    "body-only", "an alert object has only a body", rule: .bodyOnlyAlert, editions: .year2009 ... .year2013
  ) { maker in
    (aps("\"alert\":{\"body\":\"\(maker.text(9))\"}"), "alert is an object with only the key body, instead of a string")
  },
  Text("arguments-alone", "loc-args appears without loc-key", rule: .locArgsWithoutKey) { maker in
    (
      aps("\"alert\":{\"body\":\"\(maker.text(5))\",\"loc-args\":[\"\(maker.text(5))\"]}"),
      "alert has loc-args and body, but no loc-key"
    )
  },
  Text(
    "several-actions", "a notification asks for more than one action", rule: .moreThanOneAction,
    editions: .year2009 ... .year2013
  ) { maker in
    let second = maker.chance.pick(["\"badge\":3", "\"sound\":\"default\"", "\"badge\":1,\"sound\":\"a.caf\""])
    return (
      aps("\"alert\":\"\(maker.text(9))\",\(second)"),
      "it asks for \(second.contains(",") ? 3 : 2) actions instead of 1"
    )
  },
  Text(
    "silent-alert", "an empty alert together with content-available", rule: .silentWithAlert,
    editions: .year2013 ... .year2017
  ) { maker in
    let alert = maker.chance.pick(["\"\"", "{}"])
    return (aps("\"content-available\":1,\"alert\":\(alert)"), "alert is \(alert), together with content-available")
  },
  Text("null-of-own", "a custom key is null", rule: .nullValue) { maker in
    ("{\"aps\":{\"alert\":\"\(maker.text(9))\"},\"k\(maker.chance.number(1...99))\":null}", "a custom key is null")
  },
]

/// The push that only wakes the app, at priority 10 or without one.
private func silent(_ target: FieldPath) -> Mutator {
  Mutator(
    "immediate-silent-\(target.name)", "a background push has priority 10", rule: .immediateSilent,
    of: target.schema
  ) { bench in
    let text = Array(aps("\"content-available\":1").utf8)
    guard bench.edition >= .year2013, let done = bench.replace(target, by: text) else { return nil }
    let priority = target.schema.path(of: .priority)
    if let priority, !bench.frame.edit(priority, { value, _ in value = .integer(10) }) { return nil }
    return Change(
      sentence: "\(done) bytes with only content-available, at priority 10",
      severity: priority == nil ? .warning : .error)
  }
}

// Keys, by their rows.

private let keys: [Text] = [
  Text("key-type", "a documented key has a value of the wrong type", rule: .keyType) { maker in
    let rows = listed(in: [.aps, .alert], maker.edition) { !$0.wrongKinds.isEmpty }
    guard !rows.isEmpty else { return nil }
    let key = maker.chance.pick(rows)
    let kind = maker.chance.pick(key.wrongKinds)
    return (payload(key, kind.rawValue, &maker), "\(key.path) is \(kind.words), which is the wrong type")
  },
  Text("key-value", "a documented key has an undocumented value", rule: .keyValue) { maker in
    let rows = listed(in: [.aps, .alert], maker.edition) { !$0.allowed.wrong.isEmpty }
    guard !rows.isEmpty else { return nil }
    let key = maker.chance.pick(rows)
    let value = maker.chance.pick(key.allowed.wrong)
    return (payload(key, value, &maker), "\(key.path) is \(value), which is not a documented value")
  },
  Text("key-misplaced", "a documented key is in the wrong object", rule: .keyMisplaced) { maker in
    if maker.edition >= .year2013, maker.chance.one(in: 30) {
      return (
        "{\"aps\":{\"alert\":\"\(maker.text(9))\"},\"content-available\":1}",
        "content-available is next to aps, not in it"
      )
    }
    let rows = listed(in: [.alert], maker.edition) { $0.isInGuide }
    guard !rows.isEmpty else { return nil }
    let key = maker.chance.pick(rows)
    return (
      aps("\"alert\":\"\(maker.text(9))\",\"\(key.name)\":\(key.right)"), "\(key.name) is in aps, not in its alert"
    )
  },
  Text("key-misspelt", "a key looks like a misspelt documented one", rule: .keyMisspelt) { maker in
    let rows = listed(in: [.aps], .year2017) { $0.name != "alert" && $0.isInGuide }
    guard !rows.isEmpty else { return nil }
    let key = maker.chance.pick(rows)
    var name = key.name.replacing("-", with: "_")
    if name == key.name || maker.chance.one(in: 30) { name = key.name.prefix(1).uppercased() + key.name.dropFirst() }
    return (aps("\"alert\":\"\(maker.text(9))\",\"\(name)\":\(key.right)"), "\(key.name) is misspelt as \(name)")
  },
  Text("key-unknown", "aps has an undocumented key", rule: .keyUnknown) { maker in
    let key = "acme\(maker.chance.number(1...999))"
    return (aps("\"alert\":\"\(maker.text(9))\",\"\(key)\":1"), "aps has the key \(key), which is not documented")
  },
  Text("key-later", "a key is newer than the edition", rule: .keyNewerThanEdition) { maker in
    let year = maker.edition.rawValue
    let rows = PayloadKey.all.filter { key in
      (key.container == .aps || key.container == .alert) && !key.types.isEmpty && key.isNewer(than: year)
        && key.inActivity.isEmpty && !key.name.hasSuffix("-args") && key.name != "content-available"
    }
    guard !rows.isEmpty else { return nil }
    let key = maker.chance.pick(rows)
    return (payload(key, key.right, &maker), "it has \(key.path), which the edition of \(year) does not list")
  },
]

private func listed(
  in containers: [PayloadKey.Container], _ edition: Edition, _ isWanted: (PayloadKey) -> Bool
) -> [PayloadKey] {
  PayloadKey.all.filter {
    containers.contains($0.container) && !$0.types.isEmpty && $0.isListed(in: edition.rawValue) && isWanted($0)
  }
}

/// A payload with this value of a key, and nothing else to report. It has an alert, too, unless the key is an action.
private func payload(_ key: PayloadKey, _ value: String, _ maker: inout FrameMaker) -> String {
  guard key.container == .alert else {
    let actions = ["alert", "badge", "sound"]
    return aps(
      actions.contains(key.name)
        ? "\"\(key.name)\":\(value)" : "\"alert\":\"\(maker.text(5))\",\"\(key.name)\":\(value)")
  }
  let beside = key.name == "body" ? "\"loc-key\":\"\(maker.text(4))\"" : "\"body\":\"\(maker.text(4))\""
  return aps("\"alert\":{\(beside),\"\(key.name)\":\(value)}")
}

private enum Kind: String, CaseIterable {
  case string = "\"7x\""
  case number = "7"
  case bool = "true"
  case object = "{\"k\":1}"

  var type: PayloadKey.ValueTypes {
    switch self {
    case .string: .string
    case .number: .number
    case .bool: .bool
    case .object: .object
    }
  }

  var words: String {
    switch self {
    case .string: "a string"
    case .number: "a number"
    case .bool: "a Boolean"
    case .object: "an object"
    }
  }
}

extension PayloadKey.Allowed {
  fileprivate var wrong: [String] {
    switch self {
    case .numbers(let numbers): ["0", "2", "-1"].filter { !numbers.map(String.init).contains($0) }
    case .count: ["-1", "1.5", "-20"]
    case .range: ["25", "-0.5"]
    case .seconds: ["1384819200000"]
    case .words: ["\"acme\""]
    case .soundFile: ["\"x.mp3\"", "\"ding.ogg\""]
    case .any, .strings: []
    }
  }
}

extension PayloadKey {
  fileprivate var isInGuide: Bool { if case .guide = since { true } else { false } }

  /// Of types that no text gives it.
  fileprivate var wrongKinds: [Kind] {
    Kind.allCases.filter { !types.contains($0.type) && laterTypes?.types.contains($0.type) != true }
  }

  /// A value that it may have.
  fileprivate var right: String {
    switch allowed {
    case .numbers(let numbers): return String(numbers.first ?? 1)
    case .count: return "3"
    case .range(let range): return String(Int(range.lowerBound))
    case .seconds: return "1384819200"
    case .words(let words): return "\"\(words.first ?? "")\""
    case .strings: return "[\"x\"]"
    case .any, .soundFile: break
    }
    if types.contains(.string) { return "\"x\"" }
    if types.contains(.number) { return "1" }
    if types.contains(.array) { return "[]" }
    return types.contains(.object) ? "{\"k\":1}" : "true"
  }
}
