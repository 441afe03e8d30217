import APNSDiagnosis
import APNSWire
import Octets

/// Writes each record as the `apnscope encode` command line that produces it, including wrong lengths and damage.
public struct CommandView: View {
  public static var showsEachAlone: Bool { true }
  private let catalog: Catalog
  /// By ``FieldRef/field``: the text that precedes the value, such as ` --token `.
  private let prefixes: [String]

  /// What each command line begins with.
  private let command: String

  /// - Parameters:
  ///   - catalog: The frame types that the records were decoded with.
  ///   - command: What each command line begins with.
  public init(_ catalog: Catalog, command: String = "apnscope encode") {
    self.catalog = catalog
    self.command = command
    prefixes = catalog.fields.map { EncodeFlag.prefix(for: $0.name.member) }
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    switch record.content {
    case .frame(let frame, let condition):
      let flags = CommandFlags(catalog, prefixes, frame, isDamaged: condition != nil)
      flags.write(bytes, after: command, to: &out)
    case .unparsed:
      out.encodeLines(bytes)
    case .gap:
      out.write("# gap: \(plural(record.count, "byte")) missing\n")
    case .overlap(let offset):
      out.write("# overlap: other bytes for \(offset): ")
      out.hex(bytes)
      out.write("\n")
    }
  }
}

/// The flags of one frame.
///
/// If every item occurs once, in the documented order and with its documented size, the items are written as flags of
/// their fields, otherwise as `--item` flags. A frame that flags cannot express is written as `--hex`.
private struct CommandFlags {
  private let catalog: Catalog
  private let prefixes: [String]
  private let frame: FrameRef
  private let isDamaged: Bool
  /// The items so far, as indices in the documented list.
  private var rows: [Int] = []
  private var itemCount = 0
  private var usesItems = false
  private var needsHex = false
  private var restStart: Int?
  /// With more items, the pointers to the arguments would exceed the kernel's limit.
  private static let mostItems = 1000

  init(_ catalog: Catalog, _ prefixes: [String], _ frame: FrameRef, isDamaged: Bool) {
    self.catalog = catalog
    self.prefixes = prefixes
    self.frame = frame
    self.isDamaged = isDamaged
  }

  func write(_ bytes: Span<UInt8>, after command: String, to out: inout Output) {
    guard let schema = catalog.schema(of: frame) else { return out.encodeLines(bytes) }
    var state = self
    catalog.forEachField(of: frame, in: bytes) { state.inspect($0, of: schema, bytes) }
    if let last = schema.parts.last, isDamaged, schema.hasList, !last.isList { state.needsHex = true }
    // The kernel limits the size of all arguments together, too.
    if state.needsHex || frame.count > Output.longestLine { return out.encodeLines(bytes) }
    out.write(command)
    let isOnly = catalog.schemas.filter { $0.command == schema.command }.count == 1
    if let command = schema.command, isOnly {
      out.write(" --command \(command.rawValue)")
    } else {
      out.write(" --type \(schema.name)")
    }
    catalog.forEachField(of: frame, in: bytes) { state.write($0, bytes, to: &out) }
    if isDamaged {
      out.write(frame.condition == .complete ? " --condition malformed" : " --condition truncated")
      if let start = state.restStart { out.hexFlags(" --rest ", bytes.extracting(start..<frame.end)) }
    }
    out.write("\n")
  }

  private mutating func inspect(_ leaf: FieldRef, of schema: FrameSchema, _ bytes: Span<UInt8>) {
    if leaf.depth > 1 { needsHex = true }
    let isWhole = leaf.state != .cut && leaf.state != .overrun
    if leaf.kind == .value, isWhole, leaf.count > EncodeFlag.longestArgument { needsHex = true }
    if leaf.depth == 1, leaf.kind == .value, leaf.state == .unknown || leaf.state == .wrongSize { usesItems = true }
    if leaf.kind == .itemID {
      itemCount += 1
      if itemCount > Self.mostItems { needsHex = true }
    }
    guard leaf.kind == .itemID, let item = catalog.item(of: leaf) else { return }
    // No flag would be written for a nested list without items.
    if item.field.isList { needsHex = true }
    // `encode` writes items in the documented order, and a flag sets only the first field of its name.
    let row = schema.itemRows.firstIndex { $0.id == item.id } ?? 0
    if let last = rows.last, last >= row { usesItems = true }
    rows.append(row)
    let namesakes = schema.itemRows.count { $0.field.name.member == item.field.name.member }
    let isNamedInFrame = schema.parts.contains { $0.field?.name.member == item.field.name.member }
    if namesakes > 1 || isNamedInFrame { usesItems = true }
  }

