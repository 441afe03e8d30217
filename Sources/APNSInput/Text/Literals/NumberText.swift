import Octets

extension TextFormat {
  /// A list of numbers with a prefix, as a program writes it: `0x08, 0xd2`.
  package static let c = TextFormat(
    "c", "list of 0x values, or of mixed numbers, as a program writes it (xxd -i, Java, Kotlin, Rust, assembler)",
    layouts: { _ in NumberText.layouts([.marked]) })

  /// A list of decimal numbers, one for each byte.
  package static let decimal = TextFormat(
    "decimal", "list of decimal bytes ([2, 0, 78], {2, -76}, Go's [2 0 78], Erlang's <<2,0,78>>, Array(2, 0, 78))",
    layouts: { _ in NumberText.layouts([.decimal, .octal]) })
}

/// Bytes as a list of numbers, as programs in any common language write and print them. Negative numbers are signed
/// bytes.
///
///     unsigned char frame[] = { 0x08, 0x8, /* status */ 0x00 };        byteArrayOf(0x08, 0xD2.toByte())
///     byte[] frame = {0x08, (byte) 0xD2, 0};                           [8u8, 210u8]    [8 210 0]    <<8,210,"aps">>
///       db 08h, 0d2h        .byte 0x08, 0xd2                           0x08, 0xd2      8 210 0
///
/// Brackets of any kind with at least two numbers are a list. Any text may surround it. Each item has one number, which
/// may be inside a cast or a call or have a type. Once a list has begun, an error in it is reported. Comments are
/// removed:
///
///     // line     # line     /* block */     -- line     % line of Erlang     ; line of assembler
struct NumberText: TextDecoder {
  /// How numbers without a prefix are read.
  enum Base { case marked, decimal, octal }

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
    /// A word, label or string, which is only valid if the item continues.
    var word: (first: UInt8, position: TextPosition)?
    /// The next word is a type or method name, or a size, and is skipped.
    var skipsNext = false

    var isList: Bool { first != nil || count > 0 }
    /// Whether an item has begun, so that what is no part of it is an error.
    var isData: Bool { isList || number != nil }
  }

  private struct Number {
    let value: UInt8
    let position: TextPosition
    let fits: Bool
    /// Whether the number states its base.
    let isMarked: Bool
  }

  private let base: Base
  /// Whether the text is a list without brackets, if it begins with a number.
  private let isBare: Bool
  private var groups: [Group] = []
  private var isInComment = false
  /// The error in the last word of a line. It is only thrown if more text follows; otherwise the word is incomplete.
  private var mistake: ReadError?
  /// Whether the current token directly follows the preceding one.
  private var isAdjacent = false
  /// The preceding token: its character, `a` for a word or `"` for a string.
  private var last: UInt8 = 0
  private var lastPosition = TextPosition(line: 1, column: 1)
  private var isNegative = false
  private var isAtStart = true
  /// The last word outside of a list, in lower case.
  private var name: [UInt8] = []
  private var hasList = false
  /// A number alone in brackets, which is data if it is the only one and no list follows.
  private var single: Number?
  private var singles = 0
  /// How many numbers state their base.
  private var marked = 0
  private var bare: [NumberWord] = []

  fileprivate static func layouts(_ bases: [Base]) -> [NumberText] {
    bases.flatMap { base in [false, true].map { NumberText(base: base, isBare: $0) } }
  }

  private init(base: Base, isBare: Bool) { (self.base, self.isBare) = (base, isBare) }

  var isCertain: Bool { true }
  var nothing: String? { "this text has no list of numbers" }
  var explainsLines: Bool { false }
  /// In Erlang, a line may begin with the closing `>>`.
  var leads: LineLead.Kind { isInComment || groups.last?.kind == Self.binary ? .none : .all }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    if let mistake { throw mistake }
    let text = line.text
    var index = line.first
    isAdjacent = false
    if isBare, groups.isEmpty, text[index...].starts(with: "- ".utf8), text[(index + 2)...].number(radix: 10) != nil {
      // Swift's dump prints each number after a bullet.
      groups = [Group(kind: .bare, start: line.position(index))]
    }
    while index < text.count {
      if isInComment {
        let end = text[index...].indices.dropLast().first { text[$0] == Self.star && text[$0 + 1] == Self.slash }
        isInComment = end == nil
        index = end.map { $0 + 2 } ?? text.count
      } else {
        try readToken(at: &index, of: line, into: &output)
      }
    }
    guard mistake == nil else { return }
    switch groups.last?.kind {
    case .directive: try close(at: line.position(text.count), into: &output)
    case .assigned where last != UInt8(ascii: ","): try close(at: line.position(text.count), into: &output)
    default: break
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if isInComment {
      throw ReadError(.cutText, "the text ends inside a comment; close it with */", position: position)
    }
    if let group = groups.last {
      if case .bracket = group.kind {
        if group.isData {
          throw ReadError(
            .cutText, "the text ends inside the list; paste all of it, up to its closing bracket", position: position)
        }
      } else {
        try close(at: position, into: &output)
      }
    }
    if !hasList, let single, singles == 1 { try put(single, into: &output) }
    if let mistake { throw mistake }
  }

  /// Appends the numbers held back, because an error ends the text.
  mutating func release(into output: inout TextOutput) {
    guard let group = groups.popLast(), group.mayBeList, !group.isCall else { return }
    for number in [group.first, group.number].compactMap(\.self) {
      guard number.fits else { return }
      output.append(number.value, at: number.position)
    }
  }

  /// A binary of Erlang or Elixir.
  private static let binary = Group.Kind.bracket(closing: UInt8(ascii: ">"))
  private static let slash = UInt8(ascii: "/")
  private static let star = UInt8(ascii: "*")
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

