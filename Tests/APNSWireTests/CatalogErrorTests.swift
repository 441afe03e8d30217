import APNSWire
import TestSupport
import Testing

/// Frame types that cannot go together are refused in one sentence that names them.
@Suite struct CatalogErrorTests {
  private static func schema(
    _ parts: [FrameSchema.Part], named name: String = "ping", command: Command? = 0x70
  ) -> FrameSchema {
    FrameSchema(name, title: "Ping", role: .provider, command: command, parts: parts, reference: "invented")
  }

  private static let number = Field("sequence", "sequence number", .integer(bytes: 2, .number))
  private static let text = Field("note", "note", .octets)
  private static func list(_ items: [Item]) -> FrameSchema.Part {
    .counted(Field("items", "items", .items(items)), by: .uint16)
  }

  /// This many lists around a number.
  private static func nested(_ lists: Int) -> FrameSchema.Part {
    let field = (0..<lists).reduce(number) { inner, _ in Field("items", "items", .items([Item(1, "a", inner)])) }
    return .counted(field, by: .uint16)
  }

  private static func own(_ role: UInt8, _ name: String) -> FrameSchema {
    FrameSchema(
      "of-\(role)", title: "Own", role: StreamRole(rawValue: role), roleName: name, command: 1, parts: [],
      reference: "invented")
  }

