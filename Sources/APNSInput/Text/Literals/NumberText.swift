import Octets

extension TextFormat {
  package static let c = TextFormat(
    "c", "list of 0x values, or of mixed numbers, as a program writes it (xxd -i, Java, Kotlin, Rust, assembler)",
    layouts: { _ in NumberText.layouts([.marked]) })

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
/// Brackets of any kind with at least two numbers are a list. Any text may surround it. Casts, conversions, keys and
/// sizes beside a number are skipped; a call with one number is that number. Once a list has begun, an error in it is
/// reported. Comments are removed:
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
    /// Whether the current item has a number or a string.
    var hasItem = false
    /// The group contains a list, so its own numbers are not data.
    var isCall = false
    /// The group contains only numbers.
    var isPlain = true
    /// Whether two numbers make a list; otherwise they are arguments of a call.
    var mayBeList = true
    var key: Int?
    /// Whether commas or keys separate the numbers of a line; nil until that is known.
    var isSeparated: Bool?
    /// The line of the last number.
    var line: UInt32 = 0

    /// Whether more items are expected, so that `...` means further ones.
    var isOpen: Bool { count > 0 || first != nil && !hasItem }
    var isList: Bool { first != nil || count > 0 }
    /// Whether a number was read, so that what is no part of a list is an error.
    var isData: Bool { isList || hasItem }
  }

  private struct Number {
    let value: Int
    let position: TextPosition
    /// Whether the number states its base.
    let isMarked: Bool

    /// The number as one byte; nil if it is larger.
    var byte: UInt8? { -128...255 ~= value ? UInt8(truncatingIfNeeded: value) : nil }
  }

  private let base: Base
  /// Whether the text is a list without brackets, if it begins with a number.
  private let isBare: Bool
  var output = TextOutput()
  private var line = TextLine([], at: TextPosition(line: 1, column: 1))
  private var index = 0
  private var groups: [Group] = []
  private var isInComment = false
  /// The error in the last word of a line. It is only thrown if more text follows; otherwise the word is incomplete.
  private var mistake: ReadError?
  /// The preceding token: its character, `a` for a word, `0` for a number or `"` for a string.
  private var last: UInt8 = 0
  private var isNegative = false
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

  var isCertain: Bool { hasList }
  var needsBytes: Bool { true }
  var explainsLines: Bool { false }
  /// In Erlang, a line may begin with the closing `>>`.
  var leads: LineLead.Kind { isInComment || groups.last?.kind == Self.binary ? .none : .all }

  mutating func decode(_ line: TextLine) throws(ReadError) {
    if let mistake { throw mistake }
    let text = line.text
    (self.line, index) = (line, line.first)
    if isBare, groups.isEmpty, text[index...].starts(with: "- ".utf8), text[(index + 2)...].number(radix: 10) != nil {
      // Swift's dump prints each number after a bullet.
      groups = [Group(kind: .bare, start: line.position(index))]
    }
    while index < text.count {
      if isInComment {
        let end = text[index...].index(of: "*/")
        isInComment = end == nil
        index = end.map { $0 + 2 } ?? text.count
      } else {
        try readToken()
      }
    }
    guard mistake == nil, let kind = groups.last?.kind else { return }
    if kind == .directive || kind == .assigned && last != UInt8(ascii: ",") { try close() }
  }

  mutating func finish(at position: TextPosition) throws(ReadError) {
    if isInComment { throw .cut("inside a comment", at: position) }
    if let group = groups.last, case .bracket = group.kind, group.isData {
      throw .cut("before the closing bracket of the list", at: position)
    }
    if !hasList, let single, singles == 1 { try put(single) }
    if let mistake { throw mistake }
  }

  mutating func release() {
    guard let group = groups.popLast(), group.mayBeList, !group.isCall, let first = group.first else { return }
    hasList = true
    if let byte = first.byte { output.append(byte, at: first.position) }
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
      return isBare ? bare.count > 7 && bare.contains { $0.value > 99 && $0.digits % 2 == 1 } : bare.count > 1
    }
  }

  var doubt: String? {
    guard base == .decimal, bare.contains(where: \.hasLeadingZero), bare.allSatisfy({ $0.digits == 2 }) else {
      return nil
    }
    return
      "these numbers may be decimal or hex, because each has two digits; use --from decimal, or remove the brackets "
      + "for hex"
  }
}

