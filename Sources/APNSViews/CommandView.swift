import APNSDiagnosis
import APNSWire
import Octets

/// Writes each record as the `apnscope encode` command line that produces it, including wrong lengths and damage.
///
/// If every item of a frame occurs once, in the documented order and with its documented size, the items are written as
/// flags of their fields, otherwise as `--item` flags. A frame that flags cannot express is written as `--hex`.
public struct CommandView: View {
  public static var showsEachAlone: Bool { true }
  private let catalog: Catalog
  private let command: String

  /// `command`: what each command line begins with.
  public init(_ catalog: Catalog, command: String = "apnscope encode") {
    (self.catalog, self.command) = (catalog, command)
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    switch record.content {
    case .frame(let frame, let condition): write(frame, isDamaged: condition != nil, bytes, to: &out)
    case .unparsed: out.encodeLines(bytes)
    case .gap: out.write("# gap: \(plural(record.count, "byte")) missing\n")
    case .overlap(let offset):
      out.write("# overlap: other bytes for \(offset): ")
      out.hex(bytes)
      out.write("\n")
    }
  }

  private func write(_ frame: FrameRef, isDamaged: Bool, _ bytes: Span<UInt8>, to out: inout Output) {
    guard let schema = catalog.schema(of: frame),
      let usesItems = usesItems(frame, of: schema, isDamaged: isDamaged, bytes)
    else { return out.encodeLines(bytes) }
    out.write(command)
    let isOnly = catalog.schemas.count { $0.command == schema.command } == 1
    if let command = schema.command, isOnly {
      out.write(" --command \(command.rawValue)")
    } else {
      out.write(" --type \(schema.name)")
    }
    var itemSize = 0
    let rest = catalog.forEachMemberBeforeRest(of: frame, in: bytes) { member in
      // An item that is cut goes to the rest with its header.
      if member.kind == .cut, member.leaf.depth > 0 { itemSize = Item.headerSize }
      write(member, of: frame, usesItems: usesItems, bytes, to: &out)
    }
    if isDamaged {
      out.write(frame.condition == .complete ? " --condition malformed" : " --condition truncated")
      if let rest, rest.lowerBound - itemSize < rest.upperBound {
        out.write(" --rest ")
        out.hex(bytes.extracting((rest.lowerBound - itemSize)..<rest.upperBound))
      }
    }
    out.write("\n")
  }

  /// Whether items are written as `--item` flags, not as flags of their fields; nil if flags cannot express the frame.
  private func usesItems(
    _ frame: FrameRef, of schema: FrameSchema, isDamaged: Bool, _ bytes: Span<UInt8>
  ) -> Bool? {
    if frame.count > EncodeFlag.mostBytes { return nil }
    if let last = schema.parts.last, isDamaged, schema.hasList, !last.isList { return nil }
    let names = schema.parts.compactMap(\.field?.name) + schema.items.map(\.field.name)
    var (usesItems, needsHex, count, last) = (false, false, 0, -1)
    catalog.forEachMember(of: frame, in: bytes) { member in
      let leaf = member.leaf
      if leaf.depth > 1 { needsHex = true }
      switch member.kind {
      case .command, .length, .value, .cut, .cutLength, .spare: break
      case .item:
        count += 1
        guard let item = catalog.item(of: leaf) else { break }
        // No flag would be written for a nested list without items.
        if item.field.isList { needsHex = true }
        // `encode` writes items in the documented order, and a flag sets only the first field of its name.
        let isUnique = names.count { $0.member == item.field.name.member } == 1
        if Int(leaf.item) <= last || !isUnique { usesItems = true }
        last = Int(leaf.item)
      case .data: if leaf.depth == 1 { usesItems = true }
      }
    }
    // `--item` adds to the first list, and `--rest` follows the last one.
    if usesItems || isDamaged, schema.parts.count(where: \.isList) > 1 { needsHex = true }
    return needsHex || count > Self.mostItems ? nil : usesItems
  }

  /// With more items, the pointers to the arguments would exceed the kernel's limit.
  private static let mostItems = 1000

  private func write(
    _ member: Member, of frame: FrameRef, usesItems: Bool, _ bytes: Span<UInt8>, to out: inout Output
  ) {
    let leaf = member.leaf
    let data = bytes.extracting(leaf.range)
    switch member.kind {
    case .command, .item, .cutLength, .spare:
      break
    case .length:
      let isList = catalog.fields[Int(leaf.field)].isList
      if isList, frame.condition != .complete { writeLength(leaf, data.number, to: &out) }
    case .cut:
      if leaf.depth == 0 { writeLength(leaf, UInt64(leaf.declared), to: &out) }
    case .value, .data:
      if leaf.depth == 0 || !usesItems { return writeValue(member, data, to: &out) }
      out.write(" --item \(member.id)=")
      out.hex(data)
    }
  }

  /// Writes a length if the value has one.
  private func writeLength(_ leaf: FieldRef, _ value: UInt64, to out: inout Output) {
    guard let name = catalog.lengthName(of: leaf) else { return }
    out.write(" --length \(name.member)=\(value)")
  }

  private func writeValue(_ member: Member, _ data: Span<UInt8>, to out: inout Output) {
    let field = catalog.fields[Int(member.leaf.field)]
    let prefix = EncodeFlag.prefix(for: field.name.member)
    switch field.content {
    case .integer:
      out.write(prefix)
      out.decimal(data.number)
    case .octets, .items: writeHex(prefix, data, to: &out)
    case .text, .json:
      if out.quoted(data, after: prefix) { return }
      writeHex(EncodeFlag.prefix(for: field.name.member + "_hex"), data, to: &out)
    }
  }

  private func writeHex(_ prefix: String, _ data: Span<UInt8>, to out: inout Output) {
    out.write(prefix)
    if data.isEmpty { out.write("''") }
    out.hex(data)
  }
}

extension Output {
  /// Writes command lines that together produce any bytes.
  fileprivate mutating func encodeLines(_ bytes: Span<UInt8>) {
    for start in stride(from: 0, to: bytes.count, by: EncodeFlag.mostBytes) {
      write("apnscope encode --hex ")
      hex(bytes.extracting(start..<min(start + EncodeFlag.mostBytes, bytes.count)))
      write("\n")
    }
  }

  /// Writes text in single quotes. Writes nothing and returns false if it cannot be printed unchanged on a terminal or
  /// passed through a shell.
  fileprivate mutating func quoted(_ data: Span<UInt8>, after prefix: String) -> Bool {
    // After a leading @, `encode` expects the name of a file.
    guard !data.isEmpty, data[0] != UInt8(ascii: "@") else { return false }
    let before = count
    printable(data, 0..<data.count)
    // An escape is longer than the bytes it replaces.
    let isPrintable = count - before == data.count
    cut(to: before)
    guard isPrintable else { return false }
    // A value that begins with a hyphen needs an equals sign before it.
    let isFlagLike = data[0] == UInt8(ascii: "-") && prefix.hasSuffix(" ")
    write(isFlagLike ? String(prefix.dropLast()) + "=" : prefix)
    shellQuoted(data)
    return true
  }
}
