/// Reads payloads as most senders write them, in one go: strict JSON without white space, no key twice in an object,
/// documented keys with values of theirs, text that is what it seems. Whatever is otherwise is not plain, and left to
/// ``PayloadOutline``; so is a part of what is. Of a payload that was there before but for its values, only those are
/// read.
public struct PlainPayload: Sendable {
  /// Of the payload that was read last.
  public private(set) var members = Members()
  /// Characters are written as `\uXXXX` that could stand there in UTF-8.
  public internal(set) var hasEscapes = false

  /// What a payload has in it.
  public struct Members: Sendable, Equatable, BitwiseCopyable {
    /// Which documented keys.
    public fileprivate(set) var present = PayloadOutline.Keys()
    public fileprivate(set) var ofAps = 0
    public fileprivate(set) var ofAlert = 0
    /// A value in aps or its alert is an empty string or object.
    public fileprivate(set) var hasEmptyValue = false
  }

  private var shapes = PayloadShapes()
  private var values = PayloadValues()
  private var keys = PlainKeys()
  /// Of keys that are not documented: hashes, with the object that each is in.
  private var others = InlineArray<16, UInt64>(repeating: 0)
  private var otherCount = 0
  /// A bit for each of them, by its hash.
  private var seenMarks: UInt64 = 0
  private var levels = InlineArray<16, Level>(repeating: Level())

  /// More than that follow a payload that is read here, so that words are read without a look at its end.
  public static let slack = 32

  public init() {}

  private struct Level: BitwiseCopyable {
    var isObject = true
    var container: PayloadKey.Container?
    var wantsStrings = false
    /// Counted through the payload.
    var object: UInt64 = 0

    /// Where values mean something to the system.
    @inline(__always)
    var isApple: Bool { container == .aps || container == .alert }
  }

  /// Whether the payload at `range` is plain; the other members are about it then.
  ///
  /// - Precondition: ``slack`` bytes stand behind it.
  public mutating func read(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    precondition(range.upperBound + Self.slack <= bytes.count)
    return hasKnownShape(bytes, range) || isPlain(bytes, range)
  }

  /// Reads a payload that was there before but for its values.
  @inline(__always)
  private mutating func hasKnownShape(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    hasEscapes = false
    let end = range.upperBound
    var index = range.lowerBound
    var last = 0
    while index < end, let step = shapes.step(from: last, at: index, in: bytes) {
      last = step.number
      index += step.count
      switch step.value {
      case .nothing: break
      case .end:
        members = shapes.members(at: last)
        return index == end
      case .string:
        let start = index
        index = endOfString(bytes, from: start, end: end)
        guard index > start + 1 else { return false }
      case .number, .count:
        index = endOfNumber(bytes, from: index, end: end, mustBeCount: step.value == .count)
        guard index > 0 else { return false }
      }
    }
    return false
  }

  /// Reads any payload, and remembers its shape if it is plain.
  @inline(never)
  private mutating func isPlain(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    values.removeAll()
    guard readThrough(bytes, range) else { return false }
    if !values.isFull { shapes.add(range, values, members, bytes) }
    return true
  }

