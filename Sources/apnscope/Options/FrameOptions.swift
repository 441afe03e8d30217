import APNSPayload
import APNSQuery
import APNSViews
import APNSWire
import ArgumentParser
import Octets

/// What is wrong with a frame on purpose.
enum Damage: String, CaseIterable, ExpressibleByArgument {
  case truncated, malformed
}

/// Options that describe a frame, or its bytes.
struct FrameOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The frame type by its command byte: \(listed(commands(in: .standard))).", valueName: "number"))
  var command: String?

  @Option(help: ArgumentHelp("The frame type by its name: \(typeNames).", valueName: "name"))
  var type: String?

  @Option(help: ArgumentHelp("Device token in hexadecimal.", valueName: "hex"))
  var token: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Payload, used verbatim; @FILE reads it from a file.", valueName: "text"))
  var payload: String?

  @Option(help: ArgumentHelp("Payload in hexadecimal.", valueName: "hex"))
  var payloadHex: String?

  @Option(help: ArgumentHelp("Identifier: decimal or 0x hexadecimal.", valueName: "number"))
  var identifier: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Expiry: seconds since 1970, +1d, now, or 2013-11-19T00:00:00Z.", valueName: "time"))
  var expiry: String?

  @Option(help: ArgumentHelp("Priority: \(listed(priorities)).", valueName: "number"))
  var priority: String?

  @Option(help: ArgumentHelp("Status of an error response.", valueName: "number"))
  var status: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Timestamp of a feedback tuple, like --expiry.", valueName: "time"))
  var timestamp: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("Set a field, a length or a value in the payload: payload.aps.badge=3.", valueName: "name=value")
  )
  var assignments: [String] = []

  @Option(
    name: .customLong("length"),
    help: ArgumentHelp(
      "Write this length even if it is wrong: token_length=32, or 2.data_length=32 for item 2.",
      valueName: "name=number"))
  var lengths: [String] = []

  @Option(
    name: .customLong("item"),
    help: ArgumentHelp("Add an item to command 2; items are written in the order given: 5=0a.", valueName: "id=hex"))
  var items: [String] = []

  @Option(help: ArgumentHelp("Bytes to write after the last complete field.", valueName: "hex", visibility: .rare))
  var rest: [String] = []

  @Option(
    help: ArgumentHelp("Build a damaged frame, in which fields may be missing.", valueName: "damage", visibility: .rare)
  )
  var condition: Damage?

  @Option(help: ArgumentHelp("Write these bytes, without a frame around them.", valueName: "hex", visibility: .rare))
  var hex: [String] = []

  private static let typeNames = Catalog.standard.schemas.map(\.name).joined(separator: ", ")

  private static let priorities: [String] = {
    guard case .integer(_, .code(let names, _)) = Field.priority.content else { return [] }
    return names.keys.sorted(by: >).map(String.init)
  }()

  private static func listed(_ words: [String]) -> String {
    words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
  }

  /// The command bytes of all frame types that have one, in decimal.
  private static func commands(in catalog: Catalog) -> [String] {
    catalog.schemas.compactMap { $0.command.map { String($0.rawValue) } }
  }

  /// The changes of `--set`.
  func changes() throws(Failure) -> [Assignment] {
    try assignments.map { text throws(Failure) in
      guard let change = Assignment(text) else { throw .usage("--set \(text): write it as NAME=VALUE") }
      return change
    }
  }

  /// Nothing is described.
  var isEmpty: Bool { hex.isEmpty && !givesFrame }

  private var values: [(flag: EncodeFlag, value: String)] {
    EncodeFlag.allCases.compactMap { flag in value(of: flag).map { (flag, $0) } }
  }

  private func value(of flag: EncodeFlag) -> String? {
    switch flag {
    case .token: token
    case .payload: payload
    case .payloadHex: payloadHex
    case .identifier: identifier
    case .expiry: expiry
    case .priority: priority
    case .status: status
    case .timestamp: timestamp
    }
  }

  private var givesFrame: Bool {
    !values.isEmpty || command != nil || type != nil || !lengths.isEmpty || !items.isEmpty || !rest.isEmpty
      || condition != nil
  }

  func piece(_ changes: [Assignment], _ catalog: Catalog) throws(Failure) -> EncodedPiece {
    guard hex.isEmpty else {
      guard !givesFrame, changes.isEmpty else {
        throw .usage("--hex gives complete frames; drop the options for other parts of a frame")
      }
      return EncodedPiece(bytes: try ExitStatus.usage.failing { try FieldText.octets(hex.joined(), "--hex") })
    }
    let draft = try draft(changes, catalog)
    return EncodedPiece(
      bytes: try ExitStatus.usage.failing { try draft.bytes() }, role: draft.schema.role, isTyped: true)
  }

  private func draft(_ changes: [Assignment], _ catalog: Catalog) throws(Failure) -> FrameDraft {
    if payload != nil, payloadHex != nil { throw .usage("--payload and --payload-hex exclude each other") }
    var draft = FrameDraft(try schema(in: catalog))
    draft.isPartial = condition != nil
    let time = now()
    if !items.isEmpty { try addItems(to: &draft) }
    for (flag, value) in values {
      let value = flag == .payload && value.hasPrefix("@") ? try fileText(String(value.dropFirst())) : value
      try apply(Assignment(name: flag.member, value: value), as: "--" + flag.rawValue, to: &draft, time)
    }
    for text in lengths {
      guard let assignment = Assignment(text) else {
        throw .usage("--length \(text): write it as NAME=NUMBER, such as \(draft.schema.lengthNames[0])=32")
      }
      guard assignment.name.hasSuffix("_length") else {
        let names = draft.schema.lengthNames.joined(separator: ", ")
        throw .usage("--length \(assignment.name) is not the name of a length; \(draft.schema.name) has \(names)")
      }
      try apply(assignment, as: "--length", to: &draft, time)
    }
    if !rest.isEmpty { try apply(Assignment(name: "rest", value: rest.joined()), as: "--rest", to: &draft, time) }
    for change in changes { try apply(change, as: "--set", to: &draft, time) }
    draft.addEmptyList(condition)
    return draft
  }

  private func apply(
    _ assignment: Assignment, as flag: String, to draft: inout FrameDraft, _ time: Int
  ) throws(Failure) {
    do throws(AssignmentError) {
      try assignment.apply(to: &draft, now: time)
    } catch {
      let name = flag == "--set" || flag == "--length" ? "\(flag) \(error.name)" : flag
      throw .usage("\(name) \(error.reason)\(suggestion(assignment.name, error.candidates))")
    }
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
    let fitting = schemas.filter { schema in values.allSatisfy { schema.has($0.flag.member) } }
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

  private func fileText(_ path: String) throws(Failure) -> String {
    // Nothing longer fits a two-byte length.
    let bytes = try smallFile(InputPath(path, "--payload"), limit: 1 << 20)
    guard bytes.span.isUTF8(0..<bytes.count) else {
      throw .usage("--payload @\(path): the file is not UTF-8; give its bytes with --payload-hex")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension FrameSchema {
  /// As `--length` names them: those of items follow the item's id.
  fileprivate var lengthNames: [String] {
    let outsideItems = namedParts.filter { $0.field == nil && $0.item == nil }.map(\.name.member)
    let items = namedParts.filter { $0.field != nil }.compactMap { $0.item?.first.map { "\($0.rawValue).data_length" } }
    return outsideItems + items
  }
}

extension FrameDraft {
  /// A frame of items may have none; one that is cut before them has no list of them at all.
  fileprivate mutating func addEmptyList(_ condition: Damage?) {
    for list in schema.lists where self[list] == nil {
      let length = list.lengthName.flatMap { lengths[$0.member] }
      if condition != .truncated || length != nil { self[items: list] = [] }
    }
  }
}
