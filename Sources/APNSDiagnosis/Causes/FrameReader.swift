import APNSWire
import Octets

/// Reads one frame according to a writing. It finds every way to account for all bytes of the frame.
struct FrameReader {
  let variant: FrameVariant
  let context: CauseContext
  /// Whether to assume one lost or added byte.
  let slip: Slipping
  /// Whether to try every token size, because the token's length may be invalid.
  let triesAllTokenSizes: Bool
  private(set) var found: [FrameReading] = []
  /// The current path of the search. Each step removes what it added.
  private var reading: FrameReading

  enum Slipping { case none, lost, added }

  private static let maxFound = 8

  init(_ variant: FrameVariant, _ context: CauseContext) {
    self.variant = variant
    self.context = context
    slip = variant.slip
    reading = FrameReading(at: context.start)
    triesAllTokenSizes = variant.isOwn && variant.index(of: .payload) != nil
  }

  mutating func read(_ bytes: Span<UInt8>) {
    read(0, context.start, bytes)
  }

  private mutating func read(_ step: Int, _ at: Int, _ bytes: Span<UInt8>) {
    guard found.count < Self.maxFound, !context.work.isSpent, at <= context.limit else { return }
    context.work.add(4)
    guard step < variant.writing.steps.count else { return finish(at) }
    switch variant.writing.steps[step] {
    case .command:
      readCommand(step, at, bytes)
    case .bytes(let expected):
      guard bytes.holds(expected, at: at, limit: context.limit) else { return }
      read(step + 1, at + expected.count, bytes)
    case .length(let field):
      let width = variant.fields[field].lengthWidth
      if let declared = number(at, width, bytes) {
        reading.values[field].declared = width > 0 ? declared : nil
        read(step + 1, at + width, bytes)
      }
      reading.values[field].declared = nil
      slip(.length(field), step, at, width, bytes)
    case .value(let field):
      readValue(field, at, bytes) { $0.read(step + 1, $1, $2) }
    case .frameLength:
      let width = variant.writing.frameLengthWidth
      if let declared = number(at, width, bytes) {
        reading.frameLength = width > 0 ? declared : nil
        reading.itemsStart = at + width
        read(step + 1, at + width, bytes)
      }
      reading.frameLength = nil
      reading.itemsStart = at + width + change
      slip(.frameLength, step, at, width, bytes)
    case .items:
      readItems(step, at, bytes)
    }
  }

  /// The difference in size of the part that lost or gained a byte.
  private var change: Int { slip == .lost ? -1 : 1 }

  /// Continues after a part of `width` bytes that lost or gained one byte.
  private mutating func slip(
    _ part: FrameReading.Slip.Part, _ step: Int, _ at: Int, _ width: Int, _ bytes: Span<UInt8>
  ) {
    guard maySlip, width > 0 else { return }
    slipping(part, at) { $0.read(step + 1, at + width + $0.change, bytes) }
  }

  /// Whether a byte may still be lost or added, because none is so far.
  private var maySlip: Bool { slip != .none && reading.slip == nil }

  private mutating func slipping(_ part: FrameReading.Slip.Part, _ at: Int, _ continuation: (inout FrameReader) -> Void)
  {
    reading.slip = FrameReading.Slip(isLost: slip == .lost, part: part, at: at)
    continuation(&self)
    reading.slip = nil
  }

  private mutating func readCommand(_ step: Int, _ at: Int, _ bytes: Span<UInt8>) {
    if at < context.limit, isCommand(bytes[at]) { read(step + 1, at + 1, bytes) }
    guard maySlip else { return }
    // An added byte precedes the command.
    guard slip == .lost || at + 1 < context.limit && isCommand(bytes[at + 1]) else { return }
    slip(.command, step, at, 1, bytes)
  }

  private func isCommand(_ byte: UInt8) -> Bool {
    guard let own = variant.writing.schema.command?.rawValue else { return false }
    switch variant.writing.command {
    case .ofAnotherType:
      guard byte != own, context.catalog.isCommand(byte) else { return false }
      // Without lengths, the layout fits any bytes, also those of a frame that the role may send.
      return variant.writing.schema.hasLengths || !context.catalog.knows(byte, from: context.role)
    case .unknown: return !context.catalog.isCommand(byte)
    case .own, .digit, .byte: return byte == variant.writing.command.byte(for: own)
    }
  }