// MARK: - Tokens
extension NumberText {
  private mutating func readToken() throws(ReadError) {
    let (text, start) = (line.text, index)
    let byte = text[start]
    let next = start + 1 < text.count ? text[start + 1] : UInt8(ascii: "\n")
    if let group = groups.last, let (key, end) = key {
      if let last = group.key, key != last + 1 {
        let reason = "expected the key \(last + 1), found \(key): an item is missing or was moved"
        throw line.error(.contradictingOffset, at: index, reason)
      }
      output.explain(line.position(index), line.position(end))
      index = end
      (groups[groups.count - 1].hasItem, groups[groups.count - 1].key) = (false, key)
      return
    }
    if let number = calledNumber {
      index = text[number.upperBound...].firstIndex(of: UInt8(ascii: ")")).map { $0 + 1 } ?? text.count
      return try accept(word: text[number])
    }
    if Self.isWord(byte) || (byte == UInt8(ascii: "#") && Self.isWord(next)) {
      let word = text[start..<endOfWord]
      index = word.endIndex
      // Visual Basic goes on in the next line after an underscore.
      guard !word.elementsEqual([UInt8(ascii: "_")]) else { return }
      do throws(ReadError) {
        try accept(word: word)
      } catch  where index == text.count {
        mistake = error
      }
      if last == UInt8(ascii: "0"), let group = groups.last { index = endOfType(in: group) }
      return
    }
    index += 1
    switch (byte, next) {
    case _ where byte.isWhite: return
    // A bullet.
    case (UInt8(ascii: "-"), _) where next.isWhite && start == line.first: return
    case (UInt8(ascii: "\""), _), (UInt8(ascii: "'"), _):
      try readString(byte)
    case (UInt8(ascii: "/"), UInt8(ascii: "*")): (isInComment, index) = (true, index + 1)
    case (UInt8(ascii: "/"), UInt8(ascii: "/")), (UInt8(ascii: "-"), UInt8(ascii: "-")): index = text.count
    case (UInt8(ascii: "#"), _) where next.isWhite, (UInt8(ascii: "%"), _) where next.isWhite: index = text.count
    case (UInt8(ascii: ";"), _) where groups.last?.kind == .directive: index = text.count
    case (UInt8(ascii: "."), UInt8(ascii: ".")) where groups.last?.isOpen == true:
      throw line.error(.lossyText, at: start, "the text omits numbers at the ...; print all of them")
    default: try accept(mark: byte)
    }
  }

  /// Reads a string, which is a number in quotes, a key, or bytes of an Erlang binary; any other is no data.
  private mutating func readString(_ quote: UInt8) throws(ReadError) {
    let (text, start) = (line.text, index)
    let isBinary = groups.last?.kind == Self.binary
    let end = Escapes.end(quote, in: text, from: start)
    index = end.map { $0 + 1 } ?? text.count
    guard let end else {
      // An apostrophe in a comment must not begin a string that goes on in the next line.
      if isBinary { throw .openQuote(at: line.position(start - 1)) }
      return
    }
    if isBinary {
      let group = groups.count - 1
      if let first = groups[group].first { try put(first) }
      (groups[group].first, groups[group].hasItem, hasList) = (nil, true, true)
      groups[group].count += 1
      var (next, bytes) = (start, PlacedBytes())
      defer { output.append(bytes) }
      _ = try Escapes(style: .octal, isWide: false).decode(line, from: &next, to: end, into: &bytes)
      return
    }
    let isKey = text[index...].first { !$0.isWhite } == UInt8(ascii: ":")
    // gdb prints a byte also as a character: 65 'A', 8 '\b'
    if last == UInt8(ascii: "0"), quote == UInt8(ascii: "'"), !isKey, end - start < 5 {
      return output.explain(line.position(start - 1), line.position(end + 1))
    }
    let number = text[start..<end].drop { $0 == UInt8(ascii: "-") }
    if !isKey, NumberWord(number) != nil {
      isNegative = number.startIndex > start
      return try accept(word: number)
    }
    last = UInt8(ascii: "\"")
    guard let group = groups.indices.last else { return }
    groups[group].isPlain = false
    if groups[group].isData, !isKey { throw line.notHex(at: end, Self.explanation) }
  }

