import APNSPayload
import APNSWire

/// Writes the members of a frame's object: complete fields by name, items in wire order, and the bytes from the first
/// incomplete field on as `rest`. So the object has every byte of the frame exactly once.
struct FrameMembers: Sendable {
  let catalog: Catalog
  private let text: RecordText

  init(_ catalog: Catalog, _ text: RecordText) {
    self.catalog = catalog
    self.text = text
  }

  func write(_ frame: FrameRef, _ bytes: Span<UInt8>, to out: inout Output) {
    var state = State()
    catalog.forEachField(of: frame, in: bytes) { leaf in
      guard state.restStart == nil else { return }
      if Int(leaf.depth) < state.openLists { closeLists(downTo: Int(leaf.depth), &state, bytes, to: &out) }
      write(leaf, &state, bytes, to: &out)
    }
    closeLists(downTo: 0, &state, bytes, to: &out)
    writeFrameLength(of: frame, state, bytes, to: &out)
    if let start = state.restStart, start < frame.end { out.member("rest", hex: bytes.extracting(start..<frame.end)) }
  }

  /// What is written of a frame so far.
  private struct State {
    /// The index of the first byte that goes to `rest`.
    var restStart: Int?
    /// The number of open lists of items; a nested list is within the object of an item.
    var openLists = 0
    /// For each open list but the outermost: the spare bytes or the cut item after its items.
    var rests: [Range<Int>?] = []
    /// The length of the frame's own list.
    var listLength: FieldRef?
    var itemID: UInt8 = 0
  }

  @inline(__always)
  private func write(_ leaf: FieldRef, _ state: inout State, _ bytes: Span<UInt8>, to out: inout Output) {
    switch leaf.kind {
    case .command:
      break
    case .length:
      guard leaf.state == .whole else {
        state.restStart = leaf.start
        return
      }
      if text.fields[Int(leaf.field)].kind == .list {
        state.listLength = leaf
        out.write(text.text, text.fields[Int(leaf.field)].key)
        state.openLists = 1
      }
    case .itemID:
      state.itemID = bytes[leaf.start]
    case .itemLength:
      beginItem(leaf, &state, to: &out)
    case .gap:
      setAside(leaf, &state)
    case .value:
      writeValue(leaf, &state, bytes, to: &out)
    }
  }

  /// Writes the beginning of an item's object.
  @inline(__always)
  private func beginItem(_ header: FieldRef, _ state: inout State, to out: inout Output) {
    out.comma()
    guard header.item != FieldRef.none else {
      out.byte(UInt8(ascii: "{"))
      return out.member("id", Int(state.itemID))
    }
    let item = text.items[Int(header.item)]
    out.write(text.text, item.head)
    guard !item.list.isEmpty, header.state == .whole else { return }
    out.write(text.text, item.list)
    state.openLists += 1
    state.rests.append(nil)
  }

  @inline(__always)
  private func writeValue(_ leaf: FieldRef, _ state: inout State, _ bytes: Span<UInt8>, to out: inout Output) {
    let data = bytes.extracting(leaf.range)
    switch leaf.state {
    case .whole:
      if leaf.field != FieldRef.none { writeMember(leaf, data, to: &out) }
    case .unknown, .wrongSize:
      out.member("data", hex: data)
    case .cut, .overrun:
      writeLength(of: leaf, to: &out)
      setAside(leaf, &state)
    }
    if leaf.depth > 0 { out.byte(UInt8(ascii: "}")) }
  }

  /// Writes a complete value by its name.
  @inline(__always)
  private func writeMember(_ leaf: FieldRef, _ data: Span<UInt8>, to out: inout Output) {
    let member = text.fields[Int(leaf.field)]
    switch member.kind {
    case .number:
      out.write(text.text, member.key)
      out.decimal(data.number)
    case .named:
      out.write(text.text, member.key)
      out.decimal(data.number)
      writeName(leaf, data.number, to: &out)
    case .octets:
      out.write(text.text, member.key)
      out.hex(data)
      out.byte(UInt8(ascii: "\""))
    case .text:
      let start = out.count
      out.write(text.text, member.key)
      guard !out.jsonString(data) else { return }
      out.cut(to: start)
      out.write(text.text, member.otherKey)
      out.hex(data)
      out.byte(UInt8(ascii: "\""))
    case .list:
      // Its items are fields themselves.
      break
    }
  }

  private func writeName(_ leaf: FieldRef, _ value: UInt64, to out: inout Output) {
    guard case .integer(_, .code(let names, named: true)) = catalog.fields[Int(leaf.field)].content,
      let name = names[value]
    else { return }
    out.write(text.text, text.fields[Int(leaf.field)].otherKey)
    out.jsonString(name)
  }

  /// Writes the declared length of an incomplete value.
  private func writeLength(of leaf: FieldRef, to out: inout Output) {
    guard let name = leaf.depth > 0 ? "data_length" : catalog.lengthName(of: leaf)?.member else { return }
    out.key(name)
    out.decimal(leaf.declared)
  }

  private func setAside(_ leaf: FieldRef, _ state: inout State) {
    if leaf.depth > 1 { state.rests[state.rests.count - 1] = leaf.range } else { state.restStart = leaf.start }
  }

  private func closeLists(downTo depth: Int, _ state: inout State, _ bytes: Span<UInt8>, to out: inout Output) {
    while state.openLists > depth {
      state.openLists -= 1
      out.byte(UInt8(ascii: "]"))
      guard state.openLists > 0 else { continue }
      if let rest = state.rests.removeLast() { out.member("rest", hex: bytes.extracting(rest)) }
      out.byte(UInt8(ascii: "}"))
    }
  }

  /// Writes the declared length of the frame, unless it is the size of the items and `rest`.
  private func writeFrameLength(of frame: FrameRef, _ state: State, _ bytes: Span<UInt8>, to out: inout Output) {
    guard let length = state.listLength else { return }
    let declared = length.integer(in: bytes) ?? 0
    var computed = UInt64(frame.end - length.end)
    if state.restStart == nil { computed = min(computed, declared) }
    guard computed != declared, let name = catalog.lengthName(of: length) else { return }
    out.key(name.member)
    out.decimal(declared)
  }
}

extension Span<UInt8> {
  /// The bytes as a big-endian number.
  @inline(__always)
  var number: UInt64 {
    var value: UInt64 = 0
    for index in indices { value = value << 8 | UInt64(self[index]) }
    return value
  }
}
