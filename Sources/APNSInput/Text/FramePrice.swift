/// The price of bytes in bits: how much a reading of a text pays for them.
///
/// Bytes inside documented frames and JSON text are expected, so they cost little. All others cost nearly as much as a
/// character that a reading leaves unexplained.
struct FramePrice {
  /// How many bytes are inside documented frames. A frame that is cut or has a wrong length counts up to there.
  private(set) var known = 0
  private(set) var bits = 0

  /// Fewer bytes of a frame that is cut say nothing.
  private static let shortestCutFrame = 12
  static let unexplainedCharacter = 8
  static let otherByte = 7
  static let expectedByte = 2

  init(_ bytes: [UInt8]) {
    var index = 0
    while index < bytes.count {
      let frame = Self.frame(at: index, in: bytes)
      let step = max(frame, frame == 0 ? Self.json(at: index, in: bytes) : 0)
      known += frame
      bits += step > 0 ? step * Self.expectedByte : Self.otherByte
      index += max(step, 1)
    }
  }

  /// The commands of the documented frames.
  static let commands: Set<UInt8> = [0, 1, 2, 8]

  /// Whether these bytes begin a frame, as far as they go.
  static func beginsFrame(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first, commands.contains(first) else { return false }
    return 2 * FramePrice(bytes).known > bytes.count
  }

  /// The number of bytes from `start` that a frame explains; 0 if none begins there.
  private static func frame(at start: Int, in bytes: [UInt8]) -> Int {
    func number(_ index: Int, _ count: Int) -> Int? {
      index + count <= bytes.count ? bytes[index..<(index + count)].reduce(0) { $0 << 8 | Int($1) } : nil
    }
    switch bytes[start] {
    case 0, 1:
      let token = start + (bytes[start] == 0 ? 1 : 9)
      guard number(token, 2) == 32 else { return 0 }
      let payload = token + 36
      guard let count = number(token + 34, 2), payload < bytes.count else {
        return bytes.count - start > shortestCutFrame ? bytes.count - start : 0
      }
      guard bytes[payload] == UInt8(ascii: "{") else { return 0 }
      let end = payload + count
      if count > 0, end <= bytes.count, bytes[end - 1] == UInt8(ascii: "}") { return end - start }
      return bytes[payload...].prefix { $0.isPrintable || $0 >= 0x80 }.endIndex - start
    case 2:
      guard let count = number(start + 1, 4) else { return 0 }
      let end = start + 5 + count
      var index = start + 5
      while index < min(end, bytes.count), 1...5 ~= bytes[index], let size = number(index + 1, 2) { index += 3 + size }
      let isCut = index > bytes.count && bytes.count > start + 40
      return index == end || isCut ? min(index, bytes.count) - start : 0
    case 8:
      guard start + 6 <= bytes.count else { return 0 }
      let status = bytes[start + 1]
      return status <= 10 || status == 128 || status == 255 ? 6 : 0
    default: return 0
    }
  }

  /// The number of bytes of JSON from `start`: up to 40 printable characters, a key, and printable characters.
  private static func json(at start: Int, in bytes: [UInt8]) -> Int {
    var index = start
    while index < min(bytes.count, start + 40), bytes[index].isPrintable {
      if bytes[index] == UInt8(ascii: "\"") {
        let key = bytes[(index + 1)...].prefix(while: \.isWordPart)
        let rest = bytes[key.endIndex...]
        if !key.isEmpty, rest.starts(with: "\":".utf8), let value = rest.dropFirst(2).first,
          value.isDecimalDigit || "[{\"tfn-".utf8.contains(value)
        {
          return rest.prefix(while: \.isPrintable).endIndex - start
        }
      }
      index += 1
    }
    return 0
  }
}
