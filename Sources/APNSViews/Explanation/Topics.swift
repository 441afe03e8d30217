import APNSDiagnosis
import APNSPayload
import APNSWire

/// Everything that can be explained, made of the rows that the checks read: nothing is said twice.
public struct Topics: Sendable {
  public let all: [Topic]

  public init(_ catalog: Catalog) {
    var topics = Rules.all.map { Topic($0) }
    topics += RootCauses.all.map { Topic($0) }
    topics += ErrorResponse.statuses.map { Topic($0) } + LibraryStatus.all.map { Topic($0) }
    topics += catalog.schemas.map { Topic($0) }
    topics += catalog.schemas.flatMap { schema in schema.items.map { Topic($0, of: schema) } }
    topics += PayloadKey.all.map { Topic($0) }
    topics += Edition.allCases.map { Topic($0, catalog) }
    all = topics
  }

  /// What answers to a name: several do to `2`, which is a command, an item and a status.
  public func named(_ name: String) -> [Topic] {
    let name = name.lowercased()
    let found = all.filter { $0.name == name }
    return found.isEmpty ? all.filter { $0.aliases.contains(name) } : found
  }

  /// For suggestions.
  public var names: [String] { all.flatMap { [$0.name] + $0.aliases } }
}

extension FrameSchema {
  fileprivate var items: [Item] {
    parts.flatMap { part -> [Item] in
      if case .items(let items)? = part.field?.content { items } else { [] }
    }
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
    if let sample = rule.bad.first(where: { $0.bytes.count <= Self.longestSample }) {
      paragraphs.append(Paragraph(label: "see", text: sample.command, isVerbatim: true))
    }
    self.init(
      kind: .rule, name: rule.id, aliases: [], tag: rule.severity.rawValue, title: rule.title, paragraphs: paragraphs)
  }

  private static let longestSample = 160

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
      kind: .status, name: "status \(status.code)", aliases: [String(status.code)], title: status.title,
      paragraphs: [
        Paragraph(label: "means", text: status.advice),
        Paragraph(label: "since", text: "the edition of \(status.since.rawValue)"),
        Paragraph(label: "source", text: ErrorResponse.schema.reference + ", codes in error-response packet"),
      ])
  }

  fileprivate init(_ status: LibraryStatus) {
    self.init(
      kind: .status, name: "status \(status.code)", aliases: [status.code], title: status.title,
      paragraphs: [
        Paragraph(label: "means", text: status.meaning), Paragraph(label: "source", text: status.source),
      ])
  }

  fileprivate init(_ schema: FrameSchema) {
    let command = schema.command.map { "command \($0.rawValue)" }
    let number = schema.command.map { String($0.rawValue) }
    self.init(
      kind: .command, name: command ?? schema.name, aliases: [schema.name] + (number.map { [$0] } ?? []),
      title: schema.title,
      paragraphs: [
        Paragraph(label: "written by", text: schema.role.writer),
        Paragraph(label: "bytes", text: schema.layout),
        Paragraph(label: "since", text: "the edition of \(schema.since.rawValue)"),
        Paragraph(label: "source", text: schema.reference),
      ] + schema.replies)
  }

  fileprivate init(_ item: Item, of schema: FrameSchema) {
    var paragraphs = [
      Paragraph(
        label: "data",
        text: "\(item.field.name.title), \(item.field.sizeInWords), behind the id and two bytes of length"),
      Paragraph(label: "needed", text: item.isRequired ? "in every frame, once" : "no; once at most"),
    ]
    switch item.field.content {
    case .integer(_, .code(let names, _)):
      let values = names.sorted { $0.key > $1.key }.map { "\($0.key) \($0.value)" }
      paragraphs.append(Paragraph(label: "values", text: values.joined(separator: "; ")))
    case .integer(_, .unixSeconds(let zero)):
      paragraphs.append(Paragraph(label: "values", text: "seconds since 1970-01-01 00:00:00 UTC; 0: \(zero)"))
    case .integer(_, .identifier):
      paragraphs.append(
        Paragraph(label: "values", text: "the provider's own bytes; an error response carries them back"))
    default:
      break
    }
    paragraphs.append(Paragraph(label: "since", text: "the edition of \(schema.since.rawValue)"))
    paragraphs.append(Paragraph(label: "source", text: schema.reference))
    self.init(
      kind: .item, name: "item \(item.id.rawValue)",
      aliases: [String(item.id.rawValue), item.name, item.field.name.member], title: item.field.name.title,
      paragraphs: paragraphs)
  }

  fileprivate init(_ key: PayloadKey) {
    var paragraphs = [Paragraph(label: "takes", text: key.takes), Paragraph(label: "since", text: key.sinceInWords)]
    if let last = key.until { paragraphs.append(Paragraph(label: "until", text: "the edition of \(last)")) }
    paragraphs.append(Paragraph(label: "source", text: key.source))
    self.init(kind: .key, name: key.path, aliases: [key.name], title: key.title, paragraphs: paragraphs)
  }

  fileprivate init(_ edition: Edition, _ catalog: Catalog) {
    let commands = catalog.schemas.filter { $0.since <= edition }
    let items = commands.flatMap(\.items).map { "\($0.id.rawValue) \($0.field.name.title)" }
    let statuses = ErrorResponse.statuses.filter { $0.since <= edition }.map { String($0.code) }
    let keys = PayloadKey.all.filter { $0.isListed(in: edition.rawValue) }.map(\.path)
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
        ? "the one to judge by, where no other is named" : "judge by it with --edition \(edition.rawValue)",
      paragraphs: paragraphs)
  }
}

