import APNSDiagnosis
import APNSPayload
import APNSWire
import Octets

/// All topics of `explain`. They are made from the tables that the checks use.
package struct Topics: Sendable {
  package let all: [Topic]

  package init(_ catalog: Catalog) {
    var topics = Rules.all.map { Topic($0) }
    topics += RootCauses.all.map { Topic($0) }
    topics += ErrorResponse.statuses.map { Topic($0) }
    topics += catalog.schemas.map { Topic($0) }
    topics += catalog.schemas.flatMap { schema in schema.items.map { Topic($0, of: schema) } }
    topics += PayloadKey.all.map { Topic($0) }
    topics += Topic.services
    topics += Edition.allCases.map { Topic($0, catalog) }
    for fact in Self.facts {
      for index in topics.indices where fact.subjects.contains(topics[index].name) {
        topics[index].add(fact.paragraph)
      }
    }
    all = topics
  }

  /// The topics with a name, which is compared as a ``TopicName``. There may be several: `2` is a command, an item and
  /// a status.
  package func named(_ name: String) -> [Topic] {
    let name = TopicName(name)
    let named = all.filter { TopicName($0.name) == name }
    return named.isEmpty ? all.filter { $0.aliases.contains { TopicName($0) == name } } : named
  }

  /// Lists the documented numbers in a sentence if the name is that of another number, such as `status 99`; otherwise
  /// nil.
  package func undocumented(_ name: String) -> String? {
    guard let (kind, number) = TopicName(name).numbered else { return nil }
    let known = all.filter { [.status, .command, .item].contains($0.kind) }.compactMap { TopicName($0.name).numbered }
      .filter { $0.kind == kind }.map(\.number)
    guard !known.isEmpty, !known.contains(number) else { return nil }
    let list = Set(known).sorted().map(String.init).joined(separator: ", ")
    return "no document defines \(kind) \(number); the documented numbers are \(list)"
  }

  /// All names and aliases, for suggestions.
  package var names: [String] { all.flatMap { [$0.name] + $0.aliases } }

  /// Facts from Apple's documents that no bytes show, and the names of topics that they are about. They are the entries
  /// of `facts.txt`, which empty lines separate: the subjects, the text, and the source in the last line.
  package static let facts: [(subjects: [String], paragraph: Topic.Paragraph)] = {
    let text = String(decoding: PackageResources.facts_txt, as: UTF8.self)
      .replacing("{service-ended}", with: UTC.text(Catalog.serviceEnded).prefix(10))
    return text.split(separator: "\n\n").dropFirst().map { entry in
      let lines = entry.split(separator: "\n").map(String.init)
      let sentences = lines.dropFirst().dropLast().joined(separator: " ")
      return (
        lines[0].split(separator: ", ").map(String.init), ("note", "\(sentences) (\(lines[lines.count - 1]))")
      )
    }
  }()
}

extension Field {
  /// `status: 0 ok; 1 partial`. Nil unless the field is a code.
  fileprivate var codes: String? {
    guard case .integer(_, .code(let words, _)) = content else { return nil }
    return "\(name.title): \(Self.list(words))"
  }

  fileprivate static func list(_ words: [UInt64: String]) -> String {
    words.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: "; ")
  }
}

extension Topic {
  fileprivate init(_ rule: Rule) {
    let samples = rule.bad.filter { $0.bytes.count <= Self.longestSample }
    let sample = samples.first(where: { $0.time == nil }) ?? samples.first
    self.init(
      .rule, rule.id, rule.title,
      [
        "severity": [rule.severity.rawValue], "why": [rule.why], "fix": [rule.fix], "answer": rule.answers,
        "but": rule.isMalformed ? [ReplyRow.technicalNote] : [], "source": [rule.source],
        "see": sample.map { [$0.command] } ?? [],
      ])
  }

  /// The largest sample shown, in bytes, so that its command fits on a line.
  private static let longestSample = 400

  fileprivate init(_ cause: RootCause) {
    self.init(.cause, cause.id, cause.title, ["why": [cause.why], "fix": [cause.fix], "source": [cause.source]])
  }

