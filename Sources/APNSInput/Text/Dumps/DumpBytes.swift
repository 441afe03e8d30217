import Octets

/// The bytes decoded from a line of a dump, up to the first error.
struct DumpBytes: Sendable {
  private(set) var values: [UInt8] = []
  /// For each byte, the index of its first digit in the line.
  private(set) var indices: [Int] = []
  /// For each group of digits, the number of bytes up to its end, and the index of its end.
  private(set) var ends: [(count: Int, index: Int)] = []
  var problem: ReadError?

  init(problem: ReadError? = nil) { self.problem = problem }

  /// Reserves the capacity for all bytes that the line can contain.
  init(of line: DumpLine) {
    let capacity = (line.text.count - line.body) / 2
    values.reserveCapacity(capacity)
    indices.reserveCapacity(capacity)
    ends.reserveCapacity(capacity)
  }

  /// Appends a group of digits, or records the error in it.
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

  /// The same bytes with every group reversed, for words of the other byte order.
  func swappingGroups() -> DumpBytes {
    var swapped = self
    for (start, end) in zip([0] + ends.map(\.count), ends.map(\.count)) {
      swapped.values[start..<end].reverse()
      swapped.indices[start..<end].reverse()
    }
    return swapped
  }

  /// Appends a byte that is not written in hex.
  mutating func append(_ value: UInt8, at index: Int) {
    values.append(value)
    indices.append(index)
  }

  private mutating func fail(at index: Int, of line: DumpLine) {
    problem = .notHex(
      line.text[index], at: line.position(index), "is not a hex digit; the bytes of the line must be here")
  }

  /// The first `count` bytes; the rest of the line is not data.
  func prefix(_ count: Int) -> DumpBytes {
    var bytes = DumpBytes()
    bytes.values = Array(values.prefix(count))
    bytes.indices = Array(indices.prefix(count))
    return bytes
  }

  /// The first `count` bytes, if a group ends there and the rest can be their characters: it is not hex, or matches
  /// them.
  func prefix(ifCharactersFollow count: Int, in text: [UInt8]) -> DumpBytes? {
    guard let end = ends.first(where: { $0.count == count }) else { return nil }
    let rest = text[end.index...]
    let bytes = prefix(count)
    return rest.isEmpty || problem != nil || bytes.values.areShown(by: rest) ? bytes : nil
  }

  /// The bytes up to the group after which the rest of the line shows the same bytes as characters; nil if there is no
  /// such group.
  ///
  /// Each further byte needs one more character and leaves fewer of them, so at most one group can match. A single pass
  /// finds it, however long the line is.
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
  /// Whether `characters` are these bytes as a dump shows them. Spaces may have been lost or added; tcpdump shows them
  /// as dots.
  /// - Parameter isCut: Whether the text may end within the characters.
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
