import APNSInput
import APNSViews
import APNSWire

/// The laws of reading and decoding for arbitrary bytes. Each function returns a violation, or nil. Property tests and
/// fuzz targets share them.
public enum Law: String, CaseIterable, Sendable {
  case tiling, lossless, progress, prefix, chunking, builder, independence, captureFile, link, reassembly, text, filter
  case outputs, dialogue, lines, assignment, causes, redact, mutate, minimize

  public func violation(_ bytes: [UInt8]) -> String? {
    switch self {
    case .tiling: Self.tiling(bytes)
    case .lossless: Self.lossless(bytes)
    case .progress: Self.progress(bytes)
    case .prefix: Self.prefix(bytes)
    case .chunking: Self.chunking(bytes)
    case .builder: Self.builder(bytes)
    case .independence: Self.independence(bytes)
    case .captureFile: Self.captureFile(bytes)
    case .link: Self.link(bytes)
    case .reassembly: Self.reassembly(bytes)
    case .text: Self.text(bytes)
    case .filter: FilterLaw.violation(bytes)
    case .outputs: Self.outputs(bytes)
    case .dialogue: Self.dialogue(bytes)
    case .lines: Self.lines(bytes)
    case .assignment: Self.assignment(bytes)
    case .causes: Self.causes(bytes)
    case .redact: Self.redact(bytes)
    case .mutate: Self.mutate(bytes)
    case .minimize: Self.minimize(bytes)
    }
  }

  static let roles: [StreamRole] = [.provider, .gateway, .feedback]

  private static func framesOf(_ bytes: [UInt8], _ role: StreamRole) -> [FrameRef] {
    var framer = Framer(.standard, role: role)
    var frames: [FrameRef] = []
    while let frame = framer.next(at: frames.last?.end ?? 0, in: bytes.span, isFinal: true) { frames.append(frame) }
    return frames
  }

  /// Frames tile the stream, leaves tile the frame.
  private static func tiling(_ bytes: [UInt8]) -> String? {
    for role in roles {
      var position = 0
      for frame in framesOf(bytes, role) {
        guard frame.start == position else { return "\(role): a frame at \(frame.start), not at \(position)" }
        var leafStart = frame.start
        var broken: FieldRef?
        Catalog.standard.forEachField(of: frame, in: bytes.span) { leaf in
          if leaf.start != leafStart, broken == nil { broken = leaf }
          leafStart = leaf.end
        }
        if let broken { return "\(role): a leaf at \(broken.start) that no other ends at" }
        guard leafStart == frame.end else { return "\(role): leaves end at \(leafStart), the frame at \(frame.end)" }
        position = frame.end
      }
      guard position == bytes.count else { return "\(role): frames end at \(position) of \(bytes.count)" }
    }
    return nil
  }

  /// Converting bytes to NDJSON and back gives the same bytes, for every role.
  private static func lossless(_ bytes: [UInt8]) -> String? {
    for (role, recovers) in [(nil, true), (nil, false)] + roles.map({ (Optional($0), true) }) {
      let text = Shown.ndjson(bytes, role: role, recovers: recovers)
      do {
        let back = try encodedBytes(ndjson: text)
        if back != bytes { return "\(role.map(\.description) ?? "auto"): \(back) from \(text)" }
      } catch {
        return "\(role.map(\.description) ?? "auto"): \(error) in \(text)"
      }
    }
    return nil
  }

  /// Every step of framing advances by at least one byte.
  private static func progress(_ bytes: [UInt8]) -> String? {
    for role in roles {
      for start in bytes.indices {
        let frame = Catalog.standard.frame(at: start, in: bytes.span, of: role)
        guard frame.start == start, frame.end > start else { return "\(role): no step at \(start)" }
      }
    }
    return nil
  }

  /// A prefix of a complete frame is truncated, with the minimum number of missing bytes.
  private static func prefix(_ bytes: [UInt8]) -> String? {
    for role in roles {
      for frame in framesOf(bytes, role).prefix(3) where frame.condition == .complete {
        let whole = Array(bytes[frame.range])
        for count in 1..<min(whole.count, 400) {
          let cut = Array(whole[..<count])
          let found = Catalog.standard.frame(at: 0, in: cut.span, of: role)
          guard found.condition == .truncated, found.end == count else {
            return "\(role): \(count) bytes of \(whole) are \(found)"
          }
          let needed = HandDecoder.frames(cut, role: role.description)[0].needed
          guard found.needed == needed, needed >= 1, count + needed <= whole.count else {
            return "\(role): \(count) bytes of \(whole) need \(found.needed), not \(needed)"
          }
        }
      }
    }
    return nil
  }