  fileprivate init(_ status: ErrorResponse.Status) {
    self.init(
      .status, "status \(status.code)", status.title, aliases: [String(status.code), status.title],
      [
        "means": [status.advice], "since": ["the edition of \(status.since.rawValue)"], "source": [status.source],
      ])
  }

  fileprivate init(_ schema: FrameSchema) {
    let number = schema.command.map { String($0.rawValue) }
    let fields = schema.parts.compactMap(\.field)
    // Fields of items are explained with the items.
    let own = schema.hasList ? [] : fields.filter { !Self.itemFields.contains($0.name) }
    self.init(
      .command, number.map { "command \($0)" } ?? schema.name, schema.title,
      aliases: [schema.name] + (number.map { [$0] } ?? []) + own.map(\.name.member)
        + schema.parts.compactMap(\.lengthName?.member),
      [
        "writer": [schema.writer], "bytes": [schema.layout], "values": fields.compactMap(\.codes),
        "since": ["the edition of \(schema.since.rawValue)"], "source": [schema.reference],
        "malformed": schema.replies,
      ])
  }

  private static let itemFields = Set(APNSWire.Notification.schema.items.map(\.field.name))

  fileprivate init(_ item: Item, of schema: FrameSchema) {
    let (field, title) = (item.field, item.field.name.title)
    let size = field.documentedSizes.isEmpty ? ", \(field.sizeInWords)" : ""
    let values: String? =
      switch field.content {
      case .integer(_, .code(let words, _)): Field.list(words)
      case .integer(_, .unixSeconds(let zero)): "seconds since 1970-01-01 00:00:00 UTC; 0: \(zero)"
      case .integer(let bytes, .identifier): "any \(plural(bytes, "byte")); an error response repeats them"
      default: nil
      }
    self.init(
      .item, "item \(item.id.rawValue)", title,
      aliases: [String(item.id.rawValue), item.name, field.name.member, title],
      [
        "data": ["\(title)\(size), after the id and two bytes of length"], "needed": [item.occurrence.text],
        "size": field.documentedSizes, "values": values.map { [$0] } ?? [],
        "since": ["the edition of \(max(schema.since, item.since).rawValue)"],
        "source": [item.reference ?? schema.reference],
      ])
  }

  fileprivate init(_ key: PayloadKey) {
    self.init(
      .key, key.path, key.title, aliases: [key.name, "payload." + key.path],
      [
        "takes": [key.acceptedValues], "since": [key.sinceText],
        "until": key.until.map { ["the edition of \($0)"] } ?? [], "source": [key.source],
      ])
  }

  /// The parts of Apple's service. ``Topics/facts`` has the facts about them.
  fileprivate static let services = [
    Topic(
      .service, "push gateway", "reads notifications and writes error responses",
      aliases: ["gateway", "apns", "2195", "port 2195", "connection", "connections"], [:]),
    Topic(
      .service, "feedback service", "lists the devices on which an app no longer exists",
      aliases: ["feedback", "2196", "port 2196"], [:]),
  ]

  fileprivate init(_ edition: Edition, _ catalog: Catalog) {
    let frames = catalog.schemas.filter { $0.since <= edition }
    let names = frames.map { frame in (frame.command.map { "command \($0.rawValue) " } ?? "") + frame.name }
    let items = frames.flatMap(\.items).filter { $0.since <= edition }.map {
      "\($0.id.rawValue) \($0.field.name.title)"
    }
    let statuses = ErrorResponse.statuses.filter { $0.since <= edition }.map { String($0.code) }
    // Keys from other documents are valid in every edition but not part of the guide.
    let keys = PayloadKey.all.filter { key in
      guard case .guide = key.since else { return false }
      return key.isListed(in: edition.rawValue)
    }.map(\.path)
    func list(_ names: [String], if isShown: Bool = true) -> [String] { isShown ? [names.joined(separator: ", ")] : [] }
    self.init(
      .edition, "edition \(edition.rawValue)",
      edition == .standard ? "the default edition" : "check against it with --edition \(edition.rawValue)",
      aliases: [String(edition.rawValue)],
      [
        "guide": [edition.reference], "frames": list(names), "items": list(items, if: !items.isEmpty),
        "statuses": list(statuses, if: edition >= ErrorResponse.schema.since), "limit": edition.limits,
        "keys": list(keys),
      ])
  }
}

