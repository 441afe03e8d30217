import APNSPayload
import APNSWire
import Octets

let writersInterleaved = RootCause(
  .writersInterleaved, "two writers write to one connection at the same time",
  why: "Parts of one frame are inside another, and the service can read neither.",
  fix: "let only one writer use the connection, or hold a lock from a frame's first byte to its last",
  source: "inferred from the bytes: put back together from their pieces, the frames are complete", .interleaving)

/// The search for two frames whose pieces alternate. A piece ends at the end of a field, or where a buffer of a common
/// size is full.
struct Interleaving {
  private let context: CauseContext
  private let cut: Cut
  private var steps = 0
  private var spans: [(range: Range<Int>, isWhole: Bool)] = []
  private let writings: [Writing]
  private var frames: [(order: Int, bytes: [UInt8])] = []

  private enum Cut {
    case fields
    case blocks(Int)
    static let all = [Cut.fields, .blocks(16), .blocks(32), .blocks(64), .blocks(100)]
  }

  /// In bits: more than one change of a frame, less than an edit of its bytes.
  static let cost = 18

  private static let maxSteps = 1500

  private init(_ context: CauseContext, _ writings: [Writing], _ cut: Cut) {
    self.writings = writings
    self.context = context
    self.cut = cut
  }

  /// The part of a frame that one writer has written.
  private struct Partial {
    var bytes: [UInt8] = []
    var start = 0
    /// The number of bytes up to the next cut.
    var wants: Int
    /// Whether pieces of the other frame are between its own.
    var isCut = false
    /// The position of the frame among all frames, by their first bytes.
    var order = 0
  }

  private enum Progress {
    case complete
    /// The number of bytes up to the next cut.
    case wants(Int)
    case impossible
  }

  /// Reassembles the frames from the context's start on.
  static func solve(_ context: CauseContext, _ writings: [Writing], cause: Int, _ bytes: Span<UInt8>) -> Explanation? {
    for cut in Cut.all {
      var search = Interleaving(context, writings, cut)
      if let found = search.solve(cause, bytes) { return found }
    }
    return nil
  }

  private mutating func solve(_ cause: Int, _ bytes: Span<UInt8>) -> Explanation? {
    guard let end = step(from: context.start, idle, idle, count: 0, bytes) else { return nil }
    let found = frames.sorted { $0.order < $1.order }.map(\.bytes)
    let whole = spans.filter(\.isWhole).map(\.range).sorted { $0.lowerBound < $1.lowerBound }
    return Explanation(
      cause: cause, end: end, cost: Self.cost, completeFrames: whole,
      evidence: "put back together from their pieces, these bytes are \(plural(found.count, "complete frame"))",
      repaired: found.flatMap { $0 })
  }

  /// The offset at which all frames are complete. A writer continues as long as possible, because an incorrect choice
  /// shows within a few fields.
  private mutating func step(
    from position: Int, _ active: Partial, _ other: Partial, count: Int, _ bytes: Span<UInt8>
  ) -> Int? {
    steps += 1
    guard steps < Self.maxSteps, !context.work.isSpent else { return nil }
    let isIdle = active.bytes.isEmpty
    if isIdle, other.bytes.isEmpty, position > context.start {
      return spans.contains { !$0.isWhole } ? position : nil
    }
    // Continue with this writer.
    let size = min(active.wants, context.limit - position)
    if size > 0, let end = write(size, from: position, active, other, count: count, bytes) { return end }
    // Otherwise, switch to the other writer.
    guard !(isIdle && other.bytes.isEmpty) else { return nil }
    var waiting = active
    if !isIdle { waiting.isCut = true }
    let wanted = min(other.wants, context.limit - position)
    guard wanted > 0 else { return nil }
    return write(wanted, from: position, other, waiting, count: count, bytes)
  }

  private mutating func write(
    _ size: Int, from position: Int, _ writer: Partial, _ other: Partial, count: Int,
    _ bytes: Span<UInt8>
  ) -> Int? {
    var writer = writer
    var count = count
    if writer.bytes.isEmpty {
      // Most bytes cannot begin a frame. Check that before copying.
      guard context.catalog.knows(bytes[position], from: context.role) else { return nil }
      writer = idle
      writer.start = position
      writer.order = count
      count += 1
    }
    let end = position + size
    writer.bytes.append(contentsOf: bytes.extracting(position..<end))
    context.work.add(128 + writer.bytes.count)
    switch progress(writer.bytes) {
    case .impossible:
      return nil
    case .wants(let wanted):
      writer.wants = wanted
      return step(from: end, writer, other, count: count, bytes)
    case .complete:
      let keep = frames.count
      frames.append((writer.order, writer.bytes))
      spans.append((writer.start..<end, !writer.isCut))
      if let found = step(from: end, idle, other, count: count, bytes) { return found }
      frames.removeSubrange(keep...)
      spans.removeSubrange(keep...)
      return nil
    }
  }

  /// A writer before its first byte.
  private var idle: Partial {
    switch cut {
    case .fields: Partial(wants: 1)
    case .blocks(let size): Partial(wants: size)
    }
  }

  /// How much of a frame exists, and whether it can be a frame at all.
  private func progress(_ bytes: [UInt8]) -> Progress {
    let span = bytes.span
    let frame = context.catalog.frame(at: 0, in: span, of: context.role)
    guard frame.isFrame, context.catalog.isPlausible(frame, in: span) else { return .impossible }
    guard frame.condition == .complete || frame.condition == .truncated, frame.end == bytes.count else {
      return .impossible
    }
    var next = 0
    var isPossible = true
    var seen = 0
    let expectations = context.catalog.expectations
    context.catalog.forEachField(of: frame, in: span) { leaf in
      if leaf.state == .cut, next == 0 { next = leaf.declared - leaf.count }
      if leaf.kind == .itemID {
        let bit = 1 << min(Int(span[leaf.start]), 62)
        if seen & bit != 0 { isPossible = false }
        seen |= bit
      }
      guard leaf.kind == .value, leaf.count > 0, leaf.field != FieldRef.none else { return }
      let expected = expectations[Int(leaf.field)]
      if expected.isJSON, let error = JSONScanner.firstError(in: span, range: leaf.range) {
        if leaf.state == .whole || error.code != .unexpectedEnd { isPossible = false }
      }
      if leaf.depth > 0, !expected.fits(leaf.declared) { isPossible = false }
    }
    guard isPossible else { return .impossible }
    if frame.condition == .complete {
      // A frame without a payload could be any bytes.
      return context.catalog.leaf(.payload, of: frame, in: span) == nil ? .impossible : .complete
    }
    switch cut {
    case .fields:
      // Between two fields, the next part is a number of known size or a length.
      return .wants(
        next > 0 ? next : writings.first { $0.schema.command?.rawValue == bytes[0] }?.nextStep(after: bytes.count) ?? 1
      )
    case .blocks(let size):
      let toBlock = size - bytes.count % size
      return .wants(frame.endIsKnown ? min(toBlock, frame.needed) : toBlock)
    }
  }
}
