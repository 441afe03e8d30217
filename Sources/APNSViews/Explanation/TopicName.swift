/// The name of a topic in normal form, for lookup: `Item 2`, `item2` and `item 0x02` are equal, and so are
/// `aps.thread_id` and `aps thread id`.
package struct TopicName: Hashable, Sendable {
  private let text: String

  package init(_ name: String) {
    let name = " " + name.lowercased()
    let words = name.split { !$0.isLetter && !$0.isNumber }
    // A sign, as in `status -1`. After a letter or digit, a hyphen separates words.
    text = words.map { Self.normal($0, isSigned: name[..<$0.startIndex].hasSuffix(" -")) }.joined()
  }

  /// The word and the number of a name such as `status 8`; nil for other names.
  var numbered: (kind: String, number: Int)? {
    let kind = text.prefix { $0.isLetter }
    return Int(text.dropFirst(kind.count)).map { (String(kind), $0) }
  }

  /// The word with its number in decimal, without leading zeros.
  private static func normal(_ word: Substring, isSigned: Bool) -> String {
    let letters = word.prefix { $0.isLetter }
    let rest = word.dropFirst(letters.count)
    let number = rest.hasPrefix("0x") ? Int(rest.dropFirst(2), radix: 16) : Int(rest)
    return letters + (isSigned && letters.isEmpty && number != nil ? "-" : "")
      + (number.map(String.init) ?? String(rest))
  }
}
