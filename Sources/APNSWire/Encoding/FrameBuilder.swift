import Octets

extension FrameDraft {
  /// Appends the frame's bytes to `out`.
  ///
  /// - Throws: ``EncodeError``, and leaves `out` unchanged, if a field is missing or a number does not fit.
  public func write(to out: inout [UInt8]) throws(EncodeError) {
    let start = out.count
    do throws(EncodeError) {
      try writeParts(to: &out)
      out += rest
    } catch {
      out.removeSubrange(start...)
      throw error
    }
  }

  /// The frame's bytes.
  ///
  /// - Throws: ``EncodeError`` if a field is missing or a number does not fit.
  public func bytes() throws(EncodeError) -> [UInt8] {
    var out: [UInt8] = []
    try write(to: &out)
    return out
  }

  private func writeParts(to out: inout [UInt8]) throws(EncodeError) {
    var missing: String?
    for part in schema.parts {
      guard let field = part.field else {
        if let command = command ?? schema.command { out.append(command.rawValue) }
        continue
      }
      let (member, length) = (field.name.member, part.lengthName?.member)
      let given = length.flatMap { lengths[$0] }
      guard let value = values[member] else {
        if let length, let given, isPartial {
          try checkOrder(length, after: missing)
          try out.append(bigEndian: given, width: part.lengthWidth, field: length)
        }
        missing = try noteMissing(member, after: missing)
        continue
      }
      try checkOrder(member, after: missing)
      if let length {
        let count = UInt64(value.size(as: field) + (field.isList ? rest.count : 0))
        try out.append(bigEndian: given ?? count, width: part.lengthWidth, field: length, isComputed: given == nil)
      }
      try value.write(as: field, to: &out)
    }
  }

  private func noteMissing(_ member: String, after missing: String?) throws(EncodeError) -> String {
    guard isPartial else { throw EncodeError(.missingField, field: member) }
    return missing ?? member
  }

  private func checkOrder(_ member: String, after missing: String?) throws(EncodeError) {
    if let missing { throw EncodeError(.missingField, field: missing, before: member) }
  }
}

extension FieldDraft {
  /// Octets are written unchanged, whatever the field is. A number must fit its field.
  func write(as field: Field?, to out: inout [UInt8]) throws(EncodeError) {
    switch self {
    case .octets(let bytes):
      out += bytes
    case .integer(let value):
      let member = field?.name.member ?? "data"
      guard let field, let size = field.size else { throw EncodeError(.wrongKind, field: member) }
      try out.append(bigEndian: value, width: size, field: member)
    case .items(let items):
      for item in items { try item.write(knowing: field?.rows ?? [], to: &out) }
    }
  }

  /// The size of the encoded value in bytes.
  func size(as field: Field?) -> Int {
    switch self {
    case .octets(let bytes): bytes.count
    case .integer: field?.size ?? 0
    case .items(let items): items.reduce(0) { $0 + $1.size(in: field?.rows ?? []) }
    }
  }
}

extension ItemDraft {
  fileprivate func write(knowing rows: [Item], to out: inout [UInt8]) throws(EncodeError) {
    guard data != nil || length != nil else { throw EncodeError(.missingField, field: "data") }
    out.append(id.rawValue)
    try out.append(
      bigEndian: length ?? UInt64(size(in: rows) - Item.headerSize), width: Item.headerSize - 1, field: "data_length",
      isComputed: length == nil)
    guard let data else { return }
    try data.write(as: field(in: rows), to: &out)
    out += rest
  }

  /// The size of the encoded item in bytes, including its header.
  func size(in rows: [Item]) -> Int {
    Item.headerSize + (data.map { $0.size(as: field(in: rows)) + rest.count } ?? 0)
  }

  private func field(in rows: [Item]) -> Field? { rows.first { $0.id == id }?.field }
}

extension [UInt8] {
  fileprivate mutating func append(
    bigEndian value: UInt64, width: Int, field: String, isComputed: Bool = false
  ) throws(EncodeError) {
    let highest = UInt64.max >> UInt64(64 - width * 8)
    guard value <= highest else {
      throw EncodeError(isComputed ? .tooLong : .outOfRange, field: field, value: value, highest: highest)
    }
    append(bigEndian: value, width: width)
  }
}
