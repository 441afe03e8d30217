/// Bytes as a list of numbers, as programs write and print them. Negative numbers are signed bytes.
///
///     unsigned char frame[] = { 0x08, 0x8, /* status */ 0x00 };        byteArrayOf(0x08, 0xD2.toByte())
///     byte[] frame = {0x08, (byte) 0xD2, 0};                           [8u8, 210u8]    [8 210 0]    <<8,210,"aps">>
///       db 08h, 0d2h        .byte 0x08, 0xd2                           0x08, 0xd2      8 210 0
///
/// Brackets of any kind with at least two numbers are a list. Any text may surround it. Each item has one number, which
/// may be inside a cast or a call or have a type. Once a list has begun, an error in it is reported.
struct NumberList: Sendable {
  /// The contents of a bracket, or of a list without brackets.
  private struct Group {
    enum Kind: Equatable {
      case bracket(closing: UInt8)
      /// A text that begins with a number.
      case bare
      /// A line of assembler with a directive.
      case directive
      /// The right side of an assignment, up to the end of its line.
      case assigned
    }

    let kind: Kind
    let start: TextPosition
    /// The first number, which is only data if another one follows.
    var first: Number?
    /// The number of items that were data.
    var count = 0
    /// The group contains a list, so its own numbers are not data.
    var isCall = false
    /// The number of the current item.
    var number: Number?
    /// The group contains only numbers.
    var isPlain = true
    /// The current item is a string of bytes.
    var isString = false
    /// Whether two numbers make a list; otherwise they are arguments of a call.
    var mayBeList = true
    /// A word or label, which is only valid if the item continues.
    var word: (first: UInt8, position: TextPosition)?
    /// The next word is a type or method name, or a size, and is skipped.
    var skipsNext = false

    var isList: Bool { first != nil || count > 0 }
  }

  private struct Number {
    let value: UInt8
    let position: TextPosition
    /// Whether the value fits into a byte.
    var fits = true
    /// Whether the number states its base.
    var isMarked = false
  }

  /// How numbers without a prefix are read.
  let base: Base
  /// Whether the text is a list without brackets, if it begins with a number.
  let isBare: Bool
  private var groups: [Group] = []
  private var isNegative = false
  /// The last token: its character, `a` for a word or `"` for a string.
  private var last: UInt8 = 0
  private var lastPosition = TextPosition(line: 1, column: 1)
  private var isAtStart = true
  /// The last word outside of a list, in lower case.
  private var name: [UInt8] = []
  private(set) var hasList = false
  /// A single number in brackets, which is data if no list follows.
  private var single: Number?
  /// How many numbers state their base.
  private(set) var marked = 0
  private(set) var bare: [NumberWord] = []
  private(set) var hasTooLarge = false

  init(_ base: Base, isBare: Bool) {
    self.base = base
    self.isBare = isBare
  }

  /// What is removed before a line. In Erlang, a line may begin with the closing `>>`.
  var leads: LineLead.Kind {
    groups.last?.kind == Self.binary ? .none : .all
  }

  /// Whether a semicolon begins a comment, as in assembler.
  var semicolonBeginsComment: Bool { groups.last?.kind == .directive }

  /// Notes a line of one number after a bullet, as Swift's dump prints them: a list without brackets begins or goes on.
  mutating func beginBullets(at position: TextPosition) {
    if isBare, groups.isEmpty { groups = [Group(kind: .bare, start: position)] }
  }

  /// Appends the numbers held back, because an error ends the text.
  mutating func release(into output: inout TextOutput) {
    guard let group = groups.last, group.mayBeList, !group.isCall else { return }
    for number in [group.first, group.number].compactMap(\.self) {
      guard number.fits else { break }
      output.append(number.value, at: number.position)
    }
    groups[groups.count - 1].first = nil
    groups[groups.count - 1].number = nil
    groups[groups.count - 1].count += 1
  }

