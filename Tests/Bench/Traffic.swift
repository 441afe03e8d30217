import Octets
import TestSupport

/// Made-up streams of a provider, the same ones for the same seed. Written by hand, as the yardsticks read them.
struct Traffic {
  enum Profile: String, CaseIterable {
    /// Nothing to remark on: commands 1 and 2, unique identifiers, times to come.
    case clean
    /// As senders are: command 0 too, many notes, some warnings, no error.
    case advice
    /// Clean, but one frame in a hundred has one of twelve bugs.
    case damaged
    /// Clean, with keys of its own in thousands of orders: thousands of payload forms.
    case forms
  }

  let profile: Profile
  private var generator: SeededGenerator
  private var number: UInt32 = 0

  /// 2013-11-18 00:00:00 UTC, when all of it is sent.
  static let now: UInt32 = 1_384_732_800
  private static let expiry = bigEndian(Int(now) + 86_400, 4)

  init(_ profile: Profile, seed: UInt64 = 1) {
    self.profile = profile
    generator = SeededGenerator(seed: seed)
  }

  mutating func frame() -> [UInt8] {
    number += 1
    if profile == .damaged, number % 100 == 50 { return damaged(Int(number / 100) % 12) }
    let payload = payload()
    let token = generator.bytes(32)
    let choice = Int.random(in: 0..<100, using: &generator)
    if profile == .advice, choice < 15 { return [0] + Self.counted(token) + Self.counted(payload.text) }
    if choice < 45, !payload.isSilent || profile == .advice { return enhanced(token, payload.text) }
    return items(token, payload.text, priority: payload.isSilent ? 5 : 10)
  }

  private func enhanced(_ token: [UInt8], _ payload: [UInt8], length: Int? = nil) -> [UInt8] {
    [1] + Self.bigEndian(Int(number), 4) + Self.expiry + Self.counted(token)
      + Self.bigEndian((length ?? payload.count) & 0xffff, 2) + payload
  }

  private func items(_ token: [UInt8], _ payload: [UInt8], priority: UInt8, length: Int? = nil) -> [UInt8] {
    var items: [UInt8] = [1] + Self.counted(token) + [2] + Self.counted(payload)
    items += [3, 0, 4] + Self.bigEndian(Int(number), 4) + [4, 0, 4] + Self.expiry + [5, 0, 1, priority]
    return [2] + Self.bigEndian(length ?? items.count, 4) + items
  }

  private mutating func damaged(_ bug: Int) -> [UInt8] {
    let text = #"{"aps":{"alert":"Привет, 新消息 \#(number)"}}"#
    let payload = Array(text.utf8)
    let token = generator.bytes(32)
    switch bug {
    case 0: return enhanced(token, payload, length: text.unicodeScalars.count)
    case 1:
      let long = payload + [UInt8](repeating: 0x20, count: 300)
      return enhanced(token, long, length: long.count & 255)
    case 2: return enhanced(token, payload, length: payload.count << 8)
    case 3: return enhanced(token.flatMap { Array(("0" + String($0, radix: 16)).utf8.suffix(2)) }, payload)
    case 4: return enhanced(token, payload.dropLast())
    case 5: return enhanced(token, payload + [0])
    case 6: return items(token, payload, priority: 10, length: payload.count + 40)
    case 7: return items(token, payload, priority: 7)
    case 8:
      var frame = enhanced(token, payload)
      frame.remove(at: 30)
      return frame
    case 9: return generator.bytes(40)
    case 10: return items(token, payload, priority: 10, length: 0xffff_ffff)
    default: return [0, 0xff, 0xff] + generator.bytes(20)
    }
  }

  private mutating func payload() -> (text: [UInt8], isSilent: Bool) {
    while true {
      let kind = Int.random(in: 0..<100, using: &generator)
      let isSilent = kind >= 90
      var keys: [String] = []
      switch kind {
      case ..<60: keys.append(#""alert":"\#(text())""#)
      case ..<80:
        keys.append(#""alert":{"loc-key":"GAME_PLAY_REQUEST_FORMAT","loc-args":["\#(word())","\#(word())"]}"#)
      case ..<90: keys.append(#""alert":{"body":"\#(text())","action-loc-key":"PLAY"}"#)
      default: keys.append(#""content-available":1"#)
      }
      if profile == .advice {
        if generator.chance(50) { keys.append(#""badge":\#(Int.random(in: 0..<100, using: &generator))"#) }
        if generator.chance(40) {
          keys.append(#""sound":"\#(["default", "chime"].randomElement(using: &generator)!)""#)
        }
      }
      var members = [#""aps":{\#(keys.joined(separator: ","))}"#]
      if profile == .forms { members.append(#""k\#(Int.random(in: 0..<4000, using: &generator))":"v""#) }
      if generator.chance(50) { members.append(#""acme1":"bar""#) }
      if generator.chance(30) {
        members.append(#""acme2":["bang","whiz",\#(Int.random(in: 1...1_000_000, using: &generator))]"#)
      }
      if generator.chance(20) { members.append(#""t":\#(Int.random(in: 1...999_999, using: &generator)).125"#) }
      var text = "{" + members.joined(separator: ",") + "}"
      if profile == .advice, generator.chance(70) { text = Self.escaped(text) }
      if text.utf8.count <= 256 { return (Array(text.utf8), isSilent && keys.count == 1) }
    }
  }

  private static let words = """
    Message received from Bob game play poker invite chess move ready mail inbox payment 新消息 сообщение уведомление 🎉 \
    déjà vu order shipped tracking
    """.split(separator: " ")

  private mutating func word() -> Substring { Self.words.randomElement(using: &generator)! }

  private mutating func text() -> String {
    (0..<Int.random(in: 2...14, using: &generator)).map { _ in String(word()) }.joined(separator: " ")
  }

  /// As `\uXXXX`, what is not ASCII.
  private static func escaped(_ text: String) -> String {
    text.utf16.map { unit in
      guard unit > 0x7f else { return String(UnicodeScalar(UInt8(unit))) }
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }

  private static func counted(_ bytes: [UInt8]) -> [UInt8] { bigEndian(bytes.count, 2) + bytes }

  private static func bigEndian(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