  private var endOfWord: Int {
    let (text, start) = (line.text, index)
    let isNumber = text[start].isDecimalDigit
    // 16#08# in Ada and Erlang, 8'u8 in Nim, and an apostrophe as in don't
    return text[(start + 1)...].indices.first { index in
      !Self.isWord(text[index]) && !(isNumber && text[index] == UInt8(ascii: "#"))
        && !((isNumber || index - start > 2) && text[index] == UInt8(ascii: "'"))
    } ?? text.count
  }

  /// Whether the character can be part of a word. `$08` and `&H08` are numbers.
  private static func isWord(_ byte: UInt8) -> Bool {
    byte.isWordPart || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "&")
  }
}

// MARK: - What is beside a number
extension NumberText {
  /// The number in a call such as `chr(8)`.
  private var calledNumber: Range<Int>? {
    let text = line.text
    guard text[index] | 0x20 == UInt8(ascii: "c"), text[(index + 1)...].starts(with: "hr(".utf8) else { return nil }
    let number = text[(index + 4)...].drop { $0 == UInt8(ascii: " ") }.prefix(while: Self.isWord)
    guard text[number.endIndex...].first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: ")"),
      NumberWord(number) != nil
    else { return nil }
    return number.indices
  }

  /// A key, and the index after its mark, as in PHP's `[0] => 8` or Lua's `[1] = 8`.
  private var key: (key: Int, end: Int)? {
    var rest = line.text[index...]
    let isBracket = rest.first == UInt8(ascii: "[")
    let digits = rest.dropFirst(isBracket ? 1 : 0).prefix(while: \.isDecimalDigit)
    rest = rest[digits.endIndex...]
    if isBracket, rest.popFirst() != UInt8(ascii: "]") { return nil }
    rest = rest.drop(while: \.isWhite)
    guard let key = digits.number(radix: 10), rest.popFirst() == UInt8(ascii: "=") else { return nil }
    return (key, rest.startIndex + (rest.first == UInt8(ascii: ">") ? 1 : 0))
  }

  /// The index after what makes a number a byte: `.toByte()`, ` as u8`, or `:8` in Erlang; also after the end of a
  /// range (`0..8`).
  private func endOfType(in group: Group) -> Int {
    let rest = line.text[index...]
    var type = rest.drop(while: \.isWhite)
    if rest.first == UInt8(ascii: "."), rest.dropFirst().first?.isWordPart == true {
      type = rest.dropFirst()
    } else if group.count == 0, rest.starts(with: "..".utf8), rest.dropFirst(2).first?.isDecimalDigit == true {
      type = rest.dropFirst(2)
    } else if type.starts(with: "as ".utf8) {
      type = type.dropFirst(3).drop(while: \.isWhite)
    } else if type.first == UInt8(ascii: ":"), group.kind != .bare, group.kind != .assigned {
      type = type.drop { $0 == UInt8(ascii: ":") }
    } else {
      return index
    }
    let end = type.drop(while: Self.isWord)
    guard end.first == UInt8(ascii: "("), let close = end.prefix(64).firstIndex(of: UInt8(ascii: ")")) else {
      return end.startIndex
    }
    return close + 1
  }
}

