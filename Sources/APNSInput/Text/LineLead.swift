/// What chats, shells and logs put before the bytes of a line, or into lines of its own: passed over, or heard where
/// it tells the side.
///
///     # a comment          > a quote           --> 0808   first side      $ xxd frame.bin
///     ``` (a fence)        | a quote           <-- 0808   other side      >>> frame.hex()
///
/// Where `<` marks lines too, `>` marks the first side. A side holds until the next mark.
struct LineLead: Sendable {
  typealias Character = (byte: UInt8, position: TextPosition)

  /// What a decoder lets stand before a line.
  enum Kind {
    case none
    /// Fences, quotes and sides, for formats that pass over other text by themselves.
    case marks
    /// Comments and prompts too.
    case all
  }

  private enum State {
    case start
    /// What is held may still be the line's number or time.
    case prefix
    /// What is held may still be a mark.
    case held
    case passing
    case dropping
  }

  let isDirected: Bool
  /// What every line of this text begins with, and is no data.
  let prefix: LinePrefix?
  /// As the last mark said.
  private(set) var side: Int?
  private var state = State.start
  private var held: [Character] = []
  /// How many of the held characters are the same as the first, from the first on.
  private var run = 0
  private var kind = Kind.all

  /// The line's number or time has been passed, or it has none.
  private var isBehindPrefix = false

  init(isDirected: Bool, prefix: LinePrefix? = nil) {
    self.isDirected = isDirected
    self.prefix = prefix
  }

  var isPassing: Bool { state == .passing }

  /// Tells which characters go to the decoder now.
  mutating func take(
    _ byte: UInt8, at position: TextPosition = TextPosition(line: 1, column: 1), as kind: Kind
  ) -> [Character] {
    if byte == UInt8(ascii: "\n") {
      let rest = finish()
      state = .start
      isBehindPrefix = false
      return rest + [(byte, position)]
    }
    switch state {
    case .passing: return [(byte, position)]
    case .dropping: return []
    case .start:
      guard kind != .none else { return pass((byte, position)) }
      self.kind = kind
      if prefix != nil, !isBehindPrefix {
        held = [(byte, position)]
        state = .prefix
        return settlePrefix()
      }
      if byte.isWhite { return [(byte, position)] }
      guard Self.begins(byte, kind) else { return pass((byte, position)) }
      held = [(byte, position)]
      run = 1
      state = .held
      return settle(isEnd: false)
    case .prefix:
      held.append((byte, position))
      return settlePrefix()
    case .held:
      if run == held.count, byte == held[0].byte { run += 1 }
      held.append((byte, position))
      return settle(isEnd: false)
    }
  }

  private mutating func settlePrefix() -> [Character] {
    switch prefix?.match(held.map(\.byte)) ?? .none {
    case .undecided: return []
    case .whole:
      held = []
      state = .start
      isBehindPrefix = true
      return []
    case .none: return releasePrefix()
    }
  }

  /// The line has no number or time.
  private mutating func releasePrefix() -> [Character] {
    let rest = held
    held = []
    state = .start
    isBehindPrefix = true
    return rest.flatMap { take($0.byte, at: $0.position, as: kind) }
  }

  /// The line or the text ends.
  mutating func finish() -> [Character] {
    let rest = state == .prefix ? releasePrefix() : []
    return rest + (state == .held ? settle(isEnd: true) : [])
  }

  private mutating func pass(_ character: Character) -> [Character] {
    state = .passing
    return [character]
  }

  private static func begins(_ byte: UInt8, _ kind: Kind) -> Bool {
    switch byte {
    case UInt8(ascii: ">"), UInt8(ascii: "<"), UInt8(ascii: "|"), UInt8(ascii: "-"), UInt8(ascii: "`"),
      UInt8(ascii: "~"):
      true
    case UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"): kind == .all
    default: kind == .all && byte.isLetter
    }
  }

