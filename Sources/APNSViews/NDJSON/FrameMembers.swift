import APNSPayload
import APNSWire

/// The members of a frame's object: each whole field by its name, items in wire order, and all that is not whole as
/// `rest`, so that the object says every byte of the frame exactly once.
struct FrameMembers {
  private let catalog: Catalog
  private let frame: FrameRef
  /// From here on bytes go to `rest`.
  private var restStart: Int?
  /// Open lists of items, outermost first; a nested one stands within an item's object.
  private var lists: [List] = []
  /// The list behind the frame's own length, as far as it was read.
  private var frameList: (length: FieldRef, declared: UInt64, start: Int)?
  private var itemID: UInt8 = 0

  private struct List {
    var isEmpty = true
    /// Spare bytes or a cut item behind the items of a nested list.
    var rest: Range<Int>?
  }

  init(_ catalog: Catalog, _ frame: FrameRef) {
    self.catalog = catalog
    self.frame = frame
  }

  mutating func write(_ bytes: Span<UInt8>, to out: inout Output) {
    var pending = self
    catalog.forEachField(of: frame, in: bytes) { leaf in
      pending.write(leaf, bytes, to: &out)
    }
    pending.closeLists(downTo: 0, bytes, to: &out)
    pending.writeFrameLength(bytes, to: &out)
    if let start = pending.restStart, start < frame.end {
      out.write(",\"rest\":\"")
      out.hex(bytes.extracting(start..<frame.end))
      out.write("\"")
    }
    self = pending
  }

  private mutating func write(_ leaf: FieldRef, _ bytes: Span<UInt8>, to out: inout Output) {
    guard restStart == nil else { return }
    closeLists(downTo: Int(leaf.depth), bytes, to: &out)
    switch leaf.kind {
    case .command:
      break
    case .length:
      guard leaf.state == .whole else {
        restStart = leaf.start
        return
      }
      if catalog.field(of: leaf)?.isList == true {
        frameList = (leaf, leaf.integer(in: bytes) ?? 0, leaf.end)
        out.write(",\"")
        out.write(catalog.field(of: leaf)?.name.member ?? "items")
        out.write("\":[")
        lists.append(List())
      }
    case .itemID:
      itemID = bytes[leaf.start]
    case .itemLength:
      beginItem(leaf, to: &out)
    case .gap:
      if leaf.depth > 1 { lists[lists.count - 1].rest = leaf.range } else { restStart = leaf.start }
    case .value:
      writeValue(leaf, bytes, to: &out)
    }
  }

  private mutating func beginItem(_ header: FieldRef, to out: inout Output) {
    out.write(lists[lists.count - 1].isEmpty ? "{\"id\":" : ",{\"id\":")
    lists[lists.count - 1].isEmpty = false
    out.decimal(UInt64(itemID))
    guard let item = catalog.item(of: header) else { return }
    out.write(",\"name\":\"")
    out.write(item.name)
    out.write("\"")
    if header.state == .whole, item.field.isList {
      out.write(",\"")
      out.write(item.field.name.member)
      out.write("\":[")
      lists.append(List())
    }
  }

  private mutating func writeValue(_ leaf: FieldRef, _ bytes: Span<UInt8>, to out: inout Output) {
    let isItem = leaf.depth > 0
    let data = bytes.extracting(leaf.range)
    switch leaf.state {
    case .whole:
      if let field = catalog.field(of: leaf) { out.member(field, data) }
    case .unknown, .wrongSize:
      out.write(",\"data\":\"")
      out.hex(data)
      out.write("\"")
    case .cut, .overrun:
      if isItem || catalog.lengthName(of: leaf) != nil {
        out.write(",\"")
        out.write(isItem ? "data_length" : catalog.lengthName(of: leaf)?.member ?? "")
        out.write("\":")
        out.decimal(leaf.declared)
      }
      if leaf.depth > 1 { lists[lists.count - 1].rest = leaf.range } else { restStart = leaf.start }
    }
    if isItem { out.write("}") }
  }

  private mutating func closeLists(downTo depth: Int, _ bytes: Span<UInt8>, to out: inout Output) {
    while lists.count > depth {
      let list = lists.removeLast()
      out.write("]")
      guard !lists.isEmpty else { continue }
      if let rest = list.rest {
        out.write(",\"rest\":\"")
        out.hex(bytes.extracting(rest))
        out.write("\"")
      }
      out.write("}")
    }
  }

  /// Written only where it is not what items and rest add up to.
  private func writeFrameLength(_ bytes: Span<UInt8>, to out: inout Output) {
    guard let list = frameList, let name = catalog.lengthName(of: list.length) else { return }
    var computed = UInt64(frame.end - list.start)
    if restStart == nil { computed = min(computed, list.declared) }
    guard computed != list.declared else { return }
    out.write(",\"")
    out.write(name.member)
    out.write("\":")
    out.decimal(list.declared)
  }
}

extension Output {
  /// A whole value under its name.
  fileprivate mutating func member(_ field: Field, _ data: Span<UInt8>) {
    write(",\"")
    write(field.name.member)
    switch field.content {
    case .integer(_, let meaning):
      write("\":")
      let value = data.number
      decimal(value)
      guard case .code(let names, named: true) = meaning, let name = names[value] else { return }
      write(",\"")
      write(field.name.member)
      write("_name\":")
      jsonString(name)
    case .octets, .items:
      write("\":\"")
      hex(data)
      write("\"")
    case .json:
      if data.isUTF8(0..<data.count) {
        write("\":")
        jsonString(data)
      } else {
        write("_hex\":\"")
        hex(data)
        write("\"")
      }
    }
  }
}

extension Span<UInt8> {
  /// All bytes as one big-endian number.
  var number: UInt64 {
    var value: UInt64 = 0
    for index in indices { value = value << 8 | UInt64(self[index]) }
    return value
  }
}
