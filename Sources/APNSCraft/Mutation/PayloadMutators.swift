import APNSDiagnosis
import APNSPayload
import APNSWire

/// Mutators that write valid JSON that is undocumented or triggers a finding: from the table of documented keys, and
/// from rules about combinations.
func payloadMutators(of schema: FrameSchema) -> [Mutator] {
  let targets = schema.paths.filter { $0.field?.role == .payload && $0.schema.role == .provider }
  return targets.flatMap { target in variants.map { $0.mutator(of: target) } + [silent(target)] }
}

/// A payload that replaces the frame's payload and triggers exactly one finding.
private struct PayloadVariant: Sendable {
  let name: String
  let title: String
  let rule: Rule
  /// The editions in which the rule applies.
  let editions: ClosedRange<Edition>
  /// The priority to set, if the frame has one.
  let priority: UInt64?
  /// Returns the payload and a description of its fault; nil if the edition offers nothing to choose from.
  let make: @Sendable (_ maker: inout FrameMaker) -> (text: String, words: String)?

  init(
    _ name: String, _ title: String, rule: Rule, editions: ClosedRange<Edition> = .year2009 ... .year2017,
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
    Mutator("\(name)-\(target.name)", title, rule: rule, of: target.schema) { context in
      guard editions.contains(context.edition), let (text, words) = make(&context.maker),
        fits(Array(text.utf8), target, context.edition), let done = context.replace(target, by: Array(text.utf8))
      else { return nil }
      if let priority, let path = target.schema.path(of: .priority) {
        context.frame.edit(path) { value, _ in value = .integer(priority) }
      }
      return Change(sentence: "\(done) bytes: \(words)")
    }
  }
}

private func aps(_ members: String) -> String { "{\"aps\":{\(members)}}" }

private let variants: [PayloadVariant] = wholePayloads + keyVariants

