import APNSDiagnosis
import APNSPayload
import APNSWire
import Octets

/// All topics of `explain`. They are made from the tables that the checks use.
package struct Topics: Sendable {
  /// All topics, in the order of the list.
  package let all: [Topic]
  /// Indices in ``all``.
  private var byName: [TopicName: [Int]] = [:]
  private var byAlias: [TopicName: [Int]] = [:]

  /// The topics for the frame types of a catalog.
  package init(_ catalog: Catalog) {
    var topics = Rules.all.map { Topic($0) }
    topics += RootCauses.all.map { Topic($0) }
    topics += ErrorResponse.statuses.map { Topic($0) }
    topics += catalog.schemas.map { Topic($0) }
    topics += catalog.schemas.flatMap { schema in schema.items.map { Topic($0, of: schema) } }
    topics += PayloadKey.all.map { Topic($0) }
    topics += ServiceTopic.all.map { Topic($0) }
    topics += Edition.allCases.map { Topic($0, catalog) }
    for fact in DocumentedFact.all {
      for index in topics.indices where fact.subjects.contains(topics[index].name) {
        topics[index].add(Topic.Paragraph(fact))
      }
    }
    all = topics
    for (index, topic) in topics.enumerated() {
      byName[TopicName(topic.name), default: []].append(index)
      for alias in Set(topic.aliases.map { TopicName($0) }) { byAlias[alias, default: []].append(index) }
    }
  }

  /// The topics with a name, which is compared as a ``TopicName``. There may be several: `2` is a command, an item and
  /// a status.
  package func named(_ name: String) -> [Topic] {
    guard name.utf8.count <= TopicName.longest else { return [] }
    let name = TopicName(name)
    return (byName[name] ?? byAlias[name] ?? []).map { all[$0] }
  }

  /// Lists the documented numbers in a sentence if the name is that of another number, such as `status 99`; otherwise
  /// nil.
  package func undocumented(_ name: String) -> String? {
    guard name.utf8.count <= TopicName.longest, let (kind, number) = TopicName(name).numbered else { return nil }
    let known = all.filter { [.status, .command, .item].contains($0.kind) }.compactMap { TopicName($0.name).numbered }
      .filter { $0.kind == kind }.map(\.number)
    guard !known.isEmpty, !known.contains(number) else { return nil }
    let list = Set(known).sorted().map(String.init).joined(separator: ", ")
    return "no document defines \(kind) \(number); the documented numbers are \(list)"
  }

  /// All names and aliases, for suggestions.
  package var names: [String] { all.flatMap { [$0.name] + $0.aliases } }
}