  private mutating func readThrough(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    members = Members()
    (hasEscapes, otherCount, seenMarks) = (false, 0, 0)
    let end = range.upperBound
    var index = range.lowerBound
    guard range.count >= 2, bytes[index] == UInt8(ascii: "{") else { return false }
    index += 1
    var level = Level(container: .root)
    var depth = 0
    var objects: UInt64 = 0
    while true {
      var row = KeyTraits.other
      if level.isObject {
        guard bytes[index] == UInt8(ascii: "\"") else { return false }
        let (key, count) = KeyWords.read(bytes, at: index + 1)
        let start = index + 1
        index = start + count
        guard index < end, bytes.fourBytes(at: index) & 0xffff == 0x3a22,
          let found = traits(of: key, start..<index, in: level, bytes)
        else { return false }
        row = found
        index += 2
      }
      let start = index
      let type: PayloadKey.ValueTypes
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index = endOfString(bytes, from: index + 1, end: end)
        guard index > 0 else { return false }
        type = .string
        if index > start + 2 {
          if row.values != .some { values.append((start + 1)..<index, .string) }
        } else if level.isApple {
          members.hasEmptyValue = true
        }
      case UInt8(ascii: "{"):
        type = .object
        guard !level.wantsStrings, row.types.contains(type), row.values == .any else { return false }
        if bytes[index + 1] == UInt8(ascii: "}") {
          index += 2
          if level.isApple { members.hasEmptyValue = true }
        } else {
          guard depth < levels.count else { return false }
          levels[depth] = level
          depth += 1
          objects += 1
          level = Level(container: row.opens, object: objects)
          index += 1
          continue
        }
      case UInt8(ascii: "["):
        type = .array
        guard !level.wantsStrings, row.types.contains(type), row.values == .any || row.values == .strings else {
          return false
        }
        if bytes[index + 1] == UInt8(ascii: "]") {
          index += 2
        } else {
          guard depth < levels.count else { return false }
          levels[depth] = level
          depth += 1
          level = Level(isObject: false, wantsStrings: row.values == .strings)
          index += 1
          continue
        }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        index = endOfNumber(bytes, from: index, end: end, mustBeCount: row.values == .count)
        guard index > 0 else { return false }
        type = .number
        if row.values == .any || row.values == .count {
          values.append(start..<index, row.values == .count ? .count : .number)
        }
      case UInt8(ascii: "t"):
        guard bytes.fourBytes(at: index) == 0x6575_7274 else { return false }
        index += 4
        type = .bool
      case UInt8(ascii: "f"):
        guard bytes.fourBytes(at: index + 1) == 0x6573_6c61 else { return false }
        index += 5
        type = .bool
      case UInt8(ascii: "n"):
        guard bytes.fourBytes(at: index) == 0x6c6c_756e else { return false }
        // An app's own null is told of.
        if level.isObject, row.index == KeyTable.none, level.container != nil { return false }
        index += 4
        type = .null
      default:
        return false
      }
      if level.wantsStrings, type != .string { return false }
      guard row.types.contains(type) else { return false }
      if row.values == .digit, bytes[start] != row.digit || index != start + 1 { return false }
      if row.values == .some, !isOrdinary(bytes, start..<index, type, row.index) { return false }
      while index < end, bytes[index] != UInt8(ascii: ",") {
        guard bytes[index] == (level.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return false }
        index += 1
        if depth == 0 { return index == end }
        depth -= 1
        level = levels[depth]
      }
      guard index < end else { return false }
      index += 1
    }
  }
}

extension PlainPayload {
  /// Of a key that stands in its object for the first time.
  @inline(__always)
  private mutating func traits(
    of key: KeyWords, _ range: Range<Int>, in level: Level, _ bytes: Span<UInt8>
  ) -> KeyTraits? {
    let hash = key.hash
    if let container = level.container {
      if let found = keys.traits(of: key, hash: hash, in: container) {
        guard !members.present.contains(Int(found.index)) else { return nil }
        members.present.insert(Int(found.index))
        if container == .aps { members.ofAps += 1 } else if container == .alert { members.ofAlert += 1 }
        return found
      }
      guard container == .root, keys.isOwn(key, hash: hash, bytes, range) else { return nil }
    }
    // What repeats has the same; others hardly ever.
    let mark = hash &+ level.object &* 0xff51_afd7_ed55_8ccd
    let bit = 1 &<< (mark >> 58) as UInt64
    if seenMarks & bit != 0 { for other in 0..<otherCount where others[other] == mark { return nil } }
    seenMarks |= bit
    guard otherCount < others.count else { return nil }
    others[otherCount] = mark
    otherCount += 1
    return .other
  }
}