// MARK: - Evidence
extension NumberText {
  var isPlausible: Bool {
    switch base {
    case .marked: return marked > 0
    case .octal: return !isBare && marked == 0 && bare.count { $0.hasLeadingZero } > 3
    case .decimal:
      guard marked == 0 else { return false }
      // Numbers without brackets may be hex.
      return isBare
        ? bare.count > 7 && (bare.contains { $0.value > 99 && $0.digits % 2 == 1 } || areShort) : bare.count > 1
    }
  }

  /// Whether all numbers may be hex without leading zeros.
  private var areShort: Bool {
    bare.contains { $0.digits == 1 } && bare.allSatisfy { $0.value <= 99 && !$0.hasLeadingZero }
  }

  var doubt: String? {
    guard base == .decimal else { return nil }
    if isBare, areShort {
      return "these numbers may be decimal, or hex without leading zeros; use --from decimal, or write 08 for 8"
    }
    guard bare.contains(where: \.hasLeadingZero), bare.allSatisfy({ $0.digits == 2 }) else { return nil }
    return
      "these numbers may be decimal or hex, because each has two digits; use --from decimal, or remove the brackets "
      + "for hex"
  }
}

// MARK: - Tokens
extension NumberText {
  private mutating func readToken(
    at index: inout Int, of line: TextLine, into output: inout TextOutput
  ) throws(ReadError) {
    let text = line.text
    let byte = text[index]
    let position = line.position(index)
    let next = index + 1 < text.count ? text[index + 1] : UInt8(ascii: "\n")
    if let number = Self.calledNumber(text, from: index) {
      try accept(word: text[number], at: line.position(number.lowerBound), into: &output)
      index = text[number.upperBound...].firstIndex(of: UInt8(ascii: ")")).map { $0 + 1 } ?? text.count
      return
    }
    if Self.isWord(byte) || (byte == UInt8(ascii: "#") && Self.isWord(next)) {
      let word = text[index..<Self.endOfWord(in: text, from: index)]
      index = word.endIndex
      // Visual Basic goes on in the next line after an underscore.
      guard !word.elementsEqual([UInt8(ascii: "_")]) else { return }
      do throws(ReadError) {
        try accept(word: word, at: position, into: &output)
      } catch  where index == text.count {
        mistake = error
      }
      return
    }
    index += 1
    switch (byte, next) {
    case _ where byte.isWhite: isAdjacent = false
    // A bullet.
    case (UInt8(ascii: "-"), _) where next.isWhite && index - 1 == line.first: isAdjacent = false
    case (UInt8(ascii: "\""), _), (UInt8(ascii: "'"), _):
      try readString(byte, at: &index, of: line, into: &output)
    case (Self.slash, Self.star): (isInComment, isAdjacent, index) = (true, false, index + 1)
    case (Self.slash, Self.slash), (UInt8(ascii: "-"), UInt8(ascii: "-")): index = text.count
    case (UInt8(ascii: "#"), _) where next.isWhite, (UInt8(ascii: "%"), _) where next.isWhite: index = text.count
    case (UInt8(ascii: ";"), _) where groups.last?.kind == .directive: index = text.count
    default: try accept(mark: byte, at: position, into: &output)
    }
  }

