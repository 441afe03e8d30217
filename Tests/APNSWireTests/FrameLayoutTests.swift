import APNSWire
import TestSupport
import Testing

/// The shortcut to the values of ordinary frames agrees with framing and the field walk.
@Suite struct FrameLayoutTests {
  /// A notification with an item that only this catalog documents, and a frame type with a length of one byte.
  private static let strangersCatalog = Catalog.standard
    .adding(Notification.schema.adding(Item(9, "extra", Field("extra", "extra", .octets, plausible: 1...3))))
    .adding(
      FrameSchema(
        "ping", title: "Ping", role: .provider, command: 0x70,
        parts: [
          .counted(.deviceToken, by: .uint8), .fixed(Field("mood", "mood", .integer(bytes: 1, .number))),
          .counted(.payload, by: .uint16),
        ], reference: "invented"))

  @Test(arguments: Edition.allCases) func agreesWithFraming(_ edition: Edition) {
    var random = RandomStream(seed: runSeed)
    let tally = compare(.standard, edition) { random.any() }
    for schema in Catalog.standard.schemas where schema.role == .provider && schema.since <= edition {
      #expect(tally.ordinary[schema.name, default: 0] * 20 > tally.frames, "\(tally)")
    }
    #expect(tally.plausible * 2 > tally.ordinary.values.reduce(0, +), "\(tally)")
  }

  @Test(arguments: Edition.allCases) func agreesWithFramingByAStrangersCatalog(_ edition: Edition) {
    var random = RandomStream(seed: runSeed &+ 1)
    let tally = compare(Self.strangersCatalog, edition) {
      guard random.generator.chance(30) else { return random.any() }
      let ping = [0x70, 32] + random.generator.bytes(33) + [0, 8] + Array(#"{"a":[]}"#.utf8)
      return random.generator.chance(50) ? ping + random.notification() : random.mutated(ping + ping)
    }
    #expect(tally.ordinary["ping", default: 0] * 20 > tally.frames, "\(tally)")
    if edition >= Notification.schema.since { #expect(tally.extraItems > 0, "\(tally)") }
  }

  /// What was compared, to see that it was not too little.
  private struct Tally {
    /// Complete frames that follow each other in the streams.
    var frames = 0
    /// Those with an ordinary layout, by frame type.
    var ordinary: [String: Int] = [:]
    var plausible = 0
    /// Items that only the stranger's catalog documents.
    var extraItems = 0
  }

  /// Compares at every offset of random streams.
  private func compare(
    _ catalog: Catalog, _ edition: Edition, streams: Int = 1500, _ stream: () -> [UInt8]
  ) -> Tally {
    let layouts = FrameLayouts(catalog, edition)
    var tally = Tally()
    for _ in 0..<streams {
      let bytes = stream()
      var next = 0
      for start in bytes.indices {
        let frame = catalog.frame(at: start, in: bytes.span, of: .provider)
        let isNext = start == next
        if isNext {
          next = frame.end
          if frame.condition == .complete { tally.frames += 1 }
        }
        guard let values = layouts.frame(at: start, in: bytes.span) else { continue }
        if let difference = difference(between: values, and: frame, catalog, bytes) {
          Issue.record("APNSCOPE_SEED=\(runSeed) \(edition) at \(start) of \(bytes): \(difference)")
          return tally
        }
        guard isNext else { continue }
        tally.ordinary[catalog.schemas[Int(frame.schema)].name, default: 0] += 1
        if catalog.isPlausible(frame, in: bytes.span) { tally.plausible += 1 }
        catalog.forEachField(of: frame, in: bytes.span) { leaf in
          if leaf.kind == .itemID, catalog.item(of: leaf)?.name == "extra" { tally.extraItems += 1 }
        }
      }
    }
    return tally
  }

  /// What differs; nil if the layout and the frame agree.
  private func difference(
    between values: FrameValues, and frame: FrameRef, _ catalog: Catalog, _ bytes: [UInt8]
  ) -> String? {
    guard frame.condition == .complete else { return "framing says \(frame.condition)" }
    guard frame.end == values.end, frame.schema == values.schema else { return "another end or type" }
    for role in Field.Role.allCases where role != .other {
      let leaf = catalog.leaf(role, of: frame, in: bytes.span)
      let found = values[role].isEmpty ? nil : values[role]
      guard leaf?.range == found, leaf?.state ?? .whole == .whole else { return "another \(role)" }
    }
    // All sizes are ordinary, so the values alone decide.
    let payload = bytes[values[.payload]]
    let isObject = payload.first == UInt8(ascii: "{") && payload.last == UInt8(ascii: "}") && !payload.contains(0)
    let isPriority = values[.priority].isEmpty || [5, 10].contains(bytes[values[.priority].lowerBound])
    guard catalog.isPlausible(frame, in: bytes.span) == (isObject && isPriority) else { return "another plausibility" }
    return nil
  }
}