  /// The deepest lists can be walked to the end.
  @Test func takesNestedLists() throws {
    let catalog = try Catalog(validating: [Self.schema([Self.nested(128)])])
    var bytes: [UInt8] = [0xff, 0xff]
    for _ in 0..<128 { bytes = [1, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes }
    bytes = [0x70, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
    var deepest: UInt8 = 0
    let frame = catalog.frame(at: 0, in: bytes.span, of: .provider)
    catalog.forEachField(of: frame, in: bytes.span) { deepest = max(deepest, $0.depth) }
    #expect(frame.end == bytes.count && deepest == 128)
  }

  @Test func takesWhatGoesTogether() throws {
    let ping = Self.schema([.fixed(Self.number), .counted(Self.text, by: .uint8)])
    #expect(try Catalog(validating: Catalog.standard.schemas + [ping])["ping"] != nil)
  }

  @Test(
    arguments: [
      ([schema([.fixed(number)]), schema([.fixed(number)])], ["ping", "two frame types"]),
      ([schema([.fixed(number)], named: "a"), schema([.fixed(number)], named: "b")], ["b", "112"]),
      ([schema([.fixed(number)], named: "a"), schema([.fixed(number)], named: "b", command: nil)], ["b", "112"]),
      ([schema([.fixed(number), .fixed(number)])], ["ping", "sequence"]),
      ([schema([.fixed(Field("offset", "offset", .integer(bytes: 2, .number)))])], ["ping", "offset"]),
      ([schema([.counted(text, by: .uint8, length: FrameSchema.Name("length", "length"))])], ["ping", "length"]),
      ([schema([.fixed(text)])], ["ping", "note"]),
      ([schema([.fixed(Field("big", "big", .integer(bytes: 9, .number)))])], ["big", "9"]),
      ([schema([], named: "empty", command: nil)], ["empty"]),
      ([schema([list([Item(1, "a", text), Item(1, "b", text)])])], ["two items", "1"]),
      ([schema([list([Item(1, "a", text), Item(2, "a", text)])])], ["two items", "a"]),
      (
        [schema([.fixed(Field("id", "id", .integer(bytes: 2, .identifier), role: .identifier))])], ["id", "identifier"]
      ),
      ([schema([.counted(Field("t", "t", .json, role: .token), by: .uint8)])], ["t", "token"]),
      ([schema([.command, .fixed(number)])], ["ping", "command"]),
      ([schema([.fixed(number), .command], command: nil)], ["ping", "command"]),
      ([schema([.counted(number, by: .uint8)])], ["sequence", "length"]),
      ([schema([.counted(text, width: 8, length: FrameSchema.Name("n", "n"))])], ["n", "8", "1, 2 or 4"]),
      ([schema([.counted(text, width: 3, length: FrameSchema.Name("n", "n"))])], ["n", "3"]),
      ([schema([.counted(text, width: 0, length: FrameSchema.Name("n", "n"))])], ["n", "0"]),
      ([schema([.counted(text, width: .min, length: FrameSchema.Name("n", "n"))])], ["n", "\(Int.min)"]),
      ([schema([.counted(text, width: .max, length: FrameSchema.Name("n", "n"))])], ["n", "\(Int.max)"]),
      ([schema([.fixed(Field("n", "n", .integer(bytes: 0, .number)))])], ["n", "0"]),
      ([schema([.fixed(Field("n", "n", .integer(bytes: -1, .number)))])], ["n", "-1"]),
      ([schema([.fixed(Field("n", "n", .integer(bytes: .max, .number)))])], ["n", "\(Int.max)"]),
      ([schema([.fixed(Field("n", "n", .integer(bytes: 1, .code([256: "x"], named: false))))])], ["n", "256"]),
      ([schema([.counted(Field("n", "n", .octets, plausible: -1...2), by: .uint8)])], ["n", "-1"]),
      ([schema([.counted(Field("n", "n", .octets, plausible: 0 ... .max), by: .uint8)])], ["n", "\(Int.max)"]),
      ([schema([.counted(Field("n", "n", .octets, usual: .min), by: .uint8)])], ["n", "\(Int.min)"]),
      ([schema([list([Item(1, "a", Field("n", "n", .integer(bytes: 9, .number)))])])], ["item a", "n", "9"]),
      ([schema([nested(129)])], ["nested", "128"]),
      ([schema((0..<601).map { .fixed(Field("n\($0)", "n", .integer(bytes: 1, .number))) })], ["600"]),
      ([own(3, "relay"), own(4, "relay")], ["relay"]),
    ] as [([FrameSchema], [String])])
  func refusesWhatDoesNot(_ schemas: [FrameSchema], _ words: [String]) {
    let error = #expect(throws: CatalogError.self) { try Catalog(validating: schemas) }
    for word in words { #expect(error?.description.contains(word) == true, "\(word) in \(String(describing: error))") }
  }

  /// Whatever numbers a type has, it is refused, or framing and the field walk read any bytes: nothing traps, frames
  /// tile the stream, and leaves tile the frame.
  @Test func framesAnyBytesByAnyCatalog() {
    var (accepted, refused) = (0, 0)
    for run in 0..<20_000 {
      let seed = runSeed &+ UInt64(run)
      var random = RandomSchema(seed: seed)
      let schema = random.schema()
      guard let catalog = try? Catalog(validating: [schema]) else {
        refused += 1
        continue
      }
      accepted += 1
      let command = schema.command.map { [$0.rawValue] } ?? []
      let streams = [
        command + [UInt8](repeating: 0xff, count: 40), [UInt8](repeating: 0, count: 20),
        command + random.generator.bytes(60), command + random.generator.bytes(60).map { $0 & 3 }, command,
      ]
      for bytes in streams {
        if let fault = fault(of: bytes, catalog, schema.role) { Issue.record("APNSCOPE_SEED=\(seed): \(fault)") }
      }
    }
    #expect(accepted > 2_000 && refused > 2_000, "\(accepted) accepted, \(refused) refused")
  }

  private func fault(of bytes: [UInt8], _ catalog: Catalog, _ role: StreamRole) -> String? {
    var framer = Framer(catalog, role: role)
    var position = 0
    while let frame = framer.next(at: position, in: bytes.span, isFinal: true) {
      guard frame.start == position, frame.end > position else { return "\(frame) at \(position)" }
      position = frame.end
      var leafEnd = frame.start
      catalog.forEachField(of: frame, in: bytes.span) { leaf in
        if leaf.start == leafEnd { leafEnd = leaf.end }
        _ = leaf.integer(in: bytes.span)
      }
      guard leafEnd == frame.end else { return "leaves end at \(leafEnd) in \(frame)" }
      catalog.forEachDefect(of: frame, in: bytes.span) { _ in }
      _ = catalog.isPlausible(frame, in: bytes.span)
    }
    guard position == bytes.count else { return "frames end at \(position)" }
    for edition in Edition.allCases {
      let layouts = FrameLayouts(catalog, edition)
      for start in bytes.indices { _ = layouts.frame(at: start, in: bytes.span) }
    }
    return nil
  }

  /// A frame of another catalog has no type in this one: its bytes are one gap, and nothing traps.
  @Test func foreignFramesHaveNoType() throws {
    let others = (0..<8).map { Self.schema([.fixed(Self.number)], named: "ping\($0)", command: Command(rawValue: $0)) }
    let bytes: [UInt8] = [7, 1, 2]
    let frame = try Catalog(validating: others).frame(at: 0, in: bytes.span, of: .provider)
    #expect(frame.isFrame && frame.condition == .complete)
    let catalog = Catalog.standard
    var leaves: [FieldRef] = []
    catalog.forEachField(of: frame, in: bytes.span) { leaves.append($0) }
    #expect(catalog.schema(of: frame) == nil && leaves.map(\.kind) == [.gap] && leaves.map(\.range) == [0..<3])
    #expect(leaves.allSatisfy { catalog.field(of: $0) == nil && catalog.item(of: $0) == nil })
  }
}
