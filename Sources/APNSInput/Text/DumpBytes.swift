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
      guard let high = group[index].hexDigit else { return fail(at: index, of: line) }
      guard index + 1 < group.endIndex else {
        problem = .oddDigits(at: line.position(index))
        return
      }
      guard let low = group[index + 1].hexDigit else { return fail(at: index + 1, of: line) }
      values.append(high << 4 | low)
      indices.append(index)
      index += 2
    }
    ends.append((values.count, group.endIndex))
  }

  private mutating func fail(at index: Int, of line: DumpLine) {
    problem = .notHex(
      line.text[index], at: line.position(index), "is no hex digit; the bytes of the line stand here")
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
  /// Whether `characters` are what a dump shows beside these bytes. Spaces may have been lost or added.
  func areShown(by characters: ArraySlice<UInt8>) -> Bool {
    var index = characters.startIndex
    for value in self where value != UInt8(ascii: " ") {
      while index < characters.endIndex && characters[index].isWhite { index += 1 }
      guard index < characters.endIndex, characters[index] == (value.isPrintable ? value : UInt8(ascii: ".")) else {
        return false
      }
      index += 1
    }
    return characters[index...].allSatisfy { $0.isWhite }
  }
}