  /// Reads items in any order until no other item begins.
  private mutating func readItems(_ step: Int, _ at: Int, _ bytes: Span<UInt8>) {
    let hasLengthFirst = variant.writing.items.hasLengthFirst
    var hasNext = false
    for field in variant.fields.indices where !reading.has(field) {
      guard let id = variant.fields[field].id else { continue }
      let width = variant.fields[field].lengthWidth
      let idAt = hasLengthFirst ? at + width : at
      let lengthAt = hasLengthFirst ? at : at + 1
      if idAt < context.limit, bytes[idAt] == id {
        hasNext = true
        readItem(field, lengthAt, at + 1 + width, width, step, bytes)
      }
      guard maySlip, !hasLengthFirst else { continue }
      if slip == .lost {
        // If nothing else identifies it as an item, its length has to be correct.
        guard let declared = number(at, width, bytes),
          declared == variant.fields[field].size ?? 32
            || variant.fields[field].isJSON && at + width < context.limit && bytes[at + width] == UInt8(ascii: "{")
        else { continue }
        slipping(.id(field), at) { $0.readItem(field, at, at + width, width, step, bytes) }
      } else if at + 1 < context.limit, bytes[at + 1] == id {
        slipping(.id(field), at) { $0.readItem(field, at + 2, at + 2 + width, width, step, bytes) }
      }
    }
    guard !hasNext || reading.frameLength == at - reading.itemsStart, hasContents else { return }
    read(step + 1, at, bytes)
  }

  private mutating func readItem(
    _ field: Int, _ lengthAt: Int, _ at: Int, _ width: Int, _ step: Int, _ bytes: Span<UInt8>
  ) {
    if let declared = number(lengthAt, width, bytes) {
      reading.values[field].declared = width > 0 ? declared : nil
      readValue(field, at, bytes) { $0.readItems(step, $1, $2) }
    }
    reading.values[field].declared = nil
    guard maySlip, width > 0 else { return }
    slipping(.length(field), lengthAt) { reader in
      reader.readValue(field, at + reader.change, bytes) { $0.readItems(step, $1, $2) }
    }
  }

  private var hasContents: Bool {
    var hasSome = false
    for index in variant.fields.indices {
      switch variant.fields[index].role {
      case .token, .payload:
        if !reading.has(index) { return false }
        hasSome = true
      case .status: hasSome = true
      default: break
      }
    }
    return hasSome
  }

  private typealias Continuation = (inout FrameReader, Int, Span<UInt8>) -> Void

  /// Tries each offset at which the value may end.
  private mutating func readValue(
    _ index: Int, _ at: Int, _ bytes: Span<UInt8>, _ continuation: Continuation
  ) {
    let field = variant.fields[index]
    let declared = reading.values[index].declared
    let open = OpenValue(field: index, start: at)
    if let size = field.size {
      let coded = field.isVerbatim ? nil : variant.writing.fields[index].coding.end(at, bytes)
      let end = coded.map { min($0, declared.map { at + $0 } ?? $0) } ?? at + size
      close(open, at: end, bytes, continuation)
      slip(open, at: at + size + change, bytes, continuation)
      return
    }
    guard at < context.limit else { return }
    if field.isJSON {
      readJSON(field, declared, open, bytes, continuation)
    } else {
      readOctets(field, declared, open, bytes, continuation)
    }
  }

  private mutating func readJSON(
    _ field: FrameVariant.Shape, _ declared: Int?, _ open: OpenValue, _ bytes: Span<UInt8>, _ continuation: Continuation
  ) {
    let at = open.start
    guard field.isVerbatim else {
      for end in [declared.map { at + $0 }, field.countsDecoded ? context.objectEnd(ofAnyText: at, in: bytes) : nil] {
        if let end { close(open, at: end, bytes, continuation) }
      }
      return
    }
    guard bytes[at] == UInt8(ascii: "{") else { return }
    let claimed = declared.map { at + $0 }
    if let end = context.objectEnd(at: at, in: bytes) {
      switch field.hasRest ? variant.writing.fields[open.field].rest : .nothing {
      case .nothing:
        // White space that the length counts is part of the text.
        var text = end
        if let claimed, claimed <= min(end + 2, context.limit), bytes.isBlank(from: end, to: claimed) {
          text = claimed
        }
        close(open, at: text, bytes, continuation)
        slip(open, at: end, bytes, continuation)
      case .bytes(let rest):
        // White space that the length counts is part of the text.
        guard bytes.holds(rest, at: end, limit: context.limit),
          claimed != end + rest.count || !bytes.isBlank(from: end, to: end + rest.count)
        else { return }
        close(open, at: end, rest: rest.count, bytes, continuation)
      case .anything:
        guard let claimed, claimed > end + 2, claimed <= context.limit, bytes.isText(end..<claimed) else { return }
        close(open, at: end, rest: claimed - end, bytes, continuation)
      }
    }
    // A missing or extra byte may break the JSON text.
    guard slip != .none, let claimed, claimed + change > at, claimed + change <= context.limit,
      bytes[claimed + change - 1] == UInt8(ascii: "}")
    else { return }
    slip(open, at: claimed + change, bytes, continuation)
  }