  private enum Verdict {
    case undecided
    case data
    case drop
    /// The first `count` characters are a mark.
    case mark(Int, side: Int?)
  }

  private mutating func settle(isEnd: Bool) -> [Character] {
    switch verdict(isEnd: isEnd) {
    case .undecided:
      return []
    case .data:
      defer { held = [] }
      state = .passing
      return held
    case .drop:
      held = []
      state = .dropping
      return []
    case .mark(let count, let side):
      if let side { self.side = side }
      var rest = Array(held[count...])
      if let first = rest.first, first.byte.isWhite { rest.removeFirst() }
      held = []
      state = .start
      return rest.flatMap { take($0.byte, at: $0.position, as: kind) } + (isEnd ? finish() : [])
    }
  }

  private func verdict(isEnd: Bool) -> Verdict {
    let first = held[0].byte
    let next = run < held.count ? held[run].byte : nil
    // A longer run is no mark. Until it ends only its length matters.
    if run > Self.longestMark { return .data }
    switch first {
    case UInt8(ascii: "#"): return .drop
    case UInt8(ascii: "`"), UInt8(ascii: "~"):
      if run == 3 { return .drop }
      return next == nil && !isEnd ? .undecided : .data
    case UInt8(ascii: "$"), UInt8(ascii: "%"):
      guard let next else { return isEnd ? .drop : .undecided }
      return run == 1 && next.isWhite ? .drop : .data
    case UInt8(ascii: "|"):
      guard let next else { return isEnd ? .mark(run, side: nil) : .undecided }
      return next.isWhite ? .mark(run, side: nil) : .data
    case UInt8(ascii: "<"): return answer(isEnd: isEnd)
    case UInt8(ascii: "-"):
      guard let next else { return isEnd ? .data : .undecided }
      return next == UInt8(ascii: ">") && run <= 3 ? .mark(run + 1, side: 0) : .data
    case UInt8(ascii: ">"):
      guard let next else { return isEnd ? .mark(run, side: isDirected ? 0 : nil) : .undecided }
      guard run == 3, next.isWhite else { return .mark(run, side: isDirected ? 0 : nil) }
      // Python's prompt, unless hex digits follow.
      let word = held[(run + 1)...].map(\.byte).prefix { !$0.isWhite }
      guard isEnd || run + 1 + word.count < held.count || word.count > 8 else { return .undecided }
      return word.isHex && word.count % 2 == 0 ? .mark(run, side: nil) : .drop
    default: return prompt(held.map(\.byte), isEnd: isEnd)
    }
  }

  /// Chats nest quotes, but not this deep.
  private static let longestMark = 255

  private func answer(isEnd: Bool) -> Verdict {
    guard run < held.count else { return isEnd ? .mark(run, side: 1) : .undecided }
    if held[run].byte.isWhite { return .mark(run, side: 1) }
    guard run == 1, held[1].byte == UInt8(ascii: "-") else { return .data }
    let dashes = held[1...].prefix { $0.byte == UInt8(ascii: "-") }
    guard dashes.endIndex < held.count || isEnd else { return dashes.count > 3 ? .data : .undecided }
    return .mark(dashes.endIndex, side: 1)
  }

  /// `me@host:~$ xxd frame.bin`
  private func prompt(_ text: [UInt8], isEnd: Bool) -> Verdict {
    let user = text.prefix { $0.isLetter || $0.isDecimalDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    guard user.count < Self.promptLimit, text.count < Self.promptLimit * 4, !isEnd else { return .data }
    guard user.endIndex < text.count else { return .undecided }
    guard text[user.endIndex] == UInt8(ascii: "@") else { return .data }
    guard let last = text.last, last.isWhite, text.count > 1 else { return .undecided }
    let sign = text[text.count - 2]
    return sign == UInt8(ascii: "$") || sign == UInt8(ascii: "#") || sign == UInt8(ascii: "%") ? .drop : .undecided
  }

  private static let promptLimit = 32
}
