import Octets

extension Writing {
  /// Encodes the frame as this sender writes it. Returns nil if a value is missing or does not fit.
  ///
  /// - Parameter command: the command to write if this writing uses that of another type, or of none.
  package func bytes(of draft: FrameDraft, command other: UInt8) -> [UInt8]? {
    var out: [UInt8] = []
    for step in steps {
      switch step {
      case .command:
        guard let own = schema.command?.rawValue else { return nil }
        out.append(command.byte(for: own) ?? other)
      case .bytes(let bytes): out += bytes
      case .length(let index):
        guard let value = value(index, of: draft) else { return nil }
        out += [UInt8](bigEndian: UInt64(value.counted), width: fields[index].lengthWidth)
      case .value(let index):
        guard let value = value(index, of: draft) else { return nil }
        out += value.bytes
      case .frameLength:
        guard let items = itemBytes(draft) else { return nil }
        out += [UInt8](bigEndian: UInt64(items.count), width: frameLengthWidth)
      case .items:
        guard let items = itemBytes(draft) else { return nil }
        out += items
      }
    }
    return out
  }

  /// The bytes on the wire, and how many of them the length counts.
  private func value(_ index: Int, of draft: FrameDraft) -> (bytes: [UInt8], counted: Int)? {
    let field = fields[index]
    let path = schema.paths.first { $0.field?.name == field.field.name && $0.items.last == field.item }
    guard let path, var value = try? draft.octets(at: path) else { return nil }
    if let size = field.size {
      guard value.count <= size || value.dropLast(size).allSatisfy({ $0 == 0 }) else { return nil }
      value = [UInt8](repeating: 0, count: max(0, size - value.count)) + value.suffix(size)
    }
    let coded = field.coding?.encode(value) ?? value
    guard field.coding == nil || coded != value else { return nil }
    switch field.rest {
    case .nothing: return (coded, field.countsDecoded ? value.count : coded.count)
    case .bytes(let rest): return (coded + rest, coded.count)
    case .anything:
      let stale = Array("from before\"}}".utf8)
      return (coded + stale, coded.count + stale.count)
    }
  }

  private func itemBytes(_ draft: FrameDraft) -> [UInt8]? {
    guard let list = schema.lists.first, let drafts = draft[items: list] else { return nil }
    var out: [UInt8] = []
    for item in drafts {
      guard let index = fields.firstIndex(where: { $0.item == item.id }), let value = value(index, of: draft) else {
        return nil
      }
      let id = [item.id.rawValue &+ items.shift]
      let length = [UInt8](bigEndian: UInt64(value.counted), width: fields[index].lengthWidth)
      // Without headers, only the values are written.
      if hasItems { out += items.hasLengthFirst ? length + id : id + length }
      out += value.bytes
    }
    return out
  }
}
