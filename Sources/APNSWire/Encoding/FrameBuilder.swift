import Octets

extension FrameDraft {
  /// Appends the frame's bytes to `out`.
  ///
  /// - Throws: ``EncodeError``, and leaves `out` unchanged, if a field is missing or a number does not fit.
  public func write(to out: inout [UInt8]) throws(EncodeError) {
    out += try bytes()
  }

  /// The frame's bytes.
  ///
  /// - Throws: ``EncodeError`` if a field is missing or a number does not fit.
  public func bytes() throws(EncodeError) -> [UInt8] {
    var out: [UInt8] = []
    var missing: String?
    let lastList = schema.parts.compactMap(\.field).last { $0.isList && values[$0.name.member] != nil }?.name.member
    for part in schema.parts {
      guard let field = part.field else {
        if let command = command ?? schema.command { out.append(command.rawValue) }
        continue
      }
      let (member, length) = (field.name.member, part.lengthName?.member)
      let given = length.flatMap { lengths[$0] }
      guard let value = values[member] else {
        guard isPartial else { throw EncodeError(.missingField, field: member) }
        if let length, let given {
          try checkOrder(length, after: missing)
          try out.append(bigEndian: given, width: part.lengthWidth, field: length)
        }
        missing = missing ?? member
        continue
      }
      try checkOrder(member, after: missing)
      let bytes = try value.octets(as: field)
      if let length {
        let count = UInt64(bytes.count + (member == lastList ? rest.count : 0))
        try out.append(bigEndian: given ?? count, width: part.lengthWidth, field: length, isComputed: given == nil)
      }
      out += bytes
    }
    return out + rest
  }

  private func checkOrder(_ member: String, after missing: String?) throws(EncodeError) {
    if let missing { throw EncodeError(.missingField, field: missing, before: member) }
  }
}

extension FieldDraft {
  /// Octets are written unchanged, whatever the field is. A number must fit its field.
  func octets(as field: Field?) throws(EncodeError) -> [UInt8] {
    var out: [UInt8] = []
    switch self {
    case .octets(let bytes):
      out = bytes
    case .integer(let value):
      let member = field?.name.member ?? "data"
      guard let field, let size = field.size else { throw EncodeError(.wrongKind, field: member) }
      try out.append(bigEndian: value, width: size, field: member)
    case .items(let items):
      for item in items { try item.write(knowing: field?.rows ?? [], to: &out) }
    }
    return out
  }
}

extension ItemDraft {
  fileprivate func write(knowing rows: [Item], to out: inout [UInt8]) throws(EncodeError) {
    guard data != nil || length != nil else { throw EncodeError(.missingField, field: "data") }
    let bytes = try data.map { data throws(EncodeError) in
      try data.octets(as: rows.first { $0.id == id }?.field) + rest
    }
    out.append(id.rawValue)
    try out.append(
      bigEndian: length ?? UInt64(bytes?.count ?? 0), width: Item.headerSize - 1, field: "data_length",
      isComputed: length == nil)
    out += bytes ?? []
  }
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