  private mutating func readOctets(
    _ field: FrameVariant.Shape, _ declared: Int?, _ open: OpenValue, _ bytes: Span<UInt8>, _ continuation: Continuation
  ) {
    let at = open.start
    guard field.role == .token else {
      if let declared { close(open, at: at + declared, bytes, continuation) }
      return
    }
    let usual = field.usual ?? 32
    guard field.isVerbatim else {
      let sizes = [declared ?? -1, variant.writing.fields[open.field].coding.end(at, bytes).map { $0 - at } ?? -1]
      for (index, size) in sizes.enumerated() where size > 0 && size <= 256 && (index == 0 || size != sizes[0]) {
        close(open, at: at + size, bytes, continuation)
      }
      return
    }
    close(open, at: at + usual, bytes, continuation)
    if let declared, declared != usual, 1...CauseContext.longestToken ~= declared {
      close(open, at: at + declared, bytes, continuation)
    }
    slip(open, at: at + usual + change, bytes, continuation)
    guard triesAllTokenSizes, found.isEmpty else { return }
    for size in 0...CauseContext.longestToken
    where size != usual && size != declared && mayFollowToken(at + size, open, bytes) {
      close(open, at: at + size, bytes, continuation)
    }
  }

  /// Whether a token of any size may end at this offset: a payload or an item follows, or nothing has to.
  private func mayFollowToken(_ end: Int, _ open: OpenValue, _ bytes: Span<UInt8>) -> Bool {
    if let width = variant.lengthAfterToken {
      return end + width < context.limit && bytes[end + width] == UInt8(ascii: "{")
    }
    guard end < context.limit, let payload = variant.index(of: .payload),
      variant.fields[payload].id != nil, !reading.has(payload)
    else { return true }
    return variant.fields.contains { $0.id == bytes[end] }
  }

  /// A value whose end is not known yet.
  private struct OpenValue {
    let field: Int
    let start: Int
  }

  /// Continues after a value that ends at `end`.
  private mutating func close(
    _ open: OpenValue, at end: Int, rest: Int = 0, _ bytes: Span<UInt8>, _ continuation: Continuation
  ) {
    guard end + rest <= context.limit, end >= open.start else { return }
    let before = reading.values[open.field]
    reading.add(open.field, FrameReading.Value(start: open.start, end: end, declared: before.declared, rest: rest))
    continuation(&self, end + rest, bytes)
    reading.removeLast(before)
  }

  /// Continues after a value that ends at `end` and lost or gained a byte.
  private mutating func slip(_ open: OpenValue, at end: Int, _ bytes: Span<UInt8>, _ continuation: Continuation) {
    guard maySlip else { return }
    slipping(.value(open.field), open.start) { $0.close(open, at: end, bytes, continuation) }
  }

  private mutating func finish(_ end: Int) {
    guard hasContents, end > context.start else { return }
    var reading = reading
    reading.end = end
    found.append(reading)
  }

  private func number(_ at: Int, _ width: Int, _ bytes: Span<UInt8>) -> Int? {
    guard at + width <= context.limit else { return nil }
    return width == 0 ? 0 : Int(min(bytes.bigEndian(at, width: width), 1 << 32))
  }
}

extension Span<UInt8> {
  /// Whether the text ends like a payload and has no control characters.
  fileprivate func isText(_ range: Range<Int>) -> Bool {
    self[range.upperBound - 1] == UInt8(ascii: "}") && range.allSatisfy { self[$0] >= 0x20 }
  }

  fileprivate func isBlank(from start: Int, to end: Int) -> Bool {
    guard start < end else { return false }
    for index in start..<end where self[index] != 0x0a && self[index] != 0x0d && self[index] != 0x20 { return false }
    return true
  }
}
