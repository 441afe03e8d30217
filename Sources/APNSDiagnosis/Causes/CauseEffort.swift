/// What a stream may spend on searches: a fixed amount for each of its bytes, and a loan from what all streams share. So a
/// stream of nothing but invalid frames, and many thousand short ones, cost no more than their length.
struct CauseEffort: Sendable {
  /// In the units of ``SearchWork``. The last search may overdraw it.
  private(set) var left = 0
  /// What it has spent of the loan.
  private var debt = 0
  /// No brace is before this offset, counted from where the last search ended.
  private var braceFreeEnd = 0

  private static let most = 1 << 20
  private static let perByte = 24
  /// What all streams share: enough for a thousand that spend all that they may.
  static let shared = 1 << 27
  private static let highestDebt = 1 << 17

  var isLeft: Bool { left > 0 }

  /// More of the stream is framed.
  mutating func earn(_ bytes: Int) { left = min(left + bytes * Self.perByte, Self.most) }

  mutating func spend(_ work: Int) { left -= work }

  /// For one search, since a stream may not have earned enough yet. Returns the loan.
  mutating func borrow(from shared: inout Int) -> Int {
    let loan = min(shared, Self.highestDebt - debt)
    left += loan
    shared -= loan
    return loan
  }

  /// Gives back what the search has left of the loan.
  mutating func giveBack(_ loan: Int, to shared: inout Int) {
    let rest = max(0, min(left, loan))
    left -= rest
    shared += rest
    debt += loan - rest
  }

  /// Whether a payload may begin in these bytes, the first of which is at `offset` in the stream. They overlap from frame
  /// to frame, but each is inspected once.
  mutating func seesPayload(in bytes: Span<UInt8>, at offset: Int) -> Bool {
    var index = max(0, braceFreeEnd - offset)
    while index < bytes.count, bytes[index] != UInt8(ascii: "{") { index += 1 }
    braceFreeEnd = max(braceFreeEnd, offset + index)
    return index < bytes.count
  }
}

/// Counts what a search costs; a unit is about a nanosecond. Independent of the clock, so that results are repeatable.
final class SearchWork {
  private(set) var done = 0
  private let limit: Int
  /// Where objects end, by where they may begin: many bugs ask for the same. Negative where none does.
  private var objects: [(start: Int, end: Int)] = []

  /// The same for the last text whose encoding did not matter.
  var textEnd: (start: Int, end: Int?)?

  init(limit: Int) { self.limit = limit }

  func object(at start: Int) -> Int? { objects.first { $0.start == start }?.end }

  func note(object start: Int, end: Int) {
    if objects.count < 64 { objects.append((start, end)) }
  }

  var isSpent: Bool { done >= limit }

  func add(_ units: Int) { done += units }
}