extension FrameSchema {
  /// What the gateway replies to a malformed one, and who says so: each row of ``ReplyRow/all`` that applies.
  fileprivate var replies: [Topic.Paragraph] {
    guard role == .provider else { return [] }
    let policies = Edition.allCases.filter { $0 >= since }.map { (edition: $0, policy: ReplyPolicy(self, in: $0)) }
    return ReplyRow.all.compactMap { row in
      let own = policies.filter { $0.policy.row.source == row.source }
      guard let first = own.first, let last = own.last else { return nil }
      let years = first.edition == last.edition ? "" : " to \(last.edition.rawValue)"
      return Topic.Paragraph(
        label: "malformed",
        text: "\(first.edition.rawValue)\(years): \(first.policy.reply(to: .malformed).words) (\(row.source))")
    }
  }
}

extension StreamRole {
  fileprivate var writer: String {
    switch self {
    case .provider: "the provider, to the push gateway"
    case .gateway: "the push gateway, to the provider"
    case .feedback: "the feedback service, to the provider"
    default: description
    }
  }
}

extension Rule {
  /// What the gateway replies to what breaks it, by ``ReplyRow/all``.
  fileprivate var replies: [Topic.Paragraph] {
    guard let first = refusals.first else { return [] }
    let legacy =
      isAboutItems ? "" : ". Without an identifier (command 0), and by the edition of 2009: \(GatewayReply.close.words)"
    guard case .malformed = first else {
      let statuses = refusals.compactMap { if case .status(let code) = $0 { statusWords(code) } else { nil } }
      return [Topic.Paragraph(label: "answer", text: statuses.joined(separator: ", or ") + ", then the close" + legacy)]
    }
    let named = ReplyRow.all.compactMap { row -> String? in
      guard case .errorResponse(let code?) = row.packet else { return nil }
      let year = row.editions.lowerBound.rawValue
      return "not documented before \(year), \(statusWords(code)) from \(year) on"
    }
    return [
      Topic.Paragraph(
        label: "answer",
        text: "an error response, then the close. Its status: \(named.joined(separator: ", "))" + legacy),
      Topic.Paragraph(label: "but", text: ReplyRow.technicalNote),
    ]
  }
}

extension Sample {
  /// A command line that shows it.
  fileprivate var command: String {
    var out = Output()
    let bytes = self.bytes
    out.hex(bytes.span)
    let edition = edition == .standard ? "" : " --edition \(edition.rawValue)"
    let role = role == .provider ? "" : " --role \(role)"
    return "apnscope\(edition)\(role) --hex \(String(decoding: out.bytes, as: UTF8.self))"
  }
}
