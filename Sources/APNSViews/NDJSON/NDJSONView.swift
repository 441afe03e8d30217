import APNSDiagnosis
import APNSWire

/// Writes each record as a JSON object on one line (schema 1), for other programs. ``NDJSONReader`` reads it back to
/// the same bytes.
public struct NDJSONView: View {
  public static var showsEachAlone: Bool { true }
  /// The number of the schema, which a change raises that would break readers.
  public static let schema = 1

  private let catalog: Catalog
  private let names: RecordNames
  private let isArray: Bool
  private let inputs: [String]
  private var isFirst = true

  /// `asArray`: writes one JSON array of the objects. The names of the inputs are written if there are several.
  public init(_ catalog: Catalog, asArray: Bool = false, inputs: [String] = []) {
    self.inputs = inputs
    self.catalog = catalog
    names = RecordNames(catalog)
    self.isArray = asArray
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    if isArray { out.write(isFirst ? "[\n" : ",\n") }
    isFirst = false
    writeObject(record, bytes, to: &out)
    if !isArray { out.write("\n") }
  }

  public mutating func finish(to out: inout Output) {
    if isArray { out.write(isFirst ? "[]\n" : "\n]\n") }
  }

  /// Writes the object of a record without a line end. If `bytes` is nil, it has no values from the bytes.
  package func writeObject(_ record: Record, _ bytes: Span<UInt8>?, to out: inout Output) {
    switch record.content {
    case .frame(let frame, let condition):
      if let type = catalog.index(of: frame) {
        out.write(names.types[type].head)
        out.decimal(record.offset)
      } else {
        writeHead(of: "frame", record, to: &out)
      }
      out.member("length", record.count)
      out.member("condition", condition?.rawValue)
      if condition == .truncated { out.member("needed", frame.needed) }
      if let bytes { writeMembers(of: frame, bytes, to: &out) }
    case .unparsed(let reason):
      writeHead(of: "unparsed", record, to: &out)
      out.member("length", record.count)
      if let bytes { out.member("hex", hex: bytes) }
      out.member("reason", reason)
    case .gap:
      writeHead(of: "gap", record, to: &out)
      out.member("missing", record.count)
    case .overlap(let offset):
      writeHead(of: "overlap", record, to: &out)
      out.member("at", offset)
      if let bytes { out.member("hex", hex: bytes) }
    }
    out.originMembers(of: record, inputs)
    if !record.findings.isEmpty { out.objects("findings", record.findings) { $0.findingMembers($1) } }
    out.write("}")
  }

  private func writeHead(of type: StaticString, _ record: Record, to out: inout Output) {
    out.write(RecordNames.opening)
    out.write(type)
    out.write("\"")
    out.member("offset", record.offset)
  }
}

// The members of a frame: complete fields by name, items in wire order, and the bytes from the first incomplete field
// on as `rest`. So the object has every byte of the frame exactly once.
extension NDJSONView {
  /// What is written of a frame so far.
  private struct State {
    /// The number of open lists of items; a nested list is in the object of an item.
    var openLists = 0
    /// The length of the frame's own list.
    var listLength: FieldRef?
  }

  private func writeMembers(of frame: FrameRef, _ bytes: Span<UInt8>, to out: inout Output) {
    var state = State()
    let rest = catalog.forEachMemberBeforeRest(of: frame, in: bytes) { member in
      if Int(member.leaf.depth) < state.openLists { closeLists(downTo: Int(member.leaf.depth), &state, to: &out) }
      write(member, &state, bytes, to: &out)
    }
    closeLists(downTo: 0, &state, to: &out)
    if let length = state.listLength { writeLength(length, of: frame, isComplete: rest == nil, bytes, to: &out) }
    if let rest, !rest.isEmpty { out.member("rest", hex: bytes.extracting(rest)) }
  }

  @inline(__always)
  private func write(_ member: Member, _ state: inout State, _ bytes: Span<UInt8>, to out: inout Output) {
    let leaf = member.leaf
    switch member.kind {
    // They follow from the type and the values, or go to `rest`.
    case .command, .cutLength: return
    case .length:
      guard names.fields[Int(leaf.field)].kind == .list else { return }
      state.listLength = leaf
      state.openLists = 1
      return out.write(names.keys[Int(leaf.field)].value)
    case .item: return beginItem(member, &state, to: &out)
    case .spare: break
    case .cut: writeLength(ofCut: leaf, to: &out)
    case .data: out.member("data", hex: bytes.extracting(leaf.range))
    case .value: writeValue(member, bytes.extracting(leaf.range), to: &out)
    }
    if leaf.depth > 0, member.kind != .spare { out.byte(UInt8(ascii: "}")) }
    // The bytes are the last of a nested list, which is in the object of an item.
    guard leaf.depth > 1, member.isRest else { return }
    out.byte(UInt8(ascii: "]"))
    out.member("rest", hex: bytes.extracting(leaf.range))
    out.byte(UInt8(ascii: "}"))
    state.openLists -= 1
  }

  /// Writes the beginning of an item's object.
  @inline(__always)
  private func beginItem(_ header: Member, _ state: inout State, to out: inout Output) {
    out.comma()
    guard header.leaf.item != FieldRef.none else {
      out.byte(UInt8(ascii: "{"))
      return out.member("id", Int(header.id))
    }
    let item = names.items[Int(header.leaf.item)]
    out.write(item.head)
    guard names.fields[item.field].kind == .list, header.leaf.state == .whole else { return }
    out.write(names.keys[item.field].value)
    state.openLists += 1
  }

  @inline(__always)
  private func writeValue(_ member: Member, _ data: Span<UInt8>, to out: inout Output) {
    let index = Int(member.leaf.field)
    let start = out.count
    out.write(names.keys[index].value)
    switch names.fields[index].kind {
    case .number: out.decimal(data.number)
    case .named:
      out.decimal(data.number)
      guard case .integer(_, .code(let words, _))? = catalog.field(of: member.leaf)?.content,
        let word = words[data.number]
      else { return }
      out.write(names.keys[index].other)
      out.jsonString(word)
    case .octets:
      out.hex(data)
      out.byte(UInt8(ascii: "\""))
    case .text, .json:
      if out.jsonString(data) { return }
      out.cut(to: start)
      out.write(names.keys[index].other)
      out.jsonString(hex: data)
    // Its items are members themselves.
    case .list: out.cut(to: start)
    }
  }

  /// Writes the declared length of an incomplete value.
  private func writeLength(ofCut leaf: FieldRef, to out: inout Output) {
    guard let name = leaf.depth > 0 ? "data_length" : catalog.lengthName(of: leaf)?.member else { return }
    out.key(name)
    out.decimal(leaf.declared)
  }

  /// Writes the declared length of the frame's list, unless it is the size of the items and `rest`.
  private func writeLength(
    _ length: FieldRef, of frame: FrameRef, isComplete: Bool, _ bytes: Span<UInt8>, to out: inout Output
  ) {
    let declared = length.integer(in: bytes) ?? 0
    var computed = UInt64(frame.end - length.end)
    if isComplete { computed = min(computed, declared) }
    guard computed != declared, let name = catalog.lengthName(of: length) else { return }
    out.key(name.member)
    out.decimal(declared)
  }

  private func closeLists(downTo depth: Int, _ state: inout State, to out: inout Output) {
    while state.openLists > depth {
      out.byte(UInt8(ascii: "]"))
      state.openLists -= 1
      if state.openLists > 0 { out.byte(UInt8(ascii: "}")) }
    }
  }
}
