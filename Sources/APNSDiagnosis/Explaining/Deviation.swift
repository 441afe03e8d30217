/// One way in which a sender's writing differs from the documents, with its price in bits. It is due when a stream
/// shows the deviation for the first time.
struct Deviation: Sendable, Hashable {
  enum Dimension: UInt8, Sendable {
    case command, paddingAfterCommand, commandMissing, commandAdded
    case layout, padding, number, lengthRule, meaning, value, valuePadding, coding
    case itemNumbers, itemWithoutHeader, itemHeaderTwice
    /// A frame does not hold one notification.
    case division
    /// A length that follows no rule, and the length itself.
    case constant
    /// Only some lengths are written in another way.
    case notAllLengths
    case foreign, cut, inserted, interleaved
  }

  /// What is written in another way, in words.
  enum Subject: String, Sendable {
    case frame = "frames"
    case lengths, command, identifier, expiry, priority, token, payload, item
    case frameLength = "frame length"
    case tokenLength = "token length"
    case payloadLength = "payload length"
    case itemLength = "length of an item"
    case otherNumber = "number"
  }

  let dimension: Dimension
  let subject: Subject
  /// The row of the dimension's table, or a number.
  let detail: Int
  let price: Int

  init(_ dimension: Dimension, _ subject: Subject = .frame, _ detail: Int = 0, price: Int) {
    (self.dimension, self.subject, self.detail, self.price) = (dimension, subject, detail, price)
  }

  /// Whether both say the same, possibly of different fields.
  func saysSame(as other: Deviation) -> Bool { dimension == other.dimension && detail == other.detail }

  /// Whether both are the same habit, possibly of different fields. Units for which four bytes have no room are one
  /// with the number that has room for them, and a length that counts a value before it was encoded with its encoding.
  func isSameHabit(as other: Deviation) -> Bool {
    saysSame(as: other)
      || dimension == .meaning && DateMeaning.all[detail].unitsPerSecond > 1
        && other.dimension == .number && other.subject == .expiry
      || dimension == .lengthRule && LengthRule.all[detail].id == .decoded
        && [.coding, .number].contains(other.dimension) && !other.isAboutLengths
  }

  /// Whether a length says another number.
  var isLength: Bool { dimension == .lengthRule || dimension == .constant }

  var isFormatOfLengths: Bool { dimension == .number && subject == .lengths }

  /// Whether it moves values, or makes a length another number.
  var isAboutLengths: Bool {
    switch dimension {
    case .paddingAfterCommand, .commandMissing, .commandAdded, .padding, .lengthRule, .constant, .itemWithoutHeader,
      .itemHeaderTwice:
      true
    case .number: isFormatOfLengths || subject == .frameLength
    default: false
    }
  }

  static func == (one: Deviation, other: Deviation) -> Bool {
    one.dimension == other.dimension && one.subject == other.subject && one.detail == other.detail
  }

  func hash(into hasher: inout Hasher) { hasher.combine(detail) }
}

// The rows of the product, with their prices in bits. A mistake that many senders make costs 6 to 8, one that few make
// costs 9 or 10, and one that other bytes resemble costs more. Tables have the prices of what they list.
extension Deviation {
  /// The command as an ASCII digit; other values of `command` are the byte that was written.
  static let digit = 256

  static func command(_ written: Int) -> Self {
    Self(.command, .command, written, price: written == digit ? 7 : 12)
  }
  static let commandMissing = Self(.commandMissing, .command, price: 9)
  static let commandAdded = Self(.commandAdded, .command, price: 12)
  static func paddingAfterCommand(_ size: Int) -> Self { Self(.paddingAfterCommand, .command, size, price: 15) }
  static func padding(_ size: Int) -> Self { Self(.padding, .frame, size, price: 9) }
  static func layout(_ move: Layout.Move) -> Self { Self(.layout, .frame, move.rawValue, price: move.row.price) }
  static func number(_ subject: Subject, _ format: NumberFormat, width: Int = 0) -> Self {
    // The same fault in a token is the same habit.
    if format == .replaced { return value(subject, .replacedAfterwards) }
    return Self(.number, subject, Int(format.rawValue) << 8 | width, price: format.row.price)
  }
  static func length(_ subject: Subject, _ rule: LengthRule.ID) -> Self {
    length(subject, row: LengthRule.all.firstIndex { $0.id == rule } ?? 0)
  }
  static func length(_ subject: Subject, row: Int) -> Self {
    Self(.lengthRule, subject, row, price: LengthRule.all[row].price)
  }
  /// A length that follows no rule.
  static func anyLength(_ subject: Subject) -> Self { Self(.constant, subject, price: 9) }
  /// The length itself, of `width` bytes; one that is always the same is paid once. No frame has more than 64 KiB.
  static func constant(_ subject: Subject, _ number: Int, width: Int) -> Self {
    Self(.constant, subject, number + 1, price: 8 * (number < 1 << 16 ? min(width, 2) : width) - Price.second)
  }
  /// - Parameter subject: the only length that is written in another way, if there is one.
  static func notAllLengths(_ subject: Subject = .lengths) -> Self { Self(.notAllLengths, subject, price: 6) }
  static func meaning(row: Int) -> Self { Self(.meaning, .expiry, row, price: DateMeaning.all[row].price) }
  static func value(_ subject: Subject, _ fault: ValueFault) -> Self {
    Self(.value, subject, fault.rawValue, price: fault.row.price)
  }
  /// Padding after the payload, which its length counts or does not.
  static func payloadPadding(isCounted: Bool) -> Self {
    Self(.valuePadding, .payload, ValueFault.paddingAfter.rawValue, price: isCounted ? 9 : 10)
  }
  static func coding(_ subject: Subject, _ rows: [Int], price: Int) -> Self {
    let detail = rows.reduce(0) { detail, row in detail << 8 | row + 1 }
    return Self(.coding, subject, detail, price: price)
  }
  static func coding(_ subject: Subject, _ title: Decoder.Title) -> Self {
    coding(subject, [title.row], price: Decoder.plain[title.row].price)
  }
  static func itemNumbers(_ way: ItemNumbers) -> Self { Self(.itemNumbers, .item, way.rawValue, price: way.row.price) }
  static let itemWithoutHeader = Self(.itemWithoutHeader, .item, price: 12)
  static let itemHeaderTwice = Self(.itemHeaderTwice, .item, price: 9)
  static func foreign(_ detail: Int = 0) -> Self { Self(.foreign, .frame, detail, price: Price.foreign) }
  /// - Parameter order: the items of a notification that has a frame for each; none for several in one frame.
  static func division(_ order: [Int] = []) -> Self {
    Self(.division, .item, order.reduce(0) { $0 * FrameForm.mostSlots + $1 + 1 }, price: 9)
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
  /// Two deviations of the cheapest rows.
  static let two = 6 + 6 + second
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

  var isEmpty: Bool { all.isEmpty && foreign.isEmpty }

  func contains(_ deviation: Deviation) -> Bool { all.contains(deviation) }

  /// Adds what the next pieces of the stream show twice.
  mutating func foresee(_ pieces: ArraySlice<Piece>, in bytes: [UInt8]) {
    var once: [Deviation] = []
    var foreignOnce: [ArraySlice<UInt8>] = []
    for piece in pieces {
      if piece.kind == .foreign {
        if foreignOnce.contains(bytes[piece.range]) { foreign = Array(bytes[piece.range]) }
        foreignOnce.append(bytes[piece.range])
      }
      for deviation in piece.deviations where !all.contains(deviation) {
        if once.contains(deviation) { all.append(deviation) } else { once.append(deviation) }
      }
    }
  }

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