extension FrameSchema {
  /// The names in NDJSON of the frame's lengths.
  fileprivate var lengths: [String] {
    parts.compactMap { if case .counted(_, _, let length) = $0 { length.member } else { nil } }
  }
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
    var paragraphs = [
      Paragraph(label: "severity", text: rule.severity.rawValue), Paragraph(label: "why", text: rule.why),
    ]
    paragraphs.append(Paragraph(label: "fix", text: rule.fix))
    paragraphs += rule.replies
    paragraphs.append(Paragraph(label: "source", text: rule.source))
    let samples = rule.bad.filter { $0.bytes.count <= Self.longestSample }
    if let sample = samples.first(where: { $0.time == nil }) ?? samples.first {
      paragraphs.append(Paragraph(label: "see", text: sample.command, isVerbatim: true))
    }
    self.init(
      kind: .rule, name: rule.id, aliases: [], tag: rule.severity.rawValue, title: rule.title, paragraphs: paragraphs)
  }

  /// The largest sample shown, in bytes, so that its command fits on a line.
  private static let longestSample = 400

  fileprivate init(_ cause: RootCause) {
    self.init(
      kind: .cause, name: cause.id, aliases: [], title: cause.title,
      paragraphs: [
        Paragraph(label: "why", text: cause.why), Paragraph(label: "fix", text: cause.fix),
        Paragraph(label: "source", text: cause.source),
      ])
  }

  fileprivate init(_ status: ErrorResponse.Status) {
    self.init(
      kind: .status, name: "status \(status.code)", aliases: [String(status.code), status.title], title: status.title,
      paragraphs: [
        Paragraph(label: "means", text: status.advice),
        Paragraph(label: "since", text: "the edition of \(status.since.rawValue)"),
        Paragraph(label: "source", text: status.source),
      ])
  }

  fileprivate init(_ schema: FrameSchema) {
    let command = schema.command.map { "command \($0.rawValue)" }
    let number = schema.command.map { String($0.rawValue) }
    // Fields of items are explained with the items.
    let fields = schema.hasList ? [] : schema.parts.compactMap(\.field).filter { !Self.itemFields.contains($0.name) }
    self.init(
      kind: .command, name: command ?? schema.name,
      aliases: [schema.name] + (number.map { [$0] } ?? []) + fields.map(\.name.member) + schema.lengths,
      title: schema.title,
      paragraphs: [
        Paragraph(label: "writer", text: schema.writer),
        Paragraph(label: "bytes", text: schema.layout),
      ] + schema.parts.compactMap { $0.field?.codes.map { Paragraph(label: "values", text: $0) } } + [
        Paragraph(label: "since", text: "the edition of \(schema.since.rawValue)"),
        Paragraph(label: "source", text: schema.reference),
      ] + schema.replies)
  }

  private static let itemFields = Set(APNSWire.Notification.schema.items.map(\.field.name))

  fileprivate init(_ item: Item, of schema: FrameSchema) {
    var paragraphs = [
      Paragraph(
        label: "data",
        text: item.field.documentedSizes.isEmpty
          ? "\(item.field.name.title), \(item.field.sizeInWords), after the id and two bytes of length"
          : "\(item.field.name.title), after the id and two bytes of length"),
      Paragraph(
        label: "needed", text: item.occurrence.text),
    ]
    paragraphs += item.field.documentedSizes.map { Paragraph(label: "size", text: $0) }
    switch item.field.content {
    case .integer(_, .code(let words, _)):
      paragraphs.append(Paragraph(label: "values", text: Field.list(words)))
    case .integer(_, .unixSeconds(let zero)):
      paragraphs.append(Paragraph(label: "values", text: "seconds since 1970-01-01 00:00:00 UTC; 0: \(zero)"))
    case .integer(let bytes, .identifier):
      paragraphs.append(
        Paragraph(label: "values", text: "any \(plural(bytes, "byte")); an error response repeats them"))
    default:
      break
    }
    paragraphs.append(
      Paragraph(label: "since", text: "the edition of \(max(schema.since, item.since).rawValue)"))
    paragraphs.append(Paragraph(label: "source", text: item.reference ?? schema.reference))
    self.init(
      kind: .item, name: "item \(item.id.rawValue)",
      aliases: [String(item.id.rawValue), item.name, item.field.name.member, item.field.name.title],
      title: item.field.name.title,
      paragraphs: paragraphs)
  }

  fileprivate init(_ key: PayloadKey) {
    var paragraphs = [
      Paragraph(label: "takes", text: key.acceptedValues), Paragraph(label: "since", text: key.sinceText),
    ]
    if let last = key.until { paragraphs.append(Paragraph(label: "until", text: "the edition of \(last)")) }
    paragraphs.append(Paragraph(label: "source", text: key.source))
    self.init(
      kind: .key, name: key.path, aliases: [key.name, "payload." + key.path], title: key.title, paragraphs: paragraphs)
  }

  fileprivate init(_ edition: Edition, _ catalog: Catalog) {
    let commands = catalog.schemas.filter { $0.since <= edition }
    let items = commands.flatMap(\.items).filter { $0.since <= edition }.map {
      "\($0.id.rawValue) \($0.field.name.title)"
    }
    let statuses = ErrorResponse.statuses.filter { $0.since <= edition }.map { String($0.code) }
    // Keys from other documents are valid in every edition but not part of the guide.
    let keys = PayloadKey.all.filter { key in
      guard case .guide = key.since else { return false }
      return key.isListed(in: edition.rawValue)
    }.map(\.path)
    var paragraphs = [
      Paragraph(label: "guide", text: edition.reference),
      Paragraph(
        label: "frames",
        text: commands.map { $0.command.map { "command \($0.rawValue) " } ?? "" }.enumerated()
          .map { $1 + commands[$0].name }.joined(separator: ", ")),
    ]
    if !items.isEmpty { paragraphs.append(Paragraph(label: "items", text: items.joined(separator: ", "))) }
    if edition >= ErrorResponse.schema.since {
      paragraphs.append(Paragraph(label: "statuses", text: statuses.joined(separator: ", ")))
    }
    paragraphs += edition.limits.map { Paragraph(label: "limit", text: $0) }
    paragraphs.append(Paragraph(label: "keys", text: keys.joined(separator: ", ")))
    self.init(
      kind: .edition, name: "edition \(edition.rawValue)", aliases: [String(edition.rawValue)],
      title: edition == .standard
        ? "the default edition" : "check against it with --edition \(edition.rawValue)",
      paragraphs: paragraphs)
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
  fileprivate var replies: [Topic.Paragraph] {
    guard role == .provider else { return [] }
    let policies = Edition.allCases.filter { $0 >= since }.map { (edition: $0, policy: ReplyPolicy(self, in: $0)) }
    return ReplyRow.all.compactMap { row in
      let matching = policies.filter { $0.policy.row.source == row.source }
      guard let first = matching.first, let last = matching.last else { return nil }
      let years = first.edition == last.edition ? "" : " to \(last.edition.rawValue)"
      return Topic.Paragraph(
        label: "malformed",
        text: "\(first.edition.rawValue)\(years): \(first.policy.reply(to: .malformed).sentence) (\(row.source))")
    }
  }
}

