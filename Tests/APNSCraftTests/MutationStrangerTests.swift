import APNSCraft
import APNSDiagnosis
import APNSWire
import TestSupport
import Testing

// Frame types that the project has never heard of: these values are all it takes to mutate them.

private let ping = FrameSchema(
  "ping", title: "Ping", role: .provider, command: 0x70,
  parts: [
    .fixed(Field("sequence", "sequence number", .integer(bytes: 2, .number))),
    .counted(Field("note", "note", .octets), by: .uint8),
    .counted(Field("title", "title", .text), by: .uint8),
    .counted(Field("body", "body", .json, plausible: 2...500), by: .uint16),
  ],
  reference: "invented")

private let envelope = FrameSchema(
  "envelope", title: "Envelope", role: StreamRole(rawValue: 3), command: 0x65,
  parts: [
    .counted(
      Field(
        "items", "items",
        .items([
          Item(1, "label", Field("label", "label", .octets), .required()),
          Item(
            2, "inner",
            Field(
              "inner", "inner list", .items([Item(1, "level", Field("level", "level", .integer(bytes: 2, .number)))]))),
          Item(3, "tag", Field("tag", "tag", .octets), .any),
          Item(4, "late", Field("late", "late", .octets), .required(since: .year2017), since: .year2017),
        ])), by: .uint16),
    .fixed(Field("checksum", "checksum", .integer(bytes: 4, .identifier))),
  ],
  reference: "invented")

@Suite struct MutationStrangerTests {
  private let catalog = Catalog.standard.adding(ping).adding(envelope)

  @Test(arguments: ["ping", "envelope"]) func isMutatedWithoutNewCode(_ type: String) {
    let own = Mutations.all(of: catalog).filter { $0.frameType == type }
    let rules = Set(own.compactMap(\.rule?.id))
    let expected: Set =
      type == "ping"
      ? ["truncated", "unknown-command", "json-cut", "json-utf16", "json-trailing-comma"]
      : [
        "truncated", "unknown-item", "item-overrun", "missing-item", "repeated-item", "wrong-item-size", "spare-bytes",
      ]
    #expect(rules.isSuperset(of: expected))
    var mutations = Mutations(catalog, seed: runSeed, only: Set(own.map(\.name)))
    let definitions = Definitions(catalog)
    var wrong: [String] = []
    for _ in 0..<1_500 {
      let made = mutations.next()
      #expect(made.label.mutator.hasSuffix(type))
      if let fault = made.labelFault(by: definitions) {
        wrong.append("\(made.label.mutator), \(fault): \(made.label.change) \(hex(made.bytes))")
      }
    }
    #expect(wrong.count <= 5, "APNSCOPE_SEED=\(runSeed) \(wrong)")
  }
}
