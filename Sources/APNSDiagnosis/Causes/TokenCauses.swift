import APNSPayload
import APNSWire
import Octets

/// Tokens sent as text, and tokens whose size is not the length that is always written.
let tokenCauses = [tokenAsText, tokenLengthConstant]

private let tokenAsText = RootCause(
  .tokenAsHexText, "the token is sent as hexadecimal text",
  why: "The service reads the text as the token, and no device has that token.",
  fix:
    "decode the digits before sending, so that a token of 64 digits has 32 bytes: [token].pack('H*') in Ruby, pack('H*', $token) "
    + "in PHP, bytes.fromhex(token) in Python, Buffer.from(token, 'hex') in JavaScript",
  source: "observed: timehop/apns#4; calonso/ruby-push-notifications#7; node-apn/node-apn#233"
) { _, reading, bytes in
  guard let reading, reading.terminator == 0, let token = reading.token, let declared = token.declared,
    TokenShape(of: token.range, in: bytes).holdsDigits
  else { return nil }
  guard token.isTrue || declared == 32, reading.values.allSatisfy({ $0.kind == .token || $0.isTrue }),
    reading.isFrameLengthMeasuredOrSummed
  else { return nil }
  let digits = HexText.digits(bytes, token.range)
  return Explanation(
    end: reading.end, weight: .lengths,
    evidence: {
      "the \(token.count) bytes of the token are text: \(digits) hexadecimal digits"
        + (token.isTrue ? "" : ", and its length says \(declared)")
    },
    repaired: { bytes in
      guard digits.isMultiple(of: 2) else { return nil }
      return reading.repaired(bytes, token: HexText.decoded(bytes, token.range))
    })
}

private let tokenLengthConstant = RootCause(
  .tokenLengthConstant, "the token length is always written as 32",
  why:
    "With a token of another size, the service reads the end of the token as the payload, or the payload as the end of "
    + "the token.",
  fix: "write the token's actual length, or refuse tokens that don't have 32 bytes",
  source: "observed: Coccodrillo/apns#20; joekarl/go-libapns#14; node-apn/node-apn#133; nomad-cli/houston#56"
) { place, reading, bytes in
  guard let reading, let lie = reading.onlyLie, lie.kind == .token, lie.declared == 32,
    reading.isFrameLengthMeasuredOrSummed, !TokenShape(of: lie.range, in: bytes).holdsDigits,
    !place.beginsOther(in: lie.range, bytes)
  else { return nil }
  // A token of 31 or 33 bytes could also be one that lost or gained a byte.
  let isSlight = abs(lie.count - 32) == 1 && reading.frameLength != reading.itemsSize
  var explanation = reading.explanation(isSlight ? .slight : .lengths) {
    "the token has \(lie.count) bytes, and its length says 32"
  }
  explanation.isLoose = reading.frameLength == nil
  return explanation
}

extension Place {
  /// Pieces of another writer's frame are inside what looks like one token: its head after 32 bytes, or the length of its
  /// token.
  fileprivate func beginsOther(in token: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    for index in token.dropLast() where bytes.number(at: index, width: 2) == 32 { return true }
    let head = token.dropFirst(32)
    guard let command = head.first, let shape = shape(bytes[command]) else { return false }
    switch shape.body {
    case .flat(let flat): return head.count == 1 + flat.fixedSize
    case .list: return head.count == shape.headerSize
    }
  }
}

extension ContentReading {
  fileprivate func repaired(_ bytes: Span<UInt8>, token: [UInt8]) -> [UInt8]? {
    var draft = FrameDraft(shape.schema)
    if case .list(let list) = shape.body {
      draft.values[list.field.name.member] = .items(
        values.map { value in
          ItemDraft(
            value.item ?? 0,
            data: .octets(value.kind == .token ? token : [UInt8](copying: bytes.extracting(value.range))))
        })
    } else {
      for value in values {
        draft.values[field(of: value).name.member] = .octets(
          value.kind == .token ? token : [UInt8](copying: bytes.extracting(value.range)))
      }
    }
    return try? draft.bytes()
  }
}