  mutating func accept(_ token: ProgramToken, into output: inout TextOutput) throws(ReadError) {
    defer { if case .lineEnd = token.kind {} else { isAtStart = false } }
    switch token.kind {
    case .word(let word): try acceptWord(word, token, into: &output)
    case .mark(let mark): try acceptMark(mark, token, into: &output)
    case .string:
      try endWord()
      last = UInt8(ascii: "\"")
      guard let index = groups.indices.last else { return }
      groups[index].isPlain = false
      guard groups[index].isList else { return }
      // A string among numbers is a key of a JSON object.
      groups[index].word = (last, token.position)
    case .lineEnd:
      switch groups.last?.kind {
      case .directive: try close(at: token.position, into: &output)
      case .assigned where last != UInt8(ascii: ","): try close(at: token.position, into: &output)
      default: break
      }
    }
  }

  // MARK: Words

  private mutating func acceptWord(
    _ word: ArraySlice<UInt8>, _ token: ProgramToken, into output: inout TextOutput
  ) throws(ReadError) {
    defer { (last, isNegative) = (UInt8(ascii: "a"), false) }
    let number = NumberWord(word)
    if groups.isEmpty {
      if isBare, isAtStart, number != nil {
        groups = [Group(kind: .bare, start: token.position)]
      } else if !token.isAdjacent || last == UInt8(ascii: "."),
        Self.directives.contains(where: { word.isText($0) })
      {
        groups = [Group(kind: .directive, start: token.position)]
        name = word.lowercased
        return
      } else {
        switchSide(word, &output)
        name = word.lowercased
        return
      }
    }
    let index = groups.count - 1
    if groups[index].skipsNext {
      groups[index].skipsNext = false
      return
    }
    if groups[index].kind == .assigned, number == nil, groups[index].count == 0 {
      groups.removeLast()
      return try acceptWord(word, token, into: &output)
    }
    try endWord()
    if number == nil { groups[index].isPlain = false }
    if let number {
      try acceptNumber(number, token, into: &output)
    } else if word.first?.isDecimalDigit == true, groups[index].isList || groups[index].number != nil {
      throw .notHex(word.first ?? 0, at: token.position, Self.explanation)
    } else if word.isText("as") {
      groups[index].skipsNext = true
    } else if groups[index].isList || groups[index].number != nil {
      groups[index].word = (word.first ?? 0, token.position)
    } else {
      name = word.lowercased
    }
  }

  private mutating func acceptNumber(
    _ number: NumberWord, _ token: ProgramToken, into output: inout TextOutput
  ) throws(ReadError) {
    let index = groups.count - 1
    if groups[index].number != nil { try endItem(at: token.position, into: &output) }
    let fits = (base == .octal ? number.octal : number.value) <= (isNegative ? 128 : 255)
    guard !number.hasLeadingZero || base != .marked || number.value == 0 else {
      throw ReadError(
        .ambiguousText, "a number with a leading zero may be decimal, octal or hex; write 0x08",
        position: token.position)
    }
    if !number.isBare { marked += 1 } else if bare.count < Self.bareLimit { bare.append(number) }
    let value = isNegative ? -number.value : base == .octal ? number.octal : number.value
    hasTooLarge = hasTooLarge || !fits
    let position = TextPosition(
      line: Int(token.position.line), column: Int(token.position.column) + number.firstDigit)
    groups[index].number = Number(
      value: UInt8(truncatingIfNeeded: value), position: position, fits: fits, isMarked: !number.isBare)
  }

  /// Wireshark's Follow names each array after its side: `char peer1_0[] = {`.
  private func switchSide(_ word: ArraySlice<UInt8>, _ output: inout TextOutput) {
    guard word.count > 4, word.starts(with: "peer".utf8) else { return }
    let number = word[word.startIndex + 4]
    if number == UInt8(ascii: "0") || number == UInt8(ascii: "1") { output.switchSide(to: Int(number & 1)) }
  }

  /// Throws if a word does not belong to an item.
  private mutating func endWord() throws(ReadError) {
    guard let index = groups.indices.last, let word = groups[index].word else { return }
    throw .notHex(word.first, at: word.position, Self.explanation)
  }

  // MARK: Marks