  private mutating func write(_ leaf: FieldRef, _ bytes: Span<UInt8>, to out: inout Output) {
    guard restStart == nil else { return }
    let data = bytes.extracting(leaf.range)
    let isWhole = leaf.state != .cut && leaf.state != .overrun
    switch leaf.kind {
    case .command, .itemID, .itemLength:
      break
    case .gap:
      restStart = leaf.start
    case .length:
      guard isWhole else {
        restStart = leaf.start
        return
      }
      if frame.condition != .complete, catalog.field(of: leaf)?.isList == true {
        writeLength(leaf, data.number, to: &out)
      }
    case .value where leaf.depth == 1:
      guard isWhole else {
        restStart = leaf.start - Item.headerSize
        return
      }
      if usesItems {
        out.write(" --item \(bytes[leaf.start - Item.headerSize])=")
        out.hex(data)
      } else {
        writeValue(leaf, data, to: &out)
      }
    case .value:
      guard isWhole else {
        // Only a value with a length declares how many bytes it should have.
        if catalog.lengthName(of: leaf) != nil { writeLength(leaf, UInt64(leaf.declared), to: &out) }
        restStart = leaf.start
        return
      }
      writeValue(leaf, data, to: &out)
    }
  }

  private func writeLength(_ leaf: FieldRef, _ value: UInt64, to out: inout Output) {
    guard let name = catalog.lengthName(of: leaf) else { return }
    out.write(" --length \(name.member)=\(value)")
  }

  private func writeValue(_ leaf: FieldRef, _ data: Span<UInt8>, to out: inout Output) {
    guard leaf.field != FieldRef.none else { return }
    let (field, prefix) = (catalog.fields[Int(leaf.field)], prefixes[Int(leaf.field)])
    switch field.content {
    case .integer:
      out.write(prefix)
      out.decimal(data.number)
    case .octets, .items: writeHex(prefix, data, to: &out)
    case .text, .json:
      if out.quoted(data, after: prefix) { return }
      if let text = data.shellQuoted {
        // A value that begins with a hyphen needs an equals sign before it.
        let isFlagLike = text.hasPrefix("'-") && prefix.hasSuffix(" ")
        out.write(isFlagLike ? String(prefix.dropLast()) + "=" + text : prefix + text)
      } else {
        writeHex(EncodeFlag.prefix(for: field.name.member + "_hex"), data, to: &out)
      }
    }
  }

  private func writeHex(_ prefix: String, _ data: Span<UInt8>, to out: inout Output) {
    out.write(prefix)
    if data.isEmpty { out.write("''") }
    out.hex(data)
  }
}

extension FrameSchema {
  fileprivate var itemRows: [Item] {
    for part in parts { if case .items(let items)? = part.field?.content { return items } }
    return []
  }
}

extension Span<UInt8> {
  /// The text in single quotes; nil if it cannot be printed unchanged on a terminal or passed through a shell.
  fileprivate var shellQuoted: String? {
    // After a leading @, `encode` expects the name of a file.
    guard !isEmpty, isUTF8(0..<count), self[0] != UInt8(ascii: "@") else { return nil }
    var bytes: [UInt8] = []
    bytes.append(contentsOf: self)
    let text = String(decoding: bytes, as: UTF8.self)
    return text.unicodeScalars.contains { $0.isUnsafeToPrint } ? nil : quotedForShell(text)
  }
}

extension Output {
  /// The largest number of bytes in one command line: their digits are a quarter of Linux's limit for all arguments.
  fileprivate static let longestLine = 1 << 18

  /// Writes command lines that together produce any bytes.
  fileprivate mutating func encodeLines(_ bytes: Span<UInt8>) {
    for start in stride(from: 0, to: bytes.count, by: Self.longestLine) {
      write("apnscope encode")
      hexFlags(" --hex ", bytes.extracting(start..<min(start + Self.longestLine, bytes.count)))
      write("\n")
    }
  }

  /// Repeats the flag so that no argument is too long for the kernel.
  fileprivate mutating func hexFlags(_ flag: StaticString, _ bytes: Span<UInt8>) {
    let size = EncodeFlag.longestArgument / 2
    for start in stride(from: 0, to: bytes.count, by: size) {
      write(flag)
      hex(bytes.extracting(start..<min(start + size, bytes.count)))
    }
  }
}

extension Output {
  /// Writes text in single quotes if it needs no escapes, as most text does. Otherwise writes nothing and returns
  /// false.
  fileprivate mutating func quoted(_ data: Span<UInt8>, after prefix: String) -> Bool {
    guard !data.isEmpty, data[0] != UInt8(ascii: "@"), data[0] != UInt8(ascii: "-") else { return false }
    for index in data.indices where data[index] == UInt8(ascii: "'") { return false }
    let before = count
    write(prefix)
    byte(UInt8(ascii: "'"))
    let start = count
    printable(data, 0..<data.count)
    // An escape is longer than the bytes it replaces.
    guard count - start == data.count else {
      cut(to: before)
      return false
    }
    byte(UInt8(ascii: "'"))
    return true
  }
}