  /// The boundaries of chunks do not affect the result.
  private static func chunking(_ bytes: [UInt8]) -> String? {
    let whole = Shown.ndjson(bytes)
    let believed = Shown.ndjson(bytes, recovers: false)
    var generator = SeededGenerator(seed: bytes.reduce(UInt64(bytes.count)) { $0 &* 31 &+ UInt64($1) })
    let some = bytes.indices.filter { _ in generator.chance(20) }
    for cuts in [Array(bytes.indices), some] {
      let pieces = Shown.ndjson(bytes, cuts: cuts)
      if pieces != whole { return "cut at \(cuts): \(pieces) instead of \(whole)" }
      let structural = Shown.ndjson(bytes, recovers: false, cuts: cuts)
      if structural != believed { return "cut at \(cuts), lengths believed: \(structural) instead of \(believed)" }
    }
    return nil
  }

  /// A built frame decodes to the values that it was built from. The bytes seed the choice of values.
  private static func builder(_ bytes: [UInt8]) -> String? {
    var generator = SeededGenerator(seed: bytes.reduce(UInt64(bytes.count)) { $0 &* 131 &+ UInt64($1) })
    for schema in Catalog.standard.schemas {
      let draft = FrameDraft.random(schema, using: &generator)
      guard let built = try? draft.bytes() else { return "\(schema.name) is not built" }
      let frame = Catalog.standard.frame(at: 0, in: built.span, of: schema.role)
      guard frame.condition == .complete, frame.end == built.count,
        Catalog.standard.schema(of: frame)?.name == schema.name
      else { return "\(schema.name) decodes to \(frame)" }
      var read: [String: FieldDraft] = [:]
      var items: [ItemDraft] = []
      Catalog.standard.forEachField(of: frame, in: built.span) { leaf in
        guard leaf.kind == .value else { return }
        let data = Array(built[leaf.range])
        let field = Catalog.standard.field(of: leaf)
        if leaf.depth > 0 {
          items.append(ItemDraft(ItemID(rawValue: built[leaf.start - 3]), data: .octets(data)))
        } else if let field {
          read[field.name.member] = leaf.isNumber(field) ? .integer(leaf.integer(in: built.span) ?? 0) : .octets(data)
        }
      }
      if schema.hasList { read["items"] = .items(items) }
      if read != draft.values { return "\(schema.name): \(read) instead of \(draft.values)" }
      guard let decoded = FrameDraft(built, as: schema), (try? decoded.bytes()) == built else {
        return "\(schema.name): the decoded draft does not build \(built)"
      }
      // An explicit length is written unchanged.
      for part in schema.parts {
        guard case .counted(let field, let width, let length) = part else { continue }
        var changed = draft
        let value = generator.next() >> UInt64(64 - width * 8)
        changed.lengths[length.member] = value
        guard let bytes = try? changed.bytes() else { return "\(length.member)=\(value) is not written" }
        let differing = built.count == bytes.count ? zip(built, bytes).filter { $0 != $1 }.count : 99
        if differing > width { return "\(field.name.member): a lie changed \(differing) bytes" }
      }
    }
    return nil
  }

  /// A decoder written by hand finds the same frames and values.
  private static func independence(_ bytes: [UInt8]) -> String? {
    for role in roles {
      var frames: [HandDecoder.Frame] = []
      for frame in framesOf(bytes, role) {
        if !frame.isFrame {
          frames.append(HandDecoder.Frame(type: "unknown", start: frame.start, end: bytes.count))
          break
        }
        frames.append(described(frame, bytes))
      }
      let expected = HandDecoder.frames(bytes, role: role.description)
      if frames != expected { return "\(role): \(frames) instead of \(expected)" }
    }
    return nil
  }

  private static func described(_ frame: FrameRef, _ bytes: [UInt8]) -> HandDecoder.Frame {
    let catalog = Catalog.standard
    var described = HandDecoder.Frame(
      type: catalog.schema(of: frame)?.name ?? "", start: frame.start, end: frame.end, needed: frame.needed)
    catalog.forEachField(of: frame, in: bytes.span) { leaf in
      guard leaf.kind == .value, leaf.state != .cut, leaf.state != .overrun else { return }
      let isItem = leaf.depth > 0
      described.values.append(
        HandDecoder.Value(
          name: isItem ? "item" : catalog.field(of: leaf)?.name.member ?? "", id: isItem ? bytes[leaf.start - 3] : nil,
          range: leaf.range))
    }
    return described
  }
}

extension FieldRef {
  fileprivate func isNumber(_ field: Field) -> Bool { field.size != nil }
}

extension FrameDraft {
  static func random(_ schema: FrameSchema, using generator: inout SeededGenerator) -> FrameDraft {
    var draft = FrameDraft(schema)
    for case let field? in schema.parts.map(\.field) {
      switch field.content {
      case .integer(let size, _): draft.values[field.name.member] = .integer(generator.next() >> UInt64(64 - size * 8))
      case .octets, .text, .json: draft.values[field.name.member] = .octets(generator.bytes(Int(generator.next() % 50)))
      case .items(let rows):
        let items = (0..<Int(generator.next() % 7)).map { _ in
          ItemDraft(
            (rows.randomElement(using: &generator)?.id) ?? 1, data: .octets(generator.bytes(Int(generator.next() % 9))))
        }
        draft.values[field.name.member] = .items(items)
      }
    }
    return draft
  }
}