  /// Reads a string, which is a number in quotes, or bytes of an Erlang binary; any other is no data.
  private mutating func readString(
    _ quote: UInt8, at index: inout Int, of line: TextLine, into output: inout TextOutput
  ) throws(ReadError) {
    let text = line.text
    let isBinary = groups.last?.kind == Self.binary
    if !isBinary, let number = Self.quotedNumber(text, from: index, quote) {
      index = number.upperBound + 1
      return try accept(word: text[number], at: line.position(number.lowerBound), into: &output)
    }
    let start = index
    let end = Escapes.end(quote, in: text, from: start)
    index = end.map { $0 + 1 } ?? text.count
    guard let end else {
      // An apostrophe in a comment must not begin a string that goes on in the next line.
      if isBinary { throw .openQuote(at: line.position(start - 1)) }
      return
    }
    if isBinary {
      try beginString(at: line.position(start - 1), into: &output)
      try Escapes(style: .octal, isWide: false).decode(line, start..<end, into: &output)
    } else {
      try endWord()
      (last, isAtStart) = (UInt8(ascii: "\""), false)
      if let group = groups.indices.last {
        groups[group].isPlain = false
        // A string among numbers is a key of a JSON object.
        if groups[group].isList { groups[group].word = (last, line.position(end)) }
      }
    }
    isAdjacent = true
  }

  /// A number in quotes that is not the key of an object: `'0x2'`.
  private static func quotedNumber(_ text: [UInt8], from start: Int, _ quote: UInt8) -> Range<Int>? {
    let word = text[start...].prefix { isWord($0) || $0 == UInt8(ascii: "-") }
    guard word.endIndex < text.count, text[word.endIndex] == quote, NumberWord(word) != nil,
      text[(word.endIndex + 1)...].first(where: { !$0.isWhite }) != UInt8(ascii: ":")
    else { return nil }
    return word.indices
  }

  /// The number in a call such as `chr(8)`.
  private static func calledNumber(_ text: [UInt8], from start: Int) -> Range<Int>? {
    guard text[start...].starts(with: "chr(".utf8) || text[start...].starts(with: "Chr(".utf8) else { return nil }
    let number = text[(start + 4)...].drop { $0 == UInt8(ascii: " ") }.prefix(while: isWord)
    guard text[number.endIndex...].first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: ")"),
      NumberWord(number) != nil
    else { return nil }
    return number.indices
  }

  private static func endOfWord(in text: [UInt8], from start: Int) -> Int {
    let isNumber = text[start].isDecimalDigit
    var index = start + 1
    while index < text.count {
      // 16#08# in Ada and Erlang, 8'u8 in Nim, and an apostrophe as in don't
      let goesOn =
        isNumber && text[index] == UInt8(ascii: "#")
        || (isNumber || index - start > 2) && text[index] == UInt8(ascii: "'")
      guard goesOn || isWord(text[index]) else { break }
      index += 1
    }
    return index
  }

  /// Whether the character can be part of a word. `$08` and `&H08` are numbers.
  private static func isWord(_ byte: UInt8) -> Bool {
    byte.isWordPart || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "&")
  }
}