  private mutating func acceptMark(
    _ mark: UInt8, _ token: ProgramToken, into output: inout TextOutput
  ) throws(ReadError) {
    let before = last
    let beforePosition = lastPosition
    (last, lastPosition) = (mark, token.position)
    switch mark {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("):
      // A call has the name of a directive, such as pack(
      if let group = groups.last, group.kind == .directive, !group.isList, group.number == nil { groups.removeLast() }
      if let index = groups.indices.last { groups[index].word = nil }
      try open(mark == UInt8(ascii: "(") ? UInt8(ascii: ")") : mark + 2, token.position, into: &output)
      // Few functions and types that can be called or indexed make bytes.
      if before.isLetter, mark == UInt8(ascii: "(") || mark == UInt8(ascii: "[") && token.isAdjacent {
        groups[groups.count - 1].mayBeList = name.isText("c") || Self.byteMakers.contains { name.holds($0) }
      }
      return
    case UInt8(ascii: "<") where before == mark && token.isAdjacent:
      try open(UInt8(ascii: ">"), token.position, into: &output)
      return
    case UInt8(ascii: "<") where !groups.contains { $0.isList },
      UInt8(ascii: ">") where before == mark && token.isAdjacent:
      return
    case UInt8(ascii: ">") where before == UInt8(ascii: "="): return
    case UInt8(ascii: "-"):
      isNegative = true
      return
    default: break
    }
    isNegative = false
    guard let index = groups.indices.last else {
      if mark == UInt8(ascii: "=") { groups = [Group(kind: .assigned, start: token.position)] }
      return
    }
    if mark == UInt8(ascii: "="), groups[index].number != nil {
      // The number was an index, as in PHP's [0] => 8
      groups[index].number = nil
      return
    }
    if groups[index].kind == .bracket(closing: mark) { return try close(at: token.position, into: &output) }
    if mark != UInt8(ascii: "."), mark != UInt8(ascii: ":"), mark != UInt8(ascii: "!") { try endWord() }
    switch mark {
    case UInt8(ascii: ";"):
      if groups[index].kind == .assigned { return try close(at: token.position, into: &output) }
      try endItem(at: token.position, into: &output, mayBeEmpty: !groups[index].isList)
    case UInt8(ascii: ","): try endItem(at: token.position, into: &output)
    case UInt8(ascii: ".") where !token.isAdjacent && groups[index].number != nil:
      // PHP joins the strings of numbers with dots.
      try endItem(at: token.position, into: &output)
    case UInt8(ascii: "."):
      if before == mark, token.isAdjacent, groups[index].isList {
        let reason = "the text omits numbers at the ...; print all of them"
        throw ReadError(.lossyText, reason, position: beforePosition)
      }
      groups[index].word = nil
      groups[index].skipsNext = true
    case UInt8(ascii: ":"):
      // The colon ends a label, is part of a scope, or precedes the size of a number.
      guard groups[index].kind != .bare || groups[index].number == nil else {
        throw .notHex(mark, at: token.position, Self.explanation)
      }
      groups[index].word = nil
      groups[index].skipsNext = groups[index].number != nil
    case UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "|"): break
    case UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: ">"):
      // The closing bracket of an array whose beginning was not pasted.
      guard groups[index].kind == .bare else { fallthrough }
      try close(at: token.position, into: &output)
    default:
      guard groups[index].isList || groups[index].number != nil else { return }
      throw .notHex(mark, at: token.position, Self.explanation)
    }
  }

  private mutating func open(
    _ closing: UInt8, _ position: TextPosition, into output: inout TextOutput
  ) throws(ReadError) {
    // An index follows, as in PHP's [0] => 8
    if closing == UInt8(ascii: "]"), let group = groups.last, group.number != nil {
      try endItem(at: position, into: &output)
    }
    guard groups.count < Self.nestingLimit else {
      throw ReadError(.unknownText, "these brackets are nested too deeply for a list of bytes", position: position)
    }
    if let index = groups.indices.last { groups[index].skipsNext = false }
    groups.append(Group(kind: .bracket(closing: closing), start: position))
  }

  /// Begins an item that is a string. Returns false if strings are not data, as in all languages but Erlang and Elixir.
  mutating func readsString(at position: TextPosition, into output: inout TextOutput) throws(ReadError) -> Bool {
    guard groups.last?.kind == Self.binary else { return false }
    try endItem(at: position, into: &output, mayBeEmpty: true)
    let index = groups.count - 1
    if let first = groups[index].first { try put(first, into: &output) }
    groups[index].first = nil
    groups[index].count += 1
    groups[index].isString = true
    hasList = true
    return true
  }

  // MARK: Items

  private mutating func endItem(
    at position: TextPosition, into output: inout TextOutput, mayBeEmpty: Bool = false
  ) throws(ReadError) {
    let index = groups.count - 1
    let group = groups[index]
    defer { groups[index].skipsNext = false }
    guard let number = group.number else {
      groups[index].isString = false
      guard group.isList, !mayBeEmpty, !group.isCall, !group.isString else { return }
      throw ReadError(.notHex, "a number is missing here; write each byte as 0x08 or 8", position: position)
    }
    groups[index].number = nil
    guard !group.isCall else { return }
    switch group.kind {
    case .bracket where group.count == 0, .assigned where group.count == 0:
      guard let first = group.first else {
        groups[index].first = number
        return
      }
      guard group.mayBeList else {
        groups[index].isCall = true
        groups[index].first = nil
        return
      }
      groups[index].first = nil
      try beginList()
      try put(first, into: &output)
      groups[index].count = 1
    default: break
    }
    try put(number, into: &output)
    groups[index].count += 1
    hasList = true
  }

  /// Marks the enclosing brackets as those of calls or types, because a list begins inside them.
  private mutating func beginList() throws(ReadError) {
    for index in groups.indices.dropLast() {
      if groups[index].count > 0, case .bracket = groups[index].kind {
        throw ReadError(
          .unknownText, "a list of numbers begins inside another; paste only the list of bytes",
          position: groups[groups.count - 1].start)
      }
      groups[index].isCall = true
      groups[index].first = nil
      groups[index].number = nil
    }
  }

  private mutating func close(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    try endWord()
    try endItem(at: position, into: &output, mayBeEmpty: true)
    let group = groups.removeLast()
    guard let first = group.first, case .bracket = group.kind else { return }
    // A single number in brackets is a cast, or the size of an array.
    if group.kind == .bracket(closing: UInt8(ascii: "}")), group.isPlain, first.isMarked, first.fits,
      groups.last?.kind ?? .assigned == .assigned
    {
      // In braces it is an array with one element.
      if let parent = groups.indices.last { groups[parent].isCall = true }
      hasList = true
      try put(first, into: &output)
    } else if let parent = groups.indices.last {
      if groups[parent].number == nil { groups[parent].number = first }
    } else if single == nil, first.fits {
      single = first
    }
  }

  private func put(_ number: Number, into output: inout TextOutput) throws(ReadError) {
    guard number.fits else {
      throw ReadError(.notHex, "this number does not fit into a byte; write -128 to 255", position: number.position)
    }
    output.append(number.value, at: number.position)
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if let group = groups.last {
      if case .bracket = group.kind {
        if group.isList || group.number != nil {
          throw ReadError(
            .cutText, "the text ends inside the list; paste all of it, up to its closing bracket", position: position)
        }
      } else {
        try close(at: position, into: &output)
      }
    }
    guard !hasList, !isAtStart else { return }
    guard let single else {
      throw ReadError(.unknownText, "this text has no list of numbers", position: position)
    }
    try put(single, into: &output)
  }

  /// A binary of Erlang or Elixir.
  private static let binary = Group.Kind.bracket(closing: UInt8(ascii: ">"))
  private static let nestingLimit = 32
  /// The most numbers that the head of a text can contain.
  private static let bareLimit = 4096
  /// Parts of the names of functions and types that make bytes from numbers.
  private static let byteMakers = [
    "byte", "array", "list", "pack", "vector", "seq", "buffer", "data", "char", "uint8", "#u8", "slice", "raw", "of",
  ]
  /// Assembler directives that precede bytes.
  private static let directives = ["db", "DB", "dc", "DC", "byte", "BYTE", "defb", "DEFB", "fcb", "FCB", "pack"]
  private static let explanation = "is not allowed in a list of numbers; write each byte as 0x08 or 8"
}
