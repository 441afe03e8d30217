import APNSDiagnosis
import APNSPayload
import APNSQuery
import APNSViews
import APNSWire
import ArgumentParser
import Octets

struct FrameOptions: ParsableArguments {
  @Option("--command <number>", "The frame type by its command byte: \(listed(commands(in: .standard))).")
  var command: String?

  @Option("--type <name>", "The frame type by its name: \(typeNames).")
  var type: String?

  @Option(sets: .token, "Device token in hexadecimal.", "hex")
  var token: Assignment?

  @Option(sets: .payload, parsing: .unconditional, "Payload, used verbatim; @FILE reads it from a file.", "text")
  var payload: Assignment?

  @Option(sets: .payloadHex, "Payload in hexadecimal.", "hex")
  var payloadHex: Assignment?

  @Option(sets: .identifier, "Identifier: decimal or 0x hexadecimal.", "number")
  var identifier: Assignment?

  @Option(
    sets: .expiry, parsing: .unconditional, "Expiry: seconds since 1970, +1d, now, or 2013-11-19T00:00:00Z.", "time")
  var expiry: Assignment?

  @Option(sets: .priority, "Priority: \(listed(priorities)).", "number")
  var priority: Assignment?

  @Option(sets: .status, "Status of an error response.", "number")
  var status: Assignment?

  @Option(sets: .timestamp, parsing: .unconditional, "Timestamp of a feedback tuple, like --expiry.", "time")
  var timestamp: Assignment?

  @Option("--set <name=value>", "Set a field, a length or a value in the payload: payload.aps.badge=3.")
  var assignments: [String] = []

  @Option(
    "--length <name=number>", "Write this length even if it is wrong: token_length=32, or 2.data_length=32 for item 2.")
  var lengths: [String] = []

  @Option("--item <id=hex>", "Add an item to command 2; items are written in the order given: 5=0a.")
  var items: [String] = []

  @Option("--rest <hex>", "Bytes to write after the last complete field.", rare: true)
  var rest: [String] = []

  @Option("--condition <damage>", "Build a damaged frame, in which fields may be missing.", rare: true)
  var condition: Record.Condition?

  @Option("--hex <hex>", "Write these bytes, without a frame around them.", rare: true)
  var hex: [String] = []

  private static let typeNames = Catalog.standard.schemas.map(\.name).joined(separator: ", ")

  private static let priorities: [String] = {
    guard case .integer(_, .code(let names, _)) = Field.priority.content else { return [] }
    return names.keys.sorted(by: >).map(String.init)
  }()

  /// The command bytes of all frame types that have one, in decimal.
  private static func commands(in catalog: Catalog) -> [String] {
    catalog.schemas.compactMap { $0.command.map { String($0.rawValue) } }
  }

  func changes() throws(Failure) -> [Assignment] {
    try assignments.map { text throws(Failure) in
      guard let change = Assignment(text) else { throw .usage("--set \(text): write it as NAME=VALUE") }
      return change
    }
  }

  var isEmpty: Bool { hex.isEmpty && !givesFrame }

  private var values: [Assignment] {
    [token, payload, payloadHex, identifier, expiry, priority, status, timestamp].compactMap(\.self)
  }

  private var givesFrame: Bool {
    !values.isEmpty || command != nil || type != nil || !lengths.isEmpty || !items.isEmpty || !rest.isEmpty
      || condition != nil
  }

  /// What the options describe: one frame, or the bytes of `--hex`.
  /// - Parameter changes: Those of `--set`.
  func entry(_ changes: [Assignment], _ catalog: Catalog) throws(Failure) -> NDJSONReader.Entry {
    guard hex.isEmpty else {
      guard !givesFrame, changes.isEmpty else {
        throw .usage("--hex gives complete frames; drop the options for other parts of a frame")
      }
      return .init(.bytes(try ExitStatus.usage.failing { try FieldText.octets(hex.joined(), "--hex") }))
    }
    let draft = try draft(changes, catalog)
    return .init(.written(try ExitStatus.usage.failing { try draft.bytes() }), role: draft.schema.role)
  }