extension PayloadKey {
  /// The values that the key may have: `a number: whole, at least 0`.
  fileprivate var acceptedValues: String {
    types.map { $0 == .bool ? "true or false" : $0.words }.joined(separator: " or ")
      + (allowed.text.map { ": " + $0 } ?? "")
  }

  /// The document that introduced the key.
  fileprivate var sinceText: String {
    switch since {
    case .guide(let year): "the edition of \(year)"
    case .elsewhere(let text): "documented in \(text)"
    }
  }
}

extension PayloadKey.Allowed {
  fileprivate var text: String? {
    switch self {
    case .any: nil
    case .numbers(let numbers): numbers.map(String.init).joined(separator: " or ")
    case .count: "whole, at least 0"
    case .strings: "of strings"
    case .soundFile: "the name of an aiff, wav or caf file, or \"default\""
    }
  }
}

extension Item.Occurrence {
  fileprivate var text: String {
    switch self {
    case .required(since: .year2009): "yes: exactly once"
    case .required(let since):
      "yes: exactly once in the edition of \(since.rawValue); earlier editions only define a status for a missing one"
    case .optional: "no edition requires it"
    case .any: "no edition requires it; it may appear any number of times"
    }
  }
}

extension FrameSchema {
  /// The gateway's replies to a malformed one, with sources: each row of ``ReplyRow/all`` that applies.
  fileprivate var replies: [String] {
    guard role == .provider else { return [] }
    let policies = Edition.allCases.filter { $0 >= since }.map { (edition: $0, policy: ReplyPolicy(self, in: $0)) }
    return ReplyRow.all.compactMap { row in
      let matching = policies.filter { $0.policy.row.source == row.source }
      guard let first = matching.first, let last = matching.last else { return nil }
      let years = first.edition == last.edition ? "" : " to \(last.edition.rawValue)"
      return "\(first.edition.rawValue)\(years): \(first.policy.reply(to: .malformed).sentence) (\(row.source))"
    }
  }

  fileprivate var writer: String {
    switch role {
    case .provider: "the provider, to the push gateway"
    case .gateway: "the push gateway, to the provider"
    case .feedback: "the feedback service, to the provider"
    default: roleName
    }
  }
}

extension Rule {
  /// Whether the gateway refuses a frame that breaks the rule as malformed.
  fileprivate var isMalformed: Bool { if case .malformed? = refusals.first { true } else { false } }

  /// The gateway's reply to a frame that breaks the rule, from ``ReplyRow/all``.
  fileprivate var answers: [String] {
    if refusals.isEmpty { return [] }
    let legacy =
      isAboutItems
      ? "" : ". Without an identifier (command 0), and in the edition of 2009: \(GatewayReply.close.sentence)"
    guard isMalformed else {
      let statuses = refusals.compactMap { if case .status(let code) = $0 { statusText(code) } else { nil } }
      return [statuses.joined(separator: ", or ") + ", then the service closes the connection" + legacy]
    }
    let named = ReplyRow.all.compactMap { row -> String? in
      guard case .status(let code) = row.malformed else { return nil }
      let year = row.editions.lowerBound.rawValue
      return "not documented before \(year), \(statusText(code)) from \(year) on"
    }
    return [
      "an error response, then the service closes the connection. The status: \(named.joined(separator: ", "))" + legacy
    ]
  }
}

extension Sample {
  /// A command line whose output shows the finding, even if it is a note.
  fileprivate var command: String {
    let bytes = self.bytes
    let edition = edition == .standard ? "" : " --edition \(edition.rawValue)"
    let flags = edition + (role == .provider ? "" : " --role \(role)") + " -v"
    let hex = "--hex \(bytes.hexDigits)"
    guard let time else { return "apnscope\(flags) \(hex)" }
    // The rule depends on the time of the capture, so the command makes one.
    return "apnscope -q -T ndjson \(hex) | sed 's/^{/{\"time\":\"\(UTC.text(time, separator: "T"))Z\",/' | "
      + "apnscope encode -T pcap | apnscope\(flags)"
  }
}