extension FrameSchema {
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
  /// The gateway's replies to a frame that breaks the rule, from ``ReplyRow/all``.
  fileprivate var replies: [Topic.Paragraph] {
    guard let first = refusals.first else { return [] }
    let legacy =
      isAboutItems
      ? "" : ". Without an identifier (command 0), and in the edition of 2009: \(GatewayReply.close.sentence)"
    guard case .malformed = first else {
      let statuses = refusals.compactMap { if case .status(let code) = $0 { statusText(code) } else { nil } }
      return [
        Topic.Paragraph(
          label: "answer",
          text: statuses.joined(separator: ", or ") + ", then the service closes the connection" + legacy)
      ]
    }
    let named = ReplyRow.all.compactMap { row -> String? in
      guard case .errorResponse(let code?) = row.packet else { return nil }
      let year = row.editions.lowerBound.rawValue
      return "not documented before \(year), \(statusText(code)) from \(year) on"
    }
    return [
      Topic.Paragraph(
        label: "answer",
        text: "an error response, then the service closes the connection. The status: \(named.joined(separator: ", "))"
          + legacy),
      Topic.Paragraph(label: "but", text: ReplyRow.technicalNote),
    ]
  }
}

extension Sample {
  /// A command line whose output shows the finding, even if it is a note.
  fileprivate var command: String {
    let bytes = self.bytes
    let edition = edition == .standard ? "" : " --edition \(edition.rawValue)"
    let flags = edition + (role == .provider ? "" : " --role \(role)") + " -v"
    let hex = "--hex \(hexText(bytes.span))"
    guard let time else { return "apnscope\(flags) \(hex)" }
    // The rule depends on the time of the capture, so the command makes one.
    return "apnscope -q -T ndjson \(hex) | sed 's/^{/{\"time\":\"\(UTC.text(time, separator: "T"))Z\",/' | "
      + "apnscope encode -T pcap | apnscope\(flags)"
  }
}
