import APNSInput

/// The notifications that an answer may refer to: those with its identifier, and those with its bytes reversed.
struct AnswerSearch: Sendable {
  let answer: AnswerTable.Entry
  var same = Occurrences()
  var swapped = Occurrences()
  /// The first frame that the service refuses with the answer's status, regardless of its identifier.
  var faulty: Conversation.Named?

  init(_ answer: AnswerTable.Entry) { self.answer = answer }

  /// The occurrences of an identifier. Frames after the answer count only if there are none before it, because a
  /// capture's packets may be out of order.
  struct Occurrences: Sendable {
    private var before = Occurrence()
    private var after = Occurrence()

    mutating func note(_ point: Conversation.Point, late: Bool, isFaulty: Bool, _ named: () -> Conversation.Named) {
      if late { after.note(point, isFaulty, named) } else { before.note(point, isFaulty, named) }
    }

    var chosen: Occurrence { before.count > 0 ? before : after }
    var isOnlyAfter: Bool { before.count == 0 && after.count > 0 }
    var isAlsoAfter: Bool { before.count > 0 && after.count > 0 }
  }

  struct Occurrence: Sendable {
    private(set) var count = 0
    private(set) var first: Conversation.Named?
    /// The point after the last occurrence.
    private(set) var end = Conversation.Point()
    /// The occurrence that violates the status's rule, if only one does.
    var only: Conversation.Named? { faultyCount == 1 ? faulty : nil }
    private var faulty: Conversation.Named?
    private var faultyCount = 0

    mutating func note(_ point: Conversation.Point, _ isFaulty: Bool, _ named: () -> Conversation.Named) {
      count += 1
      end = point
      guard first == nil || (isFaulty && faulty == nil) else {
        if isFaulty { faultyCount += 1 }
        return
      }
      let new = named()
      if first == nil { first = new }
      if isFaulty {
        faulty = new
        faultyCount += 1
      }
    }

    var match: Conversation.Match? {
      guard let first else { return nil }
      if count == 1 { return .exact(first) }
      return only.map { .exact($0) } ?? .several((first.ordinal ?? 0)...end.ordinal, count: count)
    }
  }
}

/// The result of the first reading: the answer of each connection, or a mark that it belongs to the feedback service.
/// An entry has 20 bytes, and there are at most `most`. For further connections, the second reading only reports that
/// they were answered.
struct AnswerTable: Sendable {
  private var entries: [UInt32: Entry] = [:]

  static let most = 1 << 19

  struct Entry: Sendable {
    let status: UInt8
    let isFeedback: Bool
    let input: UInt16
    let identifier: UInt32
    /// The number of the packet; 0 outside captures.
    let packet: UInt32

    init(status: UInt8, identifier: UInt32, from packet: Origin.Packet?) {
      (self.status, self.identifier, isFeedback) = (status, identifier, false)
      input = UInt16(clamping: packet?.input ?? 0)
      self.packet = UInt32(clamping: packet?.number ?? 0)
    }

    static let feedback = Entry()

    private init() { (status, isFeedback, input, identifier, packet) = (0, true, 0, 0, 0) }

    /// Whether a packet was captured after the answer's packet; nil if that is not known.
    func precedes(_ other: Origin.Packet?) -> Bool? {
      guard packet > 0, let other else { return nil }
      return (input, packet) < (UInt16(clamping: other.input), UInt32(clamping: other.number))
    }
  }

  subscript(connection: Int) -> Entry? { entries[UInt32(clamping: connection)] }

  /// Keeps the first answer that refuses something, otherwise the last one.
  mutating func note(_ entry: Entry, of connection: Int) {
    let key = UInt32(clamping: connection)
    if let old = entries[key] {
      if !old.isFeedback, old.status == 0 { entries[key] = entry }
    } else if entries.count < Self.most {
      entries[key] = entry
    }
  }
}
