import APNSPayload
import APNSWire

/// An assignment `name=value`, with which `--set` and the flags of `encode` change a draft.
///
/// The name is that of a field (`priority`, in the frame or in an item), of a length (`token_length`, or
/// `2.data_length` for item 2), `command`, `rest`, or a path into a JSON field (`payload.aps.badge`).
public struct Assignment: Sendable, Hashable {
  /// What is set, with any path into JSON: `payload.aps.badge`.
  public let name: String
  /// The value as a user types it: a number, text, hexadecimal digits, a time or JSON, depending on the field.
  public let value: String

  /// Neither part is checked until the assignment is applied.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// The name up to its first dot.
  public var member: String { String(name.prefix { $0 != "." }) }

  /// Parses `name=value`; nil if there is no equals sign.
  public init?(_ text: String) {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    self.init(name: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
  }

  /// Changes a draft.
  /// - Parameters:
  ///   - draft: The frame to change.
  ///   - now: Seconds since 1970 UTC, for relative times such as `+1d`.
  /// - Throws: ``AssignmentError`` if the frame type has no such field, or the value is invalid for it.
  public func apply(to draft: inout FrameDraft, now: Int) throws(AssignmentError) {
    var steps = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let head = steps.removeFirst()
    if steps.isEmpty, try applyHeader(head, to: &draft) { return }
    if let (item, length) = try itemLength() { return try set(length, ofItem: item, in: &draft) }
    let isHex = head.hasSuffix("_hex")
    let paths = draft.schema.paths(named: isHex ? String(head.dropLast(4)) : head)
    guard let field = paths.first?.field else {
      let isItemLength = name == FrameSchema.Name.itemLength.member && draft.schema.hasList
      throw AssignmentError(
        name, isItemLength ? "needs the id of an item: 2.\(name)" : "is not a field of \(draft.schema.name)",
        candidates: isItemLength ? [] : draft.schema.assignableNames)
    }
    guard steps.isEmpty else { return try edit(field, at: paths, steps, in: &draft) }
    let value =
      isHex ? FieldDraft.octets(try FieldText.octets(value, name)) : try FieldText.read(value, as: field, now: now)
    for path in paths { draft[path] = value }
  }

  /// Checks the assignment without a frame.
  /// - Parameters:
  ///   - schema: The frame type.
  ///   - now: Seconds since 1970 UTC, for relative times such as `+1d`.
  /// - Throws: ``AssignmentError`` if the assignment is invalid for all frames of this type.
  public func check(for schema: FrameSchema, now: Int) throws(AssignmentError) {
    let steps = name.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
    var draft = FrameDraft(schema)
    if steps.isEmpty { return try apply(to: &draft, now: now) }
    if try itemLength() != nil { return }
    guard let field = schema.paths(named: member).first?.field else { return }
    _ = try jsonValue(at: steps.map(String.init), in: field)
  }

  private func applyHeader(_ head: String, to draft: inout FrameDraft) throws(AssignmentError) -> Bool {
    if head == RecordMember.command.rawValue, draft.schema.command != nil {
      guard let byte = FieldText.number(value), byte <= 255 else {
        throw AssignmentError(name, "must be a byte, 0 to 255")
      }
      draft.command = Command(rawValue: UInt8(byte))
      return true
    }
    if head == RecordMember.rest.rawValue {
      draft.rest = try FieldText.octets(value, name)
      return true
    }
    if let width = draft.schema.lengthWidth(named: head) {
      guard let number = FieldText.number(value) else { throw AssignmentError(name, "must be a number of bytes") }
      try FieldText.check(number, bytes: width, name)
      draft.lengths[head] = number
      return true
    }
    return false
  }

  /// Parses `2.data_length=200`, the length field of item 2.
  private func itemLength() throws(AssignmentError) -> (item: UInt64, length: UInt64)? {
    guard let item = FieldText.number(member), name == "\(member).\(FrameSchema.Name.itemLength.member)" else {
      return nil
    }
    guard let length = FieldText.number(value) else { throw AssignmentError(name, "must be a number of bytes") }
    try FieldText.check(length, bytes: 2, name)
    return (item, length)
  }

  /// Sets the length field of each item with this id.
  private func set(_ length: UInt64, ofItem id: UInt64, in draft: inout FrameDraft) throws(AssignmentError) {
    var isFound = false
    for list in draft.schema.lists {
      guard let id = UInt8(exactly: id) else { break }
      if draft.setLength(of: list.item(ItemID(rawValue: id)), to: length) { isFound = true }
    }
    if !isFound { throw AssignmentError(name, "names an item that this frame does not have") }
  }

  private func edit(
    _ field: Field, at paths: [FieldPath], _ steps: [String], in draft: inout FrameDraft
  ) throws(AssignmentError) {
    let json = try jsonValue(at: steps, in: field)
    var changed = false
    for path in paths {
      try draft.edit(path) { (value: inout FieldDraft?, _: inout UInt64?) throws(AssignmentError) in
        guard case .octets(let text)? = value else { return }
        do throws(JSONError) {
          guard let edited = try JSONEdit.setting(steps, to: json, in: text) else { return }
          value = .octets(edited)
          changed = true
        } catch {
          throw AssignmentError(
            name, "needs a \(field.name.member) of valid JSON; error at byte \(error.offset): \(error.code.rawValue)")
        }
      }
    }
    if !changed { throw AssignmentError(name, "does not exist in this frame's \(field.name.member)") }
  }

  /// The value as JSON. Text that is not JSON becomes a string, unless it begins like an object or array.
  private func jsonValue(at path: [String], in field: Field) throws(AssignmentError) -> [UInt8] {
    guard field.isJSON else {
      throw AssignmentError(name, "is a path into \(field.name.member), which is not JSON")
    }
    guard !path.contains("") else { throw AssignmentError(name, "has an empty part; write it as payload.aps.badge") }
    let text = Array(value.utf8)
    guard let error = JSONScanner.firstError(in: text.span, range: 0..<text.count) else { return text }
    let first = value.first { !$0.isWhitespace }
    guard first != "{", first != "[" else {
      let position = "byte \(error.offset): \(error.code.rawValue)"
      throw AssignmentError(name, "has an invalid JSON value at \(position); put a string in double quotes")
    }
    return JSONEdit.quoted(value)
  }
}

/// Why an assignment is invalid. The description begins with the name.
public struct AssignmentError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the assignment, or of the flag, at fault.
  public let name: String
  /// The rest of a sentence that begins with the name.
  public let reason: String
  /// Valid names, to suggest one.
  public let candidates: [String]

  package init(_ name: String, _ reason: String, candidates: [String] = []) {
    self.name = name
    self.reason = reason
    self.candidates = candidates
  }

  public var description: String { "\(name) \(reason)" }
}
