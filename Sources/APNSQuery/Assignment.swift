import APNSPayload
import APNSWire

/// An assignment `name=value`, with which `--set` and the flags of `encode` change a draft.
///
/// The name is that of a field (`priority`, in the frame or in an item), of a length (`token_length`, or
/// `2.data_length` for item 2), `command`, `rest`, or a path into a JSON field (`payload.aps.badge`), which leads to
/// all values of a repeated key.
package struct Assignment: Sendable, Hashable {
  /// What is set, with any path into JSON: `payload.aps.badge`.
  package let name: String
  /// The value as a user types it: a number, text, hexadecimal digits, a time or JSON, depending on the field.
  package let value: String

  /// Neither part is checked until the assignment is applied.
  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// The name up to its first dot.
  package var member: String { String(name.prefix { $0 != "." }) }

  /// Parses `name=value`; nil if there is no equals sign.
  package init?(_ text: String) {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    self.init(name: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
  }

  /// Changes a draft.
  /// - Parameters:
  ///   - draft: The frame to change.
  ///   - now: Seconds since 1970 UTC, for relative times such as `+1d`.
  /// - Throws: ``AssignmentError`` if the frame type has no such field, or the value is invalid for it.
  package func apply(to draft: inout FrameDraft, now: Int) throws(AssignmentError) {
    if name == RecordMembers.command, draft.schema.command != nil {
      guard let byte = FieldText.number(value), byte <= 255 else {
        throw AssignmentError(name, "must be a byte, 0 to 255")
      }
      draft.command = Command(rawValue: UInt8(byte))
    } else if name == RecordMembers.rest {
      draft.rest = try FieldText.octets(value, name)
    } else if let path = draft.schema.paths.first(where: { $0.lengthName?.member == name }) {
      draft.lengths[name] = try length(bytes: path.lengthWidth)
    } else if let item = FieldText.number(member), name == "\(member).\(FrameSchema.Name.itemLength.member)" {
      try setLength(ofItem: item, in: &draft)
    } else {
      try applyToField(of: &draft, now: now)
    }
  }

  /// Checks the assignment without a frame.
  /// - Parameters:
  ///   - schema: The frame type.
  ///   - now: Seconds since 1970 UTC, for relative times such as `+1d`.
  /// - Throws: ``AssignmentError`` if the assignment is invalid for all frames of this type.
  package func check(for schema: FrameSchema, now: Int) throws(AssignmentError) {
    var draft = FrameDraft(schema)
    do throws(AssignmentError) { try apply(to: &draft, now: now) } catch { if !error.dependsOnFrame { throw error } }
  }

  private func length(bytes: Int) throws(AssignmentError) -> UInt64 {
    guard let length = FieldText.number(value) else { throw AssignmentError(name, "must be a number of bytes") }
    try FieldText.check(length, bytes: bytes, name)
    return length
  }

  /// Sets the length field of each item with this id.
  private func setLength(ofItem item: UInt64, in draft: inout FrameDraft) throws(AssignmentError) {
    let length = try length(bytes: Item.headerSize - 1)
    let id = UInt8(exactly: item).map { ItemID(rawValue: $0) }
    var isFound = false
    for list in draft.schema.lists { if let id, draft.setLength(of: list.item(id), to: length) { isFound = true } }
    if !isFound { throw AssignmentError(name, "names an item that this frame does not have", dependsOnFrame: true) }
  }

  private func applyToField(of draft: inout FrameDraft, now: Int) throws(AssignmentError) {
    let schema = draft.schema
    let isHex = member.hasSuffix("_hex")
    let paths = schema.paths(named: isHex ? String(member.dropLast(4)) : member)
    guard let field = paths.first?.field else {
      let isItemLength = name == FrameSchema.Name.itemLength.member && schema.hasList
      throw AssignmentError(
        name, isItemLength ? "needs the id of an item: 2.\(name)" : "is not a field of \(schema.name)",
        candidates: isItemLength ? [] : schema.assignableNames)
    }
    let steps = name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().map(String.init)
    guard steps.isEmpty else { return try edit(field, at: paths, steps, in: &draft) }
    let value =
      isHex ? FieldDraft.octets(try FieldText.octets(value, name)) : try FieldText.read(value, as: field, now: now)
    for path in paths { draft[path] = value }
  }

  private func edit(
    _ field: Field, at paths: [FieldPath], _ steps: [String], in draft: inout FrameDraft
  ) throws(AssignmentError) {
    let member = field.name.member
    guard field.isJSON else { throw AssignmentError(name, "is a path into \(member), which is not JSON") }
    guard !steps.contains("") else { throw AssignmentError(name, "has an empty part; write it as payload.aps.badge") }
    let json = try jsonValue()
    var changed = false
    for path in paths {
      try draft.edit(path) { (value: inout FieldDraft?, _: inout UInt64?) throws(AssignmentError) in
        guard case .octets(let text)? = value else { return }
        do throws(JSONError) {
          guard let edited = try JSONPath(steps).setting(json, in: text) else { return }
          value = .octets(edited)
          changed = true
        } catch {
          let position = "byte \(error.offset): \(error.code.rawValue)"
          throw AssignmentError(name, "needs a \(member) of valid JSON; error at \(position)")
        }
      }
    }
    if !changed { throw AssignmentError(name, "does not exist in this frame's \(member)", dependsOnFrame: true) }
  }

  /// The value as JSON. Text that is not JSON becomes a string, unless it begins like an object or array.
  private func jsonValue() throws(AssignmentError) -> [UInt8] {
    let text = Array(value.utf8)
    guard let error = JSONScanner.firstError(in: text.span, range: text.indices) else { return text }
    guard let first = value.first(where: { !$0.isWhitespace }), "{[".contains(first) else {
      return JSONPath.quoted(text)
    }
    let position = "byte \(error.offset): \(error.code.rawValue)"
    throw AssignmentError(name, "has an invalid JSON value at \(position); put a string in double quotes")
  }
}

/// Why an assignment is invalid. The description begins with the name.
package struct AssignmentError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the assignment, or of the flag, at fault.
  package let name: String
  /// The rest of a sentence that begins with the name, with a similar one if that is a candidate.
  package let reason: String
  /// Whether the assignment is valid for other frames of the type.
  let dependsOnFrame: Bool

  init(_ name: String, _ reason: String, candidates: [String] = [], dependsOnFrame: Bool = false) {
    (self.name, self.reason, self.dependsOnFrame) = (name, reason + suggestion(name, candidates), dependsOnFrame)
  }

  package var description: String { "\(name) \(reason)" }
}