// MARK: - Words
extension NumberText {
  private mutating func accept(
    word: ArraySlice<UInt8>, at position: TextPosition, into output: inout TextOutput
  ) throws(ReadError) {
    defer { (last, isNegative, isAtStart, isAdjacent) = (UInt8(ascii: "a"), false, false, true) }
    let number = NumberWord(word)
    if number == nil, let group = groups.last, group.kind == .assigned, group.count == 0, !group.skipsNext {
      groups.removeLast()
    }
    if groups.isEmpty {
      if isBare, isAtStart, number != nil {
        groups = [Group(kind: .bare, start: position)]
      } else {
        name = word.lowercased
        if !isAdjacent || last == UInt8(ascii: "."), Self.directives.contains(where: { word.isText($0) }) {
          groups = [Group(kind: .directive, start: position)]
        } else {
          switchSide(word, &output)
        }
        return
      }
    }
    let index = groups.count - 1
    guard !groups[index].skipsNext else {
      groups[index].skipsNext = false
      return
    }
    try endWord()
    if let number { return try accept(number, at: position, into: &output) }
    groups[index].isPlain = false
    if word.first?.isDecimalDigit == true, groups[index].isData {
      throw .notHex(word.first ?? 0, at: position, Self.explanation)
    } else if word.isText("as") {
      groups[index].skipsNext = true
    } else if groups[index].isData {
      groups[index].word = (word.first ?? 0, position)
    } else {
      name = word.lowercased
    }
  }

  private mutating func accept(
    _ number: NumberWord, at position: TextPosition, into output: inout TextOutput
  ) throws(ReadError) {
    let index = groups.count - 1
    if groups[index].number != nil { try endItem(at: position, into: &output) }
    guard !number.hasLeadingZero || base != .marked || number.value == 0 else {
      throw ReadError(
        .ambiguousText, "a number with a leading zero may be decimal, octal or hex; write 0x08", position: position)
    }
    if !number.isBare { marked += 1 } else if bare.count < Self.bareLimit { bare.append(number) }
    let value = base == .octal ? number.octal : number.value
    groups[index].number = Number(
      value: UInt8(truncatingIfNeeded: isNegative ? -value : value),
      position: TextPosition(line: Int(position.line), column: Int(position.column) + number.firstDigit),
      fits: value <= (isNegative ? 128 : 255), isMarked: !number.isBare)
  }

  /// Wireshark's Follow names each array after its side: `char peer1_0[] = {`.
  private func switchSide(_ word: ArraySlice<UInt8>, _ output: inout TextOutput) {
    guard word.count > 4, word.starts(with: "peer".utf8) else { return }
    let number = word[word.startIndex + 4]
    if number == UInt8(ascii: "0") || number == UInt8(ascii: "1") { output.switchSide(to: Int(number & 1)) }
  }

  /// Throws if a word does not belong to an item.
  private func endWord() throws(ReadError) {
    if let word = groups.last?.word { throw .notHex(word.first, at: word.position, Self.explanation) }
  }
}

