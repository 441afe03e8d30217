import Octets

/// The bytes found in a line of a dump, up to a mistake in it.
struct DumpBytes: Sendable {
  private(set) var values: [UInt8] = []
  /// Of the first digit of each byte, in the line.
  private(set) var indices: [Int] = []
  /// After each group of digits: how many bytes so far, and where in the line.
  private(set) var ends: [(count: Int, index: Int)] = []
  var problem: ReadError?

  init(problem: ReadError? = nil) { self.problem = problem }

  /// With room for all that the line can hold.
  init(of line: DumpLine) {
    let room = (line.text.count - line.body) / 2
    values.reserveCapacity(room)
    indices.reserveCapacity(room)
    ends.reserveCapacity(room)
  }

  /// Adds a group of digits, or finds the mistake in it.
  mutating func append(_ group: ArraySlice<UInt8>, of line: DumpLine) {
    var index = group.startIndex
    while index < group.endIndex {
      guard let high = group[index].hexDigitValue else { return fail(at: index, of: line) }
      guard index + 1 < group.endIndex else {
        problem = .oddDigits(at: line.position(index))
        return
      }
      guard let low = group[index + 1].hexDigitValue else { return fail(at: index + 1, of: line) }
      values.append(high << 4 | low)
      indices.append(index)
      index += 2
    }
    ends.append((values.count, group.endIndex))
  }

  /// The same with every group turned round: words of the other byte order.
  func turned() -> DumpBytes {
    var turned = self
    for (start, end) in zip([0] + ends.map(\.count), ends.map(\.count)) {
      turned.values[start..<end].reverse()
      turned.indices[start..<end].reverse()
    }
    return turned
  }

  /// For bytes that are not written as hex digits.
  mutating func append(_ value: UInt8, at index: Int) {
    values.append(value)
    indices.append(index)
  }

  private mutating func fail(at index: Int, of line: DumpLine) {
    problem = .notHex(
      line.text[index], at: line.position(index), "is not a hex digit; the bytes of the line must be here")
  }

  /// The bytes up to the end of a group, the rest being no bytes.
  func prefix(_ count: Int) -> DumpBytes {
    var bytes = DumpBytes()
    bytes.values = Array(values.prefix(count))
    bytes.indices = Array(indices.prefix(count))
    return bytes
  }

  /// The bytes that `count` allows, if a group ends there and what follows can be their characters: it is no bytes, or
  /// reads like those before it.
  func prefix(ifCharactersFollow count: Int, in text: [UInt8]) -> DumpBytes? {
    guard let end = ends.first(where: { $0.count == count }) else { return nil }
    let rest = text[end.index...]
    let bytes = prefix(count)
    return rest.isEmpty || problem != nil || bytes.values.areShown(by: rest) ? bytes : nil
  }

  /// The bytes up to where the rest of the line reads like them, if it does.
  ///
  /// As bytes are added, the characters they need grow and the rest shrinks, so that at most one number fits: one pass
  /// finds it, however long the line.
  func prefixShownByRest(of text: [UInt8]) -> DumpBytes? {
    guard let first = indices.first else { return nil }
    var left = text[first...].count { !$0.isWhite }
    var needed = 0
    var count = 0
    for end in ends {
      left -= end.index - indices[count]
      needed += values[count..<end.count].count { $0 != UInt8(ascii: " ") }
      count = end.count
      guard left == needed && end.index < text.count else { continue }
      let bytes = prefix(count)
      return bytes.values.areShown(by: text[end.index...]) ? bytes : nil
    }
    return nil
  }
}

extension [UInt8] {
  /// Whether `characters` are what a dump shows beside these bytes. Spaces may have been lost or added; tcpdump shows
  /// them as dots.
  /// - Parameter isCut: The text may end within them.
  func areShown(by characters: ArraySlice<UInt8>, isCut: Bool = false) -> Bool {
    areShown(by: characters, isCut: isCut, space: nil)
      || (contains(UInt8(ascii: " ")) && areShown(by: characters, isCut: isCut, space: UInt8(ascii: ".")))
  }

  private func areShown(by characters: ArraySlice<UInt8>, isCut: Bool, space: UInt8?) -> Bool {
    var index = characters.startIndex
    for value in self where space != nil || value != UInt8(ascii: " ") {
      while index < characters.endIndex && characters[index].isWhite { index += 1 }
      guard index < characters.endIndex else { return isCut }
      let isShown = value.isPrintable && value != UInt8(ascii: " ")
      guard characters[index] == (isShown ? value : UInt8(ascii: ".")) else { return false }
      index += 1
    }
    return characters[index...].allSatisfy { $0.isWhite }
  }
}

extension ReadError {
  static func missingLength(at position: TextPosition) -> ReadError {
    ReadError(
      .cutText,
      "the last line of the dump, with its length, is missing, so the last zero may be padding; paste that line too",
      position: position)
  }

  static func contradictingCharacters(at position: TextPosition) -> ReadError {
    ReadError(
      .contradictingCharacters,
      "the characters at the end of this line do not match its bytes, so the line was edited; paste the dump again, "
        + "or without its characters", position: position)
  }
}
