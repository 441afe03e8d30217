/// The budget of a stream for searches: a fixed amount per byte, and a loan from a budget that all streams share. This
/// keeps the cost of a stream linear in its length, even if it consists of invalid frames, or if there are thousands of
/// short streams.
struct CauseEffort: Sendable {
  /// The remaining budget in units of about a nanosecond, which do not depend on the clock, so that results are
  /// repeatable. The last search may overdraw it.
  private(set) var left = 0
  /// The part of the loan that the stream has spent.
  private var debt = 0

  private static let most = 1 << 22
  private static let perByte = 32
  /// The shared budget. It covers the full debt of 512 streams.
  static let shared = 1 << 32
  private static let highestDebt = 1 << 23

  /// Adds the budget for bytes that were framed.
  mutating func earn(_ bytes: Int) { left = min(left + bytes * Self.perByte, Self.most) }

  mutating func spend(_ work: Int) { left -= work }

  /// Borrows for one search, because a young stream may not have earned enough. Returns the loan.
  mutating func borrow(from shared: inout Int) -> Int {
    let loan = min(shared, Self.highestDebt - debt)
    left += loan
    shared -= loan
    return loan
  }

  /// Returns the unspent part of the loan.
  mutating func giveBack(_ loan: Int, to shared: inout Int) {
    let rest = max(0, min(left, loan))
    left -= rest
    shared += rest
    debt += loan - rest
  }
}
