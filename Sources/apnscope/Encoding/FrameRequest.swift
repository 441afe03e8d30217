import APNSPayload
import APNSQuery
import APNSViews
import APNSWire
import Octets

/// What is wrong with a frame on purpose.
enum Damage: String, CaseIterable {
  case truncated, malformed
}

/// One frame, or bytes, described by words as flags give them.
struct FrameRequest {
  /// The frame type, by its command byte or by its name; nil if the values tell.
  var command: String?
  var type: String?
  var values: [(flag: EncodeFlag, value: String)] = []
  /// `NAME=NUMBER`: lengths that are written even if they are wrong.
  var lengths: [String] = []
  /// `ID=HEX`, in the order of writing.
  var items: [String] = []
  /// Hex digits that follow the last complete field.
  var rest: [String] = []
  var condition: Damage?
  /// Hex digits of complete frames, instead of all the others.
  var hex: [String] = []

  init() {}

  /// The command bytes of all frame types that have one, in decimal.
  static var commands: [String] {
    protocolDefinitions.catalog.schemas.compactMap { $0.command.map { String($0.rawValue) } }
  }

  /// Nothing is described.
  var isEmpty: Bool { hex.isEmpty && !givesFrame }

  private var givesFrame: Bool {
    !values.isEmpty || command != nil || type != nil || !lengths.isEmpty || !items.isEmpty || !rest.isEmpty
      || condition != nil
  }

  private func has(_ flag: EncodeFlag) -> Bool { values.contains { $0.flag == flag } }

  func piece(_ changes: [Assignment]) throws(Failure) -> EncodedPiece {
    if !hex.isEmpty { return EncodedPiece(bytes: try bytes(changes)) }
    let draft = try draft(changes)
    do throws(EncodeError) {
      return EncodedPiece(bytes: try draft.bytes(), role: draft.schema.role, isTyped: true)
    } catch {
      throw .usage("\(error)")
    }
  }

  private func bytes(_ changes: [Assignment]) throws(Failure) -> [UInt8] {
    guard !givesFrame, changes.isEmpty else {
      throw .usage("--hex gives complete frames; drop the options for other parts of a frame")
    }
    do throws(AssignmentError) { return try FieldText.octets(hex.joined(), "--hex") } catch {
      throw .usage("\(error)")
    }
  }

  private func draft(_ changes: [Assignment]) throws(Failure) -> FrameDraft {
    if has(.payload), has(.payloadHex) { throw .usage("--payload and --payload-hex exclude each other") }
    var draft = FrameDraft(try schema())
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

  private func schema() throws(Failure) -> FrameSchema {
    let schemas = protocolDefinitions.catalog.schemas
    if command != nil, type != nil { throw .usage("--command and --type exclude each other") }
    if let type {
      if let schema = protocolDefinitions.catalog[type] { return schema }
      throw .usage("--type \(type) is not a frame type\(suggestion(type, schemas.map(\.name)))")
    }
    if let command {
      if let byte = FieldText.number(command),
        let schema = schemas.first(where: { $0.command.map { UInt64($0.rawValue) } == byte })
      {
        return schema
      }
      let known = Self.commands.joined(separator: ", ")
      throw .usage(
        "--command \(command) is not a documented command (\(known)); to write another byte, add --set command=N")
    }
    let fitting = schemas.filter { schema in values.allSatisfy { schema.has($0.flag.member) } }
    if fitting.count == 1, let schema = fitting.first { return schema }
    let known = Self.commands.joined(separator: ", ")
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
      do throws(AssignmentError) {
        let data = try FieldText.octets(item.value, "--item \(id)")
        drafts.append(ItemDraft(ItemID(rawValue: UInt8(id)), data: .octets(data)))
      } catch {
        throw .usage("\(error)")
      }
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