// MARK: - Words
extension NumberText {
  private mutating func accept(word: ArraySlice<UInt8>) throws(ReadError) {
    let number = NumberWord(word)
    let isFirst = last == 0
    let position = line.position(word.startIndex)
    last = UInt8(ascii: number == nil ? "a" : "0")
    defer { isNegative = false }
    if number == nil, let group = groups.last, group.kind == .assigned, group.count == 0 { groups.removeLast() }
    if groups.isEmpty, isBare, isFirst, number != nil { groups = [Group(kind: .bare, start: position)] }
    guard let group = groups.indices.last else {
      name = word.lowercased
      let before = word.startIndex > 0 ? line.text[word.startIndex - 1] : UInt8(ascii: " ")
      // Among pairs of hex digits, db is one of them.
      let words = line.text[..<word.startIndex].split(whereSeparator: \.isWhite)
      let isPair = !words.isEmpty && words.allSatisfy { $0.count == 2 && $0.isHex }
      let next = line.text[index...].first { !$0.isWhite }
      let isNext = next.map { $0.isDecimalDigit || "$&#%('\"-".utf8.contains($0) } ?? true
      if before.isWhite || before == UInt8(ascii: "."), !isPair, isNext,
        Self.directives.contains(where: { word.isText($0) })
      {
        groups = [Group(kind: .directive, start: position)]
      } else if word.starts(with: "peer".utf8) || line.text[index...].first == UInt8(ascii: ":") {
        // Wireshark's Follow names each array after its side: `char peer1_0[] = {`.
        output.switchSide(named: line.text[word.startIndex..<min(index + 1, line.text.count)])
      }
      return
    }
    if let number { return try accept(number, at: word.startIndex) }
    groups[group].isPlain = false
    guard groups[group].isData else {
      name = word.lowercased
      return
    }
    // A word may name a function, a scope or a key.
    let mark = line.text[index...].first { !$0.isWhite }
    guard word.first?.isDecimalDigit == false, let mark, "([{.:!".utf8.contains(mark) else {
      throw line.notHex(at: word.startIndex, Self.explanation)
    }
  }

  private mutating func accept(_ word: NumberWord, at start: Int) throws(ReadError) {
    guard !word.hasLeadingZero || base != .marked || word.value == 0 else {
      let reason = "a number with a leading zero may be decimal, octal or hex; write 0x08"
      throw line.error(.ambiguousText, at: start, reason)
    }
    if !word.isBare { marked += 1 } else if bare.count < Self.bareLimit { bare.append(word) }
    // Offsets have more digits than a byte.
    let value = word.isBare && word.digits > 4 ? Int.max : base == .octal ? word.octal : word.value
    let position = line.position(start + word.firstDigit)
    try add(Number(value: isNegative ? -value : value, position: position, isMarked: !word.isBare))
  }
}

