/// A coding that a faulty sender may have applied to a token, a payload or complete frames.
final class Decoder: Sendable {
  struct Uses: OptionSet, Sendable {
    let rawValue: UInt8
    static let (token, payload, frames) = (Uses(rawValue: 1), Uses(rawValue: 2), Uses(rawValue: 4))
    static let all: Uses = [.token, .payload, .frames]
  }

  struct Traits: OptionSet, Sendable {
    let rawValue: UInt8
    /// Any bytes decode to bytes that look alike, so success is no evidence.
    static let blind = Traits(rawValue: 1)
    /// No second decoder applies to the result.
    static let single = Traits(rawValue: 2)
    /// Only a complete text can be decoded, not its first bytes.
    static let complete = Traits(rawValue: 4)
  }

  /// A test that rejects most sources without decoding: two bytes that follow each other.
  struct Opening: Sendable {
    fileprivate let first: ByteSet, second: ByteSet
    /// The number of offsets at which the first of them may be; nil for twice the limit.
    fileprivate let window: Int?
    /// What precedes them.
    fileprivate var before = ByteSet.all

    static let any = begins(.all)
    static func begins(_ first: ByteSet, _ second: ByteSet = .all) -> Opening {
      Opening(first: first, second: second, window: 1)
    }
    static func contains(_ first: ByteSet, _ second: ByteSet = .all, within window: Int? = nil) -> Opening {
      Opening(first: first, second: second, window: window)
    }
    /// The same in a text of printable characters.
    static func escapes(_ first: ByteSet, _ second: ByteSet = .all) -> Opening {
      Opening(first: first, second: second, window: 61, before: .printable)
    }
  }

  let title: String
  /// The cost in bits of assuming this coding.
  let price: Int
  let uses: Uses, traits: Traits
  private let opening: Opening, coding: ByteCoding

  init(_ title: String, _ price: Int, _ uses: Uses, _ opening: Opening, _ coding: ByteCoding, _ traits: Traits = []) {
    (self.title, self.price, self.uses, self.traits) = (title, price, uses, traits)
    (self.opening, self.coding) = (opening, coding)
  }

  /// Whether ``mayBegin(in:at:limit:)`` searches the text.
  var mayBeginIsSlow: Bool { opening.window == nil }
  /// Whether the text may be encoded this way.
  func mayBegin(in source: [UInt8], at start: Int, limit: Int) -> Bool {
    guard start >= 0, start < source.count else { return false }
    let end = start + min(source.count - 1 - start, opening.window ?? 2 * limit)
    var index = opening.first.firstMember(of: source, in: start..<end)
    while index < end, !opening.second.contains(source[index + 1]) {
      index = opening.first.firstMember(of: source, in: (index + 1)..<end)
    }
    return index < end && source[start..<index].allSatisfy(opening.before.contains)
  }

  /// The first byte that is decoded; nil if that takes more than a look.
  func firstByte(of source: [UInt8], at start: Int) -> UInt8? {
    coding.first?(Cursor(source, at: start, count: source.count))
  }

  /// Decodes at most about `limit` bytes. No coding takes more than twelve bytes for one.
  func decode(_ source: [UInt8], from start: Int, limit: Int) -> Decoded {
    coding.decode(Cursor(source, at: start, count: 12 * limit + 64), limit)
  }

  /// Encodes bytes as a faulty sender would; nil if the coding cannot represent them.
  func write(_ bytes: [UInt8]) -> [UInt8]? {
    let text = coding.write(bytes)
    return text.map { decode($0, from: 0, limit: bytes.count).bytes.starts(with: bytes) } == true ? text : nil
  }
}
