import APNSInput
import APNSPayload
import APNSWire
import Octets

/// Takes lines apart that are exactly as ``NDJSONView`` writes them for whole frames, straight into the frames' bytes.
///
/// Whatever else a line may be, it is left alone: damage, lengths that lie, items that nobody documented, other orders
/// and other spacing. So this is never wrong about what a line says, and never the one to say what is wrong with it.
struct WrittenLine: Sendable {
  private var text: RecordText
  private var types: [FrameType] = []
  private var parts: [Part] = []
  /// 256 rows for each list: index in `items`, or -1.
  private var itemTable: [Int] = []
  private var items: [ItemPart] = []

  private struct FrameType {
    let head: Range<Int>
    let command: UInt8?
    let role: StreamRole
    /// In `parts`.
    let parts: Range<Int>
  }

  private struct Part {
    let member: RecordText.Member
    /// Bytes of the length before it; 0 where it has none.
    let lengthWidth: Int
    /// Bytes of a number.
    let size: Int
    /// Of a list, in `itemTable`.
    let list: Int

    init(_ member: RecordText.Member, _ field: Field, lengthWidth: Int, list: Int = 0) {
      self.member = member
      self.lengthWidth = lengthWidth
      self.size = field.size ?? 0
      self.list = list
    }
  }

  private struct ItemPart {
    let id: UInt8
    /// Up to the value.
    let head: Range<Int>
    let part: Part
  }

  init(_ catalog: Catalog) {
    text = RecordText(catalog)
    for (schema, head) in zip(catalog.schemas, text.heads) {
      let first = parts.count
      for part in schema.parts {
        switch part {
        case .command: break
        case .fixed(let field): parts.append(Part(text.add(field), field, lengthWidth: 0))
        case .counted(let field, let width, _):
          let list = itemTable.count
          if case .items(let rows) = field.content { addList(rows) }
          parts.append(Part(text.add(field), field, lengthWidth: width, list: list))
        }
      }
      types.append(
        FrameType(head: head, command: schema.command?.rawValue, role: schema.role, parts: first..<parts.count))
    }
  }

  private mutating func addList(_ rows: [Item]) {
    let list = itemTable.count
    itemTable += [Int](repeating: -1, count: 256)
    for item in rows where !item.field.isList {
      itemTable[list + Int(item.id.rawValue)] = items.count
      let start = text.add(item).lowerBound
      let part = Part(text.add(item.field), item.field, lengthWidth: 2)
      items.append(ItemPart(id: item.id.rawValue, head: start..<part.member.key.upperBound, part: part))
    }
  }

  /// The record in a line, its frame's bytes appended to `frame`; nil where the line is not as it would be written.
  func read(_ line: Span<UInt8>, number: Int, into frame: inout Output) -> NDJSONReader.Entry? {
    var cursor = LineCursor()
    guard let type = types.first(where: { cursor.take(text.text, $0.head, in: line) }), cursor.number(in: line) != nil,
      cursor.take(",\"length\":", in: line), cursor.number(in: line) != nil
    else { return nil }
    if let command = type.command { frame.byte(command) }
    for index in type.parts {
      guard read(parts[index], &cursor, line, into: &frame) else { return nil }
    }
    var entry = NDJSONReader.Entry(
      content: .gap(missing: 0), role: type.role, position: Origin.TextPosition(line: number, column: 1))
    guard cursor.origin(of: &entry, in: line), cursor.skipFindings(in: line), cursor.take("}", in: line),
      cursor.index == line.count
    else { return nil }
    return entry
  }

  @inline(__always)
  private func read(_ part: Part, _ cursor: inout LineCursor, _ line: Span<UInt8>, into frame: inout Output) -> Bool {
    guard cursor.take(text.text, part.member.key, in: line) else { return false }
    let start = frame.count
    frame.bigEndian(0, width: part.lengthWidth)
    guard
      part.member.kind == .list
        ? readItems(of: part.list, &cursor, line, into: &frame) : readValue(of: part, &cursor, line, into: &frame)
    else { return false }
    return close(part, from: start, in: &frame)
  }

  private func readItems(
    of list: Int, _ cursor: inout LineCursor, _ line: Span<UInt8>, into frame: inout Output
  ) -> Bool {
    if cursor.take("]", in: line) { return true }
    var index = -1
    repeat {
      // Most senders write them in the order of the documentation.
      index += 1
      let isNext = index > 0 && index < items.count && itemTable[list + Int(items[index].id)] == index
      if !isNext || !cursor.take(text.text, items[index].head, in: line) {
        let start = cursor.index
        guard cursor.take("{\"id\":", in: line), let id = cursor.number(in: line), id < 256 else { return false }
        index = itemTable[list + Int(id)]
        cursor.index = start
        guard index >= 0, cursor.take(text.text, items[index].head, in: line) else { return false }
      }
      let item = items[index]
      frame.byte(item.id)
      let length = frame.count
      frame.bigEndian(0, width: 2)
      guard readValue(of: item.part, &cursor, line, into: &frame), cursor.take("}", in: line),
        close(item.part, from: length, in: &frame)
      else { return false }
    } while cursor.take(",", in: line)
    return cursor.take("]", in: line)
  }

  @inline(__always)
  private func readValue(
    of part: Part, _ cursor: inout LineCursor, _ line: Span<UInt8>, into frame: inout Output
  ) -> Bool {
    switch part.member.kind {
    case .number, .named:
      guard let value = cursor.number(in: line), value <= UInt64.max >> UInt64(64 - part.size * 8) else { return false }
      frame.bigEndian(value, width: part.size)
      // The name is derived, and not believed.
      guard part.member.kind == .named, cursor.take(text.text, part.member.otherKey, in: line) else { return true }
      return cursor.plainString(in: line) != nil
    case .octets: return cursor.hex(in: line, into: &frame)
    case .text: return cursor.string(in: line, into: &frame)
    case .list: return false
    }
  }

  /// Sets the length before a value; false where it cannot hold it.
  @inline(__always)
  private func close(_ part: Part, from start: Int, in frame: inout Output) -> Bool {
    guard part.lengthWidth > 0 else { return true }
    let count = UInt64(frame.count - start - part.lengthWidth)
    guard count <= UInt64.max >> UInt64(64 - part.lengthWidth * 8) else { return false }
    frame.replace(at: start, bigEndian: count, width: part.lengthWidth)
    return true
  }
}
