import APNSWire
import Octets

/// Frames with the correct fields in the wrong order: read strictly in that order.
let orderCauses = [fieldsOutOfOrder, enhancedBehindCommand0]

private let fieldsOutOfOrder = RootCause(
  .fieldsOutOfOrder, "the fields are correct but in the wrong order",
  why: "The service reads each field as another one.",
  fix: "write the fields in the order of the format; a packed struct with both lengths first cannot do that",
  source:
    "Local and Push Notification Programming Guide (2013), The Binary Interface and Notification Format: the format is "
    + "\"made up of the following, in order\""
) { place, _, bytes in
  guard place.start < place.limit, let shape = place.shape(bytes[place.start]) else { return nil }
  switch shape.body {
  case .flat(let flat):
    for order in Order.wrong(of: flat) {
      guard let values = order.values(of: flat, place, bytes) else { continue }
      return values.explanation(shape, evidence: order.words)
    }
    return nil
  case .list(let list):
    return lengthBeforeID(shape, list, place, bytes)
  }
}

private let enhancedBehindCommand0 = RootCause(
  .enhancedFieldsBehindCommand0, "identifier and expiry are written after command 0",
  why: "Command 0 has no such fields: the service reads the identifier as the token length.",
  fix: "write 01 as the command",
  source:
    "Local and Push Notification Programming Guide (2013), Simple Notification Format: command 0 has neither identifier nor "
    + "expiry"
) { place, _, bytes in
  guard place.start < place.limit,
    let written = place.shapes.first(where: { $0.schema.name == LegacyNotification.schema.name }),
    bytes[place.start] == written.command,
    let meant = place.shapes.first(where: { $0.schema.name == EnhancedNotification.schema.name }),
    case .flat(let flat) = meant.body, let values = Order.right(of: flat).values(of: flat, place, bytes)
  else { return nil }
  return values.explanation(
    meant, evidence: "with command 1 all lengths fit, identifier and expiry included")
}

/// An order in which a sender may write the fields of a flat frame.
private struct Order {
  let units: [Unit]
  let words: String

  enum Unit { case fixed, tokenLength, token, payloadLength, payload }

  static func right(of flat: Shape.Flat) -> Order {
    Order(units: [.fixed, .tokenLength, .token, .payloadLength, .payload], words: "")
  }

  static func wrong(of flat: Shape.Flat) -> [Order] { flat.fixed.isEmpty ? wrongWithoutNumbers : wrong }

  private static let wrongWithoutNumbers = wrong.filter { $0.units[0] == .fixed }
  private static let wrong = [
    Order(
      units: [.fixed, .payloadLength, .payload, .tokenLength, .token],
      words: "all lengths fit if the payload comes before the token"),
    Order(
      units: [.fixed, .tokenLength, .payloadLength, .token, .payload],
      words: "all lengths fit if both lengths come before the token"),
    Order(
      units: [.fixed, .payloadLength, .tokenLength, .token, .payload],
      words: "all lengths fit if both lengths come before the token, the payload length first"),
    Order(
      units: [.fixed, .token, .tokenLength, .payloadLength, .payload],
      words: "all lengths fit if the token length follows the token"),
    Order(
      units: [.tokenLength, .token, .payloadLength, .payload, .fixed],
      words: "all lengths fit if identifier and expiry follow the payload"),
    Order(
      units: [.tokenLength, .token, .fixed, .payloadLength, .payload],
      words: "all lengths fit if identifier and expiry follow the token"),
  ]

  /// The values in this order, if every length fits exactly.
  func values(of flat: Shape.Flat, _ place: borrowing Place, _ bytes: Span<UInt8>) -> OrderedValues? {
    var position = place.start + 1
    var found = OrderedValues(start: place.start)
    var tokenLength: Int?
    var payloadLength: Int?
    for unit in units {
      switch unit {
      case .fixed:
        found.fixed = position..<(position + flat.fixedSize)
        position += flat.fixedSize
      case .tokenLength:
        guard position + flat.tokenWidth <= place.limit else { return nil }
        let length = bytes.number(at: position, width: flat.tokenWidth)
        guard Field.tokenSizes.contains(length), found.token == nil || found.token?.count == length else { return nil }
        tokenLength = length
        position += flat.tokenWidth
      case .token:
        guard let size = tokenLength ?? sizeByPayload(flat, at: position, place, bytes) else { return nil }
        found.token = position..<(position + size)
        position += size
      case .payloadLength:
        guard position + flat.payloadWidth <= place.limit else { return nil }
        payloadLength = bytes.number(at: position, width: flat.payloadWidth)
        position += flat.payloadWidth
      case .payload:
        guard let payloadLength, position < place.limit,
          place.objectEnd(at: position, in: bytes) == position + payloadLength
        else { return nil }
        found.payload = position..<(position + payloadLength)
        position += payloadLength
      }
      guard position <= place.limit else { return nil }
    }
    found.end = position
    return found
  }

