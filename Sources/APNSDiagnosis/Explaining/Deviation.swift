/// One way in which a sender's writing differs from the documents, with its price in bits. It is due when a stream
/// shows the deviation for the first time.
struct Deviation: Sendable, Hashable {
  enum Dimension: UInt8, Sendable {
    case command, paddingAfterCommand, commandMissing, commandAdded
    case layout, padding, number, lengthRule, meaning, value, valuePadding, coding
    case itemNumbers, itemWithoutHeader, itemHeaderTwice
    /// A length that follows no rule, and the length itself.
    case constant
    /// Only some lengths are written in another way.
    case notAllLengths
    case foreign, cut, inserted, interleaved
  }

  /// What is written in another way.
  enum Subject: UInt8, Sendable {
    case frame, command, lengths, frameLength, tokenLength, payloadLength, itemLength
    case identifier, expiry, priority, otherNumber, token, payload, item
  }

  let dimension: Dimension
  let subject: Subject
  /// The row of the dimension's table, or a number.
  let detail: Int
  let price: Int

  init(_ dimension: Dimension, _ subject: Subject = .frame, _ detail: Int = 0, price: Int) {
    (self.dimension, self.subject, self.detail, self.price) = (dimension, subject, detail, price)
  }

  /// Whether both are the same habit, possibly of different fields.
  func isSameHabit(as other: Deviation) -> Bool { dimension == other.dimension && detail == other.detail }

  static func == (one: Deviation, other: Deviation) -> Bool {
    one.dimension == other.dimension && one.subject == other.subject && one.detail == other.detail
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(dimension)
    hasher.combine(subject)
    hasher.combine(detail)
  }
}

/// What a deviation costs, in bits.
enum Price {
  /// A deviation that the stream has shown before.
  static let again = 1
  /// The same habit in another field.
  static let anotherField = 4
  /// Each deviation after the first: two bugs at once are rarer than one.
  static let second = 8
  /// Two writers: less likely than a deviation of one.
  static let interleaved = 18
  /// The start of foreign bytes.
  static let foreign = 12
  /// A result that is repaired is better than each other result by at least this much.
  static let margin = 12
}

/// The deviations that a stream has shown.
struct KnownDeviations: Sendable, Equatable {
  private(set) var all: [Deviation] = []
  /// The foreign bytes that came last.
  var foreign: [UInt8] = []

  func contains(_ deviation: Deviation) -> Bool { all.contains(deviation) }

  /// Pays for a deviation. Returns its price here.
  mutating func pay(_ deviation: Deviation) -> Int {
    if all.contains(deviation) { return Price.again }
    if deviation.dimension != .constant, all.contains(where: deviation.isSameHabit) {
      all.append(deviation)
      return Price.anotherField
    }
    let isSecond = deviation.price > 0 && all.contains { $0.price > 0 }
    all.append(deviation)
    return deviation.price + (isSecond ? Price.second : 0)
  }
}