// MARK: - Marks
extension NumberText {
  private mutating func accept(
    mark: UInt8, at position: TextPosition, into output: inout TextOutput
  ) throws(ReadError) {
    let before = last
    let beforePosition = lastPosition
    let isRepeated = before == mark && isAdjacent
    let wasAdjacent = isAdjacent
    (last, lastPosition, isAtStart, isAdjacent) = (mark, position, false, true)
    switch mark {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("):
      // A call has the name of a directive, such as pack(
      if let group = groups.last, group.kind == .directive, !group.isData { groups.removeLast() }
      if let index = groups.indices.last { groups[index].word = nil }
      try open(mark == UInt8(ascii: "(") ? UInt8(ascii: ")") : mark + 2, position, into: &output)
      // Few functions and types that can be called or indexed make bytes.
      if before.isLetter, mark == UInt8(ascii: "(") || mark == UInt8(ascii: "[") && wasAdjacent {
        groups[groups.count - 1].mayBeList = name.isText("c") || Self.byteMakers.contains { name.holds($0) }
      }
      return
    case UInt8(ascii: "<") where isRepeated: return try open(UInt8(ascii: ">"), position, into: &output)
    case UInt8(ascii: "<") where !groups.contains { $0.isList }: return
    case UInt8(ascii: ">") where isRepeated || before == UInt8(ascii: "="): return
    case UInt8(ascii: "-"):
      isNegative = true
      return
    default: isNegative = false
    }
    guard let index = groups.indices.last else {
      if mark == UInt8(ascii: "=") { groups = [Group(kind: .assigned, start: position)] }
      return
    }
    if mark == UInt8(ascii: "="), groups[index].number != nil {
      // The number was an index, as in PHP's [0] => 8
      groups[index].number = nil
      return
    }
    if groups[index].kind == .bracket(closing: mark) { return try close(at: position, into: &output) }
    if !".:!".utf8.contains(mark) { try endWord() }
    switch mark {
    case UInt8(ascii: ";") where groups[index].kind == .assigned: try close(at: position, into: &output)
    case UInt8(ascii: ";"): try endItem(at: position, into: &output, mayBeEmpty: !groups[index].isList)
    case UInt8(ascii: ","): try endItem(at: position, into: &output)
    // PHP joins the strings of numbers with dots.
    case UInt8(ascii: ".") where !wasAdjacent && groups[index].number != nil: try endItem(at: position, into: &output)
    case UInt8(ascii: "."):
      if isRepeated, groups[index].isList {
        throw ReadError(.lossyText, "the text omits numbers at the ...; print all of them", position: beforePosition)
      }
      groups[index].word = nil
      groups[index].skipsNext = true
    case UInt8(ascii: ":"):
      // The colon ends a label, is part of a scope, or precedes the size of a number.
      guard groups[index].kind != .bare || groups[index].number == nil else {
        throw .notHex(mark, at: position, Self.explanation)
      }
      groups[index].word = nil
      groups[index].skipsNext = groups[index].number != nil
    case UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "|"): break
    // The closing bracket of an array whose beginning was not pasted.
    case _ where "})]>".utf8.contains(mark) && groups[index].kind == .bare: try close(at: position, into: &output)
    default: if groups[index].isData { throw .notHex(mark, at: position, Self.explanation) }
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
}

// MARK: - Items
extension NumberText {
  /// Begins an item that is a string.
  private mutating func beginString(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    try endItem(at: position, into: &output, mayBeEmpty: true)
    let index = groups.count - 1
    if let first = groups[index].first { try put(first, into: &output) }
    groups[index].first = nil
    groups[index].count += 1
    groups[index].isString = true
    hasList = true
  }

  private mutating func endItem(
    at position: TextPosition, into output: inout TextOutput, mayBeEmpty: Bool = false
  ) throws(ReadError) {
    let index = groups.count - 1
    let group = groups[index]
    groups[index].skipsNext = false
    guard let number = group.number else {
      groups[index].isString = false
      guard group.isList, !mayBeEmpty, !group.isCall, !group.isString else { return }
      throw ReadError(.notHex, "a number is missing here; write each byte as 0x08 or 8", position: position)
    }
    groups[index].number = nil
    guard !group.isCall else { return }
    if group.count == 0, group.kind != .bare, group.kind != .directive {
      groups[index].first = group.first == nil ? number : nil
      guard let first = group.first else { return }
      guard group.mayBeList else {
        groups[index].isCall = true
        return
      }
      try beginList()
      try put(first, into: &output)
      groups[index].count = 1
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
    } else if first.fits {
      single = first
      singles += 1
    }
  }

  private func put(_ number: Number, into output: inout TextOutput) throws(ReadError) {
    guard number.fits else {
      throw ReadError(.notHex, "this number does not fit into a byte; write -128 to 255", position: number.position)
    }
    output.append(number.value, at: number.position)
  }
}