  /// The size of a token whose length follows it.
  private func sizeByPayload(
    _ flat: Shape.Flat, at start: Int, _ place: borrowing Place, _ bytes: Span<UInt8>
  ) -> Int? {
    for size in Field.tokenSizes {
      let brace = start + size + flat.tokenWidth + flat.payloadWidth
      guard brace < place.limit else { return nil }
      if bytes[brace] == UInt8(ascii: "{"), bytes.number(at: start + size, width: flat.tokenWidth) == size {
        return size
      }
    }
    return nil
  }
}

private struct OrderedValues {
  let start: Int
  var end = 0
  var fixed: Range<Int>?
  var token: Range<Int>?
  var payload: Range<Int>?

  init(start: Int) { self.start = start }

  func explanation(_ shape: Shape, evidence: String) -> Explanation? {
    guard let token, let payload, case .flat(let flat) = shape.body else { return nil }
    let fixed = fixed
    return Explanation(
      end: end, weight: .lengths,
      evidence: { "\(evidence): a token of \(token.count) bytes, and a payload of \(payload.count)" },
      repaired: { bytes in
        var draft = FrameDraft(shape.schema)
        var position = fixed?.lowerBound ?? 0
        for field in flat.fixed {
          let size = field.size ?? 0
          draft.values[field.name.member] = .octets([UInt8](copying: bytes.extracting(position..<(position + size))))
          position += size
        }
        draft.values[flat.token.name.member] = .octets([UInt8](copying: bytes.extracting(token)))
        draft.values[flat.payload.name.member] = .octets([UInt8](copying: bytes.extracting(payload)))
        return try? draft.bytes()
      })
  }
}

/// Items whose length precedes their id.
private func lengthBeforeID(
  _ shape: Shape, _ list: Shape.List, _ place: borrowing Place, _ bytes: Span<UInt8>
) -> Explanation? {
  let first = place.start + shape.headerSize
  guard first <= place.limit else { return nil }
  let end = first + bytes.number(at: place.start + 1, width: list.width)
  guard end > first, end <= place.limit else { return nil }
  var position = first
  var items: [(ItemID, Range<Int>)] = []
  var hasPayload = false
  while position < end {
    guard position + Item.headerSize <= end else { return nil }
    let id = ItemID(rawValue: bytes[position + 2])
    guard let item = list.items.first(where: { $0.id == id }), !items.contains(where: { $0.0 == id }) else {
      return nil
    }
    let data = (position + Item.headerSize)..<(position + Item.headerSize + bytes.number(at: position, width: 2))
    guard data.upperBound <= end else { return nil }
    switch item.field.content {
    case .integer(let size, _): guard data.count == size else { return nil }
    case .json:
      guard place.objectEnd(at: data.lowerBound, in: bytes) == data.upperBound else { return nil }
      hasPayload = true
    case .octets, .text: guard Field.tokenSizes.contains(data.count) else { return nil }
    case .items: return nil
    }
    items.append((id, data))
    position = data.upperBound
  }
  guard hasPayload, items.count > 1 else { return nil }
  let found = items
  return Explanation(
    end: end, weight: .lengths,
    evidence: { "all \(found.count) items fit if the length of each comes before its id" },
    repaired: { bytes in
      var draft = FrameDraft(shape.schema)
      draft.values[list.field.name.member] = .items(
        found.map { ItemDraft($0.0, data: .octets([UInt8](copying: bytes.extracting($0.1)))) })
      return try? draft.bytes()
    })
}
