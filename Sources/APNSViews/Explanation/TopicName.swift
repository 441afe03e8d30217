/// A topic's name as it is compared, so that it is found however it is written: `Item 2`, `item2` and `item 0x02`,
/// `payload.aps.thread_id` and `aps thread id`.
public struct TopicName: Hashable, Sendable {
  private let text: String

  /// Longer names are not looked up; no topic has one.
  public static let longest = 200

  public init(_ name: String) {
    var text = ""
    var word = ""
    var isSigned = false
    var last: Character = " "
    for character in name.lowercased() {
      if character.isLetter || character.isNumber {
        word.append(character)
      } else {
        text += Self.normal(word, isSigned: isSigned)
        word = ""
        // As in `status -1`; within a word it separates.
        isSigned = character == "-" && last == " "
      }
      last = character
    }
    self.text = text + Self.normal(word, isSigned: isSigned)
  }

  /// Letters, then a number in decimal without leading zeros.
  private static func normal(_ word: String, isSigned: Bool) -> String {
    let letters = word.prefix { $0.isLetter }
    let rest = word.dropFirst(letters.count)
    let number = rest.hasPrefix("0x") ? Int(rest.dropFirst(2), radix: 16) : Int(rest)
    return letters + (isSigned && letters.isEmpty && number != nil ? "-" : "")
      + (number.map(String.init) ?? String(rest))
  }
}