// MARK: - Marks
extension NumberText {
  private mutating func accept(mark: UInt8) throws(ReadError) {
    let (before, position) = (last, line.position(index - 1))
    let isAdjacent = index > 1 && !line.text[index - 2].isWhite
    let isRepeated = isAdjacent && line.text[index - 2] == mark
    last = mark
    isNegative = mark == UInt8(ascii: "-")
    switch mark {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("):
      try open(mark == UInt8(ascii: "(") ? UInt8(ascii: ")") : mark + 2, position)
      // Few functions and types that can be called or indexed make bytes.
      if before == UInt8(ascii: "a"), mark == UInt8(ascii: "(") || mark == UInt8(ascii: "[") && isAdjacent {
        groups[groups.count - 1].mayBeList = name.isText("c") || Self.byteMakers.contains { name.holds($0) }
      }
      return
    case UInt8(ascii: "<") where isRepeated: return try open(UInt8(ascii: ">"), position)
    // Only `>>` closes a binary; a single one may be the mark of a quote.
    case UInt8(ascii: ">") where !isRepeated: return
    case UInt8(ascii: "-"): return
    default: break
    }
    guard let group = groups.last else {
      if mark == UInt8(ascii: "=") { groups = [Group(kind: .assigned, start: position)] }
      return
    }
    switch mark {
    case _ where group.kind == .bracket(closing: mark), UInt8(ascii: ";") where group.kind == .assigned:
      try close()
    // Of an array whose beginning was not pasted.
    case _ where group.kind == .bare && "})]>".utf8.contains(mark): try close()
    // PHP joins the strings of numbers with dots.
    case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "."):
      if mark == UInt8(ascii: ","), group.isList, !group.hasItem, !group.isCall {
        throw line.error(.notHex, at: index - 1, "a number is missing here; write each byte as 0x08 or 8")
      }
      groups[groups.count - 1].hasItem = false
    case UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "|"): break
    // What is before a colon is no value.
    case UInt8(ascii: ":") where group.kind == .assigned && group.count == 0: groups.removeLast()
    // The colon ends a label or is part of a scope.
    case UInt8(ascii: ":") where group.kind != .bare || !group.hasItem: break
    default: if group.isData { throw line.notHex(at: index - 1, Self.explanation) }
    }
  }

  private mutating func open(_ closing: UInt8, _ position: TextPosition) throws(ReadError) {
    guard groups.count < Self.nestingLimit else {
      throw ReadError(.unknownText, "these brackets are nested too deeply for a list of bytes", position: position)
    }
    groups.append(Group(kind: .bracket(closing: closing), start: position))
  }
}

// MARK: - Items
extension NumberText {
  private mutating func add(_ number: Number) throws(ReadError) {
    let index = groups.count - 1
    let group = groups[index]
    groups[index].hasItem = true
    guard !group.isCall else { return }
    groups[index].line = number.position.line
    if group.isList, group.line == number.position.line, case .bracket = group.kind {
      guard group.isSeparated ?? !group.hasItem == !group.hasItem else {
        throw ReadError(
          .notHex, "a comma is missing before this number, or it is the rest of the one before",
          position: number.position)
      }
      groups[index].isSeparated = !group.hasItem
    }
    if group.count == 0, group.kind != .bare, group.kind != .directive {
      groups[index].first = group.first == nil ? number : nil
      guard let first = group.first else { return }
      groups[index].isCall = !group.mayBeList
      guard group.mayBeList else { return }
      try beginList()
      try put(first)
      groups[index].count = 1
    }
    try put(number)
    groups[index].count += 1
    hasList = true
  }

  /// Marks the enclosing brackets as those of calls or types, because a list begins inside them.
  private mutating func beginList() throws(ReadError) {
    hasList = true
    for index in groups.indices.dropLast() {
      if groups[index].count > 0 {
        throw ReadError(
          .unknownText, "a list of numbers begins inside another; paste only the list of bytes",
          position: groups[groups.count - 1].start)
      }
      (groups[index].isCall, groups[index].first) = (true, nil)
    }
  }

  private mutating func close() throws(ReadError) {
    let group = groups.removeLast()
    guard let first = group.first, case .bracket(let closing) = group.kind else { return }
    // A single number in brackets is a cast, or the size of an array.
    if closing == UInt8(ascii: "}"), group.isPlain, first.isMarked, first.byte != nil,
      groups.last?.kind ?? .assigned == .assigned
    {
      // In braces it is an array with one element.
      if let parent = groups.indices.last { groups[parent].isCall = true }
      hasList = true
      try put(first)
    } else if let parent = groups.last {
      if !parent.hasItem { try add(first) }
    } else if first.byte != nil {
      single = first
      singles += 1
    }
  }

  private mutating func put(_ number: Number) throws(ReadError) {
    guard let byte = number.byte else {
      throw ReadError(.notHex, "this number does not fit into a byte; write -128 to 255", position: number.position)
    }
    output.append(byte, at: number.position)
  }
}
