import APNSWire
import Octets

/// Makes frames without findings, of any frame type, from its schema. Fields with a known role get values that are
/// valid for it.
struct FrameMaker: Sendable {
  let edition: Edition
  var chance: SplitMix64
  /// Increases within a stream, as correct senders do. The initial value cannot be mistaken for the length of a token.
  var identifier: UInt64

  init(edition: Edition, chance: SplitMix64) {
    self.edition = edition
    self.chance = chance
    identifier = UInt64(self.chance.number(0x1_0100...0x3_ff00))
  }

  mutating func frame(_ schema: FrameSchema) -> FrameDraft {
    var draft = FrameDraft(schema)
    for path in schema.topLevelPaths {
      draft[path] = path.field.map { value(of: $0, width: path.lengthWidth) }
    }
    return draft
  }

  private mutating func value(of field: Field, width: Int) -> FieldDraft {
    switch field.role {
    case .token: return .octets(token(32))
    case .payload: return .octets(payload())
    case .identifier:
      identifier += 1
      return .integer(identifier)
    case .priority: return .integer(chance.pick([5, 10]))
    case .status:
      // Two statuses trigger findings.
      let codes = ErrorResponse.statuses.filter { $0.since <= edition }.map(\.code)
      let usual = codes.filter { ![0, ErrorResponse.shutdown].contains($0) }
      return .integer(UInt64(usual.randomElement(using: &chance) ?? 8))
    case .timestamp: return .integer(UInt64(chance.number(1_300_000_000...1_600_000_000)) | 1)
    default: break
    }
    let most = min(field.plausible?.upperBound ?? 16, width == 1 ? 200 : 64)
    switch field.content {
    case .integer(_, .unixSeconds):
      // Without zeros, for the same reason as tokens.
      return .integer(UInt64(chance.number(1_400_000_000...1_900_000_000)) | 0x01_0101)
    case .integer(_, .code(let names, _)): return .integer(names.keys.sorted().first ?? 1)
    case .integer(let size, _): return .integer(chance.bytes(size).span.bigEndian(0, width: size))
    case .octets:
      let least = min(max(field.plausible?.lowerBound ?? 2, 2), most)
      return .octets(chance.bytes(chance.number(least...most)))
    // A character may take four bytes.
    case .text: return .octets(Array(text(chance.number(1...max(most / 4, 1))).utf8))
    case .json: return .octets(Array("{\"k\":\"\(text(6))\"}".utf8))
    case .items(let rows):
      // Any order is allowed; usually the catalog's.
      var items = rows.filter { $0.since <= edition }
        .map { ItemDraft($0.id, data: value(of: $0.field, width: Item.headerSize - 1)) }
      if chance.percent(30) { items.shuffle(using: &chance) }
      return .items(items)
    }
  }

  /// A token that is not text and contains no zeros: a zero could be part of another frame's header, which recovery
  /// after damage would find. No payload begins in it either.
  mutating func token(_ count: Int) -> [UInt8] {
    var bytes = chance.bytes(count).map { $0 == UInt8(ascii: "{") ? $0 + 1 : max($0, 1) }
    bytes[0] |= 0x80
    bytes[count - 1] |= 0x84
    return bytes
  }

  mutating func payload() -> [UInt8] {
    let own = chance.percent(25) ? ",\"k\(chance.number(1...99))\":\"\(text(8))\"" : ""
    switch chance.number(1...10) {
    case 1: return Array("{\"aps\":{\"badge\":\(chance.number(0...99))},\"k\":\"\(text(12))\"}".utf8)
    case 2: return Array("{\"aps\":{\"alert\":{\"loc-key\":\"\(text(6))\",\"loc-args\":[\"\(text(4))\"]}}\(own)}".utf8)
    default: return Array("{\"aps\":{\"alert\":\"\(text(20))\"}\(own)}".utf8)
    }
  }

  /// A payload of exactly `size` bytes; `size` must be at least 40.
  mutating func payload(size: Int) -> [UInt8] {
    let frame = "{\"aps\":{\"alert\":\"\"}}".utf8.count
    return Array("{\"aps\":{\"alert\":\"\(String(repeating: "m", count: max(size - frame, 1)))\"}}".utf8)
  }

  /// A text of `count` characters, mostly ASCII letters.
  mutating func text(_ count: Int) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    var text = ""
    for index in 0..<count {
      let isPlain = index == 0 || index == count - 1 || chance.percent(92)
      text.append(isPlain ? chance.pick(letters) : chance.pick(["é", "ü", "漢", "🎉"]))
    }
    return text
  }
}

/// The documented sizes by edition, which trigger no finding. They are deliberately stated twice: labels must not
/// depend on the rules that they check.
extension Edition {
  var maximumPayload: Int { self < .year2017 ? 256 : 2048 }
  var tokenSizes: ClosedRange<Int> { self < .year2017 ? 32...32 : 1...100 }
}
