import Octets

extension Writing {
  /// The frame as this sender writes it; nil if a value is missing, or does not fit.
  /// - Parameter command: that of another type, or of none, where this writing asks for it.
  package func bytes(of draft: FrameDraft, command other: UInt8) -> [UInt8]? {
    var out: [UInt8] = []
    for step in steps {
      switch step {
      case .command:
        guard let own = schema.command?.rawValue else { return nil }
        switch command {
        case .own: out.append(own)
        case .digit: out.append(own &+ UInt8(ascii: "0"))
        case .byte(let byte): out.append(byte)
        case .ofAnotherType, .unknown: out.append(other)
        }
      case .bytes(let bytes): out += bytes
      case .length(let index):
        guard let value = value(index, of: draft) else { return nil }
        out += length(value, fields[index].length.width)
      case .value(let index):
        guard let value = value(index, of: draft) else { return nil }
        out += value.bytes
      case .frameLength:
        guard let items = itemBytes(draft) else { return nil }
        out += [UInt8](bigEndian: UInt64(items.count), width: frameLength.width)
      case .items:
        guard let items = itemBytes(draft) else { return nil }
        out += items
      }
    }
    return out
  }

  /// As it stands on the wire, and how many of its bytes the length counts.
  private func value(_ index: Int, of draft: FrameDraft) -> (bytes: [UInt8], counted: Int)? {
    let field = fields[index]
    let path = schema.paths.first { $0.field?.name == field.field.name && $0.items.last == field.item }
    guard let path, var value = try? draft.octets(at: path) else { return nil }
    if let size = field.size {
      guard value.count <= size || value.dropLast(size).allSatisfy({ $0 == 0 }) else { return nil }
      value = [UInt8](repeating: 0, count: max(0, size - value.count)) + value.suffix(size)
    }
    let coded = field.coding.encode(value)
    guard field.coding.isPlain || coded != value else { return nil }
    switch field.rest {
    case .nothing: return (coded, field.countsDecoded ? value.count : coded.count)
    case .bytes(let rest): return (coded + rest, coded.count)
    case .anything:
      let stale = Array("from before\"}}".utf8)
      return (coded + stale, coded.count + stale.count)
    }
  }

  private func length(_ value: (bytes: [UInt8], counted: Int), _ width: Int) -> [UInt8] {
    [UInt8](bigEndian: UInt64(value.counted), width: width)
  }

  private func itemBytes(_ draft: FrameDraft) -> [UInt8]? {
    guard let list = schema.lists.first, let drafts = draft[items: list] else {
      // The values stand there without headers.
      return hasItems ? nil : fields.indices.reduce([]) { $0 + (value($1, of: draft)?.bytes ?? []) }
    }
    var out: [UInt8] = []
    for item in drafts {
      guard let index = fields.firstIndex(where: { $0.item == item.id }), let value = value(index, of: draft) else {
        return nil
      }
      let id = [item.id.rawValue &+ items.shift]
      let length = length(value, fields[index].length.width)
      out += hasItems ? (items.hasLengthFirst ? length + id : id + length) + value.bytes : value.bytes
    }
    return out
  }
}