private let wholePayloads: [PayloadVariant] = [
  PayloadVariant("not-object", "the payload is JSON, but not an object", rule: .payloadNotObject) { maker in
    let text = maker.chance.pick(["null", "[]", "\"\(maker.text(6))\"", "17", "[{\"aps\":{}}]", "true"])
    return (text, "it is \(text.first == "[" ? "an array" : "another value"), not an object")
  },
  PayloadVariant("repeated-key", "a key appears twice", rule: .repeatedKey) { maker in
    let key = "k\(maker.chance.number(1...99))"
    return (
      "{\"aps\":{\"alert\":\"\(maker.text(9))\"},\"\(key)\":1,\"\(key)\":2}", "\(key) appears twice"
    )
  },
  PayloadVariant("lone-surrogate", "an escape is half of a surrogate pair", rule: .loneSurrogate) { maker in
    let half = maker.chance.pick(["\\ud83c", "\\udf89", "\\ud800", "\\udfff"])
    return (
      aps("\"alert\":\"\(maker.text(9)) \(half)\""), "the text of alert ends in \(half), half of a surrogate pair"
    )
  },
  PayloadVariant("mangled", "the text was damaged before it was sent", rule: .mangledText) { maker in
    let mangled = maker.chance.pick(["\u{fffd}", "cafÃ©", "â€œ"])
    return (
      aps("\"alert\":\"a\(mangled)\""), "the text of alert contains \(mangled) instead of the original characters"
    )
  },
  PayloadVariant("escaped", "characters are written as escapes", rule: .escapedText) { maker in
    let escape = maker.chance.pick(["\\u00e9", "\\u6f22", "\\ud83c\\udf89"])
    return (aps("\"alert\":\"\(maker.text(9)) \(escape)\""), "a character of alert is written as \(escape)")
  },
  PayloadVariant("white-space", "there is white space outside the strings", rule: .jsonWhiteSpace) { maker in
    let space = maker.chance.pick([" ", "  ", "\n ", "\t"])
    let text = "\"alert\":\"\(maker.text(9))\""
    return (
      maker.chance.percent(50) ? "{\"aps\":\(space){\(text)}}" : aps(text) + space,
      "it has white space (\(space.utf8.count) bytes) outside the strings"
    )
  },
  PayloadVariant("no-aps", "the payload has no aps", rule: .apsMissing) { maker in
    ("{\"k\(maker.chance.number(1...99))\":\"\(maker.text(9))\"}", "the key aps is missing")
  },
  PayloadVariant("aps-is", "aps is not an object", rule: .apsNotObject) { maker in
    let value = maker.chance.pick(["\"\(maker.text(5))\"", "null", "[{\"alert\":\"x\"}]", "5", "true"])
    return ("{\"aps\":\(value)}", "aps is another value, not an object")
  },
  PayloadVariant("empty-aps", "aps is empty", rule: .apsEmpty, priority: 5) { maker in
    (maker.chance.percent(50) ? aps("") : "{\"aps\":{},\"k\":\"\(maker.text(9))\"}", "aps has no keys")
  },
  PayloadVariant(
    "body-only", "an alert object has only a body", rule: .bodyOnlyAlert, editions: .year2009 ... .year2013
  ) { maker in
    (aps("\"alert\":{\"body\":\"\(maker.text(9))\"}"), "alert is an object with only the key body, instead of a string")
  },
  PayloadVariant("arguments-alone", "loc-args appears without loc-key", rule: .locArgsWithoutKey) { maker in
    (
      aps("\"alert\":{\"body\":\"\(maker.text(5))\",\"loc-args\":[\"\(maker.text(5))\"]}"),
      "alert has loc-args and body, but no loc-key"
    )
  },
  PayloadVariant(
    "several-actions", "a notification asks for more than one action", rule: .moreThanOneAction,
    editions: .year2009 ... .year2013
  ) { maker in
    let second = maker.chance.pick(["\"badge\":3", "\"sound\":\"default\"", "\"badge\":1,\"sound\":\"a.caf\""])
    return (
      aps("\"alert\":\"\(maker.text(9))\",\(second)"),
      "it asks for \(second.contains(",") ? 3 : 2) actions instead of 1"
    )
  },
  PayloadVariant(
    "silent-alert", "an empty alert together with content-available", rule: .silentWithAlert,
    editions: .year2013 ... .year2017
  ) { maker in
    let alert = maker.chance.pick(["\"\"", "{}"])
    return (aps("\"content-available\":1,\"alert\":\(alert)"), "alert is \(alert), together with content-available")
  },
  PayloadVariant("null-of-own", "a custom key is null", rule: .nullValue) { maker in
    ("{\"aps\":{\"alert\":\"\(maker.text(9))\"},\"k\(maker.chance.number(1...99))\":null}", "a custom key is null")
  },
]

/// A background notification, with priority 10 or without a priority.
private func silent(_ target: FieldPath) -> Mutator {
  Mutator(
    "immediate-silent-\(target.name)", "a background push has priority 10", rule: .immediateSilent,
    of: target.schema
  ) { context in
    let text = Array(aps("\"content-available\":1").utf8)
    guard context.edition >= .year2013, let done = context.replace(target, by: text) else { return nil }
    let priority = target.schema.path(of: .priority)
    if let priority, !context.frame.edit(priority, { value, _ in value = .integer(10) }) { return nil }
    return Change(
      sentence: "\(done) bytes with only content-available, at priority 10",
      severity: priority == nil ? .warning : .error)
  }
}

// MARK: - Documented keys

private let keyVariants: [PayloadVariant] = [
  PayloadVariant("key-type", "a documented key has a value of the wrong type", rule: .keyType) { maker in
    let rows = listed(in: [.aps, .alert], maker.edition) { !$0.invalidKinds.isEmpty }
    guard !rows.isEmpty else { return nil }
    let key = maker.chance.pick(rows)
    let kind = maker.chance.pick(key.invalidKinds)
    return (payload(key, kind.rawValue, &maker), "\(key.path) is \(kind.words), which is the wrong type")
  },
  PayloadVariant("key-value", "a documented key has an undocumented value", rule: .keyValue) { maker in
    let rows = listed(in: [.aps, .alert], maker.edition) { !$0.allowed.invalidValues.isEmpty }
    guard !rows.isEmpty else { return nil }
    let key = maker.chance.pick(rows)
    let value = maker.chance.pick(key.allowed.invalidValues)
    return (payload(key, value, &maker), "\(key.path) is \(value), which is not a documented value")
  },
  PayloadVariant("key-misplaced", "a documented key is in the wrong object", rule: .keyMisplaced) { maker in
    if maker.edition >= .year2013, maker.chance.percent(30) {
      return (
        "{\"aps\":{\"alert\":\"\(maker.text(9))\"},\"content-available\":1}",
        "content-available is next to aps, not in it"
      )
    }
    let rows = listed(in: [.alert], maker.edition) { $0.isInGuide }
    guard !rows.isEmpty else { return nil }
    let key = maker.chance.pick(rows)
    return (
      aps("\"alert\":\"\(maker.text(9))\",\"\(key.name)\":\(key.validValue)"), "\(key.name) is in aps, not in its alert"
    )
  },
  PayloadVariant("key-misspelt", "a key looks like a misspelt documented one", rule: .keyMisspelt) { maker in
    let rows = listed(in: [.aps], .year2017) { $0.name != "alert" && $0.isInGuide }
    guard !rows.isEmpty else { return nil }
    let key = maker.chance.pick(rows)
    var name = key.name.replacing("-", with: "_")
    if name == key.name || maker.chance.percent(30) { name = key.name.prefix(1).uppercased() + key.name.dropFirst() }
    return (aps("\"alert\":\"\(maker.text(9))\",\"\(name)\":\(key.validValue)"), "\(key.name) is misspelt as \(name)")
  },
  PayloadVariant("key-unknown", "aps has an undocumented key", rule: .keyUnknown) { maker in
    let key = "acme\(maker.chance.number(1...999))"
    return (aps("\"alert\":\"\(maker.text(9))\",\"\(key)\":1"), "aps has the key \(key), which is not documented")
  },
  PayloadVariant("key-later", "a key is newer than the edition", rule: .keyNewerThanEdition) { maker in
    let year = maker.edition.rawValue
    let rows = PayloadKey.all.filter { key in
      key.isNewer(than: year) && !key.name.hasSuffix("-args") && key.name != "content-available"
    }
    guard !rows.isEmpty else { return nil }
    let key = maker.chance.pick(rows)
    return (payload(key, key.validValue, &maker), "it has \(key.path), which the edition of \(year) does not list")
  },
]

private func listed(
  in containers: [PayloadKey.Container], _ edition: Edition, _ isWanted: (PayloadKey) -> Bool
) -> [PayloadKey] {
  PayloadKey.all.filter {
    containers.contains($0.container) && $0.isListed(in: edition.rawValue) && isWanted($0)
  }
}

/// A payload with this value of a key and no other finding. It also has an alert, unless the key is an action itself.
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
  fileprivate var invalidValues: [String] {
    switch self {
    case .numbers(let numbers): ["0", "2", "-1"].filter { !numbers.map(String.init).contains($0) }
    case .count: ["-1", "1.5", "-20"]
    case .soundFile: ["\"x.mp3\"", "\"ding.ogg\""]
    case .any, .strings: []
    }
  }
}

extension PayloadKey {
  fileprivate var isInGuide: Bool { if case .guide = since { true } else { false } }

  /// Values of types that are not documented for the key.
  fileprivate var invalidKinds: [Kind] {
    Kind.allCases.filter { !types.contains($0.type) }
  }

  /// A valid value.
  fileprivate var validValue: String {
    switch allowed {
    case .numbers(let numbers): return String(numbers.first ?? 1)
    case .count: return "3"
    case .strings: return "[\"x\"]"
    case .any, .soundFile: break
    }
    if types.contains(.string) { return "\"x\"" }
    if types.contains(.number) { return "1" }
    if types.contains(.array) { return "[]" }
    return types.contains(.object) ? "{\"k\":1}" : "true"
  }
}