  private func draft(_ changes: [Assignment], _ catalog: Catalog) throws(Failure) -> FrameDraft {
    if payload != nil, payloadHex != nil { throw .usage("--payload and --payload-hex exclude each other") }
    let schema = try schema(in: catalog)
    var draft = FrameDraft(schema)
    draft.isPartial = condition != nil
    if !items.isEmpty { try addItems(to: &draft) }
    var assignments = try values.map { given throws(Failure) in
      (try withFile(given), "--" + given.name.replacing("_", with: "-"))
    }
    assignments += try lengths.map { text throws(Failure) in (try length(text, schema), "--length") }
    if !rest.isEmpty { assignments.append((Assignment(name: "rest", value: rest.joined()), "--rest")) }
    assignments += changes.map { ($0, "--set") }
    let time = now()
    for (assignment, flag) in assignments {
      do throws(AssignmentError) { try assignment.apply(to: &draft, now: time) } catch {
        let name = flag == "--set" || flag == "--length" ? "\(flag) \(error.name)" : flag
        throw .usage("\(name) \(error.reason)")
      }
    }
    // A frame of items may have none; one that is cut before them has no list of them at all.
    for list in schema.lists where draft[list] == nil {
      let length = list.lengthName.flatMap { draft.lengths[$0.member] }
      if condition != .truncated || length != nil { draft[items: list] = [] }
    }
    return draft
  }

  private func length(_ text: String, _ schema: FrameSchema) throws(Failure) -> Assignment {
    if let assignment = Assignment(text), assignment.name.hasSuffix("_length") { return assignment }
    let names = schema.assignableNames.filter { $0.hasSuffix("_length") }
    let known = names + (schema.hasList ? ["2.data_length for item 2"] : [])
    throw .usage(
      "--length \(text): write it as NAME=NUMBER; the lengths of \(schema.name) are \(known.joined(separator: ", "))")
  }

  private func schema(in catalog: Catalog) throws(Failure) -> FrameSchema {
    let schemas = catalog.schemas
    let known = Self.commands(in: catalog).joined(separator: ", ")
    if command != nil, type != nil { throw .usage("--command and --type exclude each other") }
    if let type {
      if let schema = catalog[type] { return schema }
      throw .usage("--type \(type) is not a frame type\(suggestion(type, schemas.map(\.name)))")
    }
    if let command {
      if let byte = FieldText.number(command),
        let schema = schemas.first(where: { $0.command.map { UInt64($0.rawValue) } == byte })
      {
        return schema
      }
      throw .usage(
        "--command \(command) is not a documented command (\(known)); to write another byte, add --set command=N")
    }
    let fitting = schemas.filter { schema in values.allSatisfy { schema.has($0.name) } }
    if fitting.count == 1, let schema = fitting.first { return schema }
    throw .usage("the frame type is not clear; add --command (\(known)) or --type")
  }

  private func addItems(to draft: inout FrameDraft) throws(Failure) {
    guard let list = draft.schema.lists.first else {
      throw .usage("--item: a \(draft.schema.name) has no items")
    }
    var drafts: [ItemDraft] = []
    for text in items {
      guard let item = Assignment(text), let id = FieldText.number(item.name), id <= 255 else {
        throw .usage("--item \(text): write it as ID=HEX, such as 5=0a")
      }
      let data = try ExitStatus.usage.failing { try FieldText.octets(item.value, "--item \(id)") }
      drafts.append(ItemDraft(ItemID(rawValue: UInt8(id)), data: .octets(data)))
    }
    draft[items: list] = drafts
  }

  /// The value of `--payload` may name a file.
  private func withFile(_ given: Assignment) throws(Failure) -> Assignment {
    guard given.name == EncodeFlag.payload.member, given.value.hasPrefix("@") else { return given }
    let path = String(given.value.dropFirst())
    let bytes = try smallFile(InputPath(path, "--payload"))
    guard bytes.span.isUTF8(0..<bytes.count) else {
      throw .usage("--payload @\(path): the file is not UTF-8; give its bytes with --payload-hex")
    }
    return Assignment(name: given.name, value: String(decoding: bytes, as: UTF8.self))
  }
}

extension Option where Value == Assignment? {
  fileprivate init(
    sets flag: EncodeFlag, parsing: SingleValueParsingStrategy = .next, _ help: String, _ valueName: String
  ) {
    self.init(
      name: .customLong(flag.rawValue), parsing: parsing, help: ArgumentHelp("\(help)", valueName: valueName),
      transform: { Assignment(name: flag.member, value: $0) })
  }
}
