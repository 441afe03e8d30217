import APNSWire

/// Lengths that follow from the values by a wrong rule: the rule is run forward, as the sender runs it, and has to give
/// every length of the frame.
let lengthCauses = [lengthInCharacters, lengthInOneByte, lengthsLittleEndian, lengthsSigned]

private let peers = "senders found in public, and the threads about them"

private let lengthInCharacters = RootCause(
  "payload-length-in-characters", "the payload's length counts characters, not bytes",
  why:
    "English text passes; the first accent or emoji cuts the payload short, and the service reads its end as the next "
    + "frame.",
  fix:
    "measure the encoded bytes, not the string: bytesize in Ruby, strlen in PHP, Buffer.byteLength in JavaScript, "
    + "getBytes(UTF_8).length in Java, len(text.encode()) in Python",
  source: "arthurnn/apn_sender#52; " + peers
) { _, reading, bytes in
  guard let reading, let lie = reading.onlyLie, lie.kind == .payload, let declared = lie.declared,
    reading.isFrameLengthMeasuredOrSummed
  else { return nil }
  let count = Characters(in: bytes, lie.range)
  guard declared == count.scalars || declared == count.units else { return nil }
  let unit = declared == count.scalars ? "characters" : "UTF-16 units"
  return reading.explanation {
    "the payload has \(lie.count) bytes in \(declared) \(unit), and its length says \(declared)"
  }
}

private let lengthInOneByte = RootCause(
  "length-in-one-byte", "a length of two bytes is written as 0 and one byte",
  why: "Payloads pass until they have 256 bytes; of longer ones only the rest of the division by 256 is told.",
  fix:
    "write lengths as two bytes, big-endian: pack('n', ...) in PHP, Perl and Ruby, struct.pack('>H', ...) in Python",
  source: "ileitch/rapns#47; arthurnn/apn_sender#20; " + peers
) { _, reading, bytes in
  guard let reading, let lie = reading.onlyLie, lie.kind == .payload, let declared = lie.declared, lie.count > 0xff,
    declared <= 0xff, reading.isFrameLengthMeasuredOrSummed
  else { return nil }
  if declared == lie.count & 0xff {
    return reading.explanation {
      "the payload has \(lie.count) bytes, and its length says \(declared), which is the low byte of \(lie.count)"
    }
  }
  let count = Characters(in: bytes, lie.range)
  let wide = [count.scalars, count.units].first { $0 > 0xff && $0 & 0xff == declared }
  guard let wide else { return nil }
  return reading.explanation {
    "the payload has \(lie.count) bytes in \(wide) characters, and its length says \(declared), which is the low byte of "
      + "\(wide)"
  }
}

private let lengthsLittleEndian = RootCause(
  "lengths-little-endian", "lengths are written with their lowest byte first",
  why: "The service reads 32 as 8192, and waits for bytes that never come.",
  fix:
    "turn lengths into network byte order: htons and htonl in C, pack('n') and pack('N') in PHP, Perl and Ruby, '>' in "
    + "Python's struct.pack",
  source: peers
) { _, reading, bytes in
  guard let reading, reading.terminator == 0 else { return nil }
  if let lie = reading.onlyLie, lie.kind == .payload, let declared = lie.declared,
    declared == lie.count.swapped(lie.width), reading.isFrameLengthMeasuredOrSummed
  {
    return reading.explanation {
      "the payload has \(lie.count) bytes, and its length says \(declared): the same two bytes the other way round"
    }
  }
  var count = 0
  for value in reading.values {
    guard let declared = value.declared else { continue }
    guard declared == value.count.swapped(value.width) else { return nil }
    if !value.isTrue { count += 1 }
  }
  if case .list(let list) = reading.shape.body {
    guard reading.frameLength == reading.itemsSize.swapped(list.width) else { return nil }
    count += 1
  }
  guard count > 1, let token = reading.token, let declared = token.declared else { return nil }
  let evidence = count
  return Explanation(
    end: reading.end, weight: .lengths,
    evidence: {
      "all \(evidence) lengths fit with their bytes the other way round: the token has \(token.count) bytes, and its length "
        + "says \(declared)"
    },
    repaired: { reading.repaired($0, swapsNumbers: reading.hasSwappedExpiry($0)) })
}

private let lengthsSigned = RootCause(
  "lengths-signed", "a length is kept in a signed type that is too small",
  why: "From 128 bytes on, or 32768, the length turns negative; widened with its sign, it says more than 65000.",
  fix: "keep lengths in unsigned types, and mask a byte with 0xff before it is widened", source: peers
) { _, reading, _ in
  guard let reading, reading.terminator == 0, let payload = reading.payload, let declared = payload.declared,
    reading.values.allSatisfy({ $0.kind == .payload || $0.isTrue })
  else { return nil }
  if declared == payload.count {
    // Right in its own two bytes, but summed up with its sign.
    guard let frameLength = reading.frameLength, payload.count >= 0x8000 else { return nil }
    guard frameLength == (reading.itemsSize - 0x1_0000) & 0xffff_ffff else { return nil }
    return reading.explanation {
      "the payload has \(payload.count) bytes, and the frame length is short by 65536: it was summed up with a length of "
        + "\(payload.count - 0x1_0000)"
    }
  }
  guard payload.count & 0x80 != 0, declared == 0xff00 | payload.count & 0xff else { return nil }
  if let frameLength = reading.frameLength {
    let signed = reading.summed { $0.kind == .payload ? declared - 0x1_0000 : $0.count }
    guard frameLength == reading.itemsSize || frameLength == signed & 0xffff_ffff else { return nil }
  }
  return reading.explanation {
    "the payload has \(payload.count) bytes, and its length says \(declared), which is \(declared - 0x1_0000) in a signed type"
  }
}

extension ContentReading {
  /// Every length of the frame is accounted for.
  func explanation(_ weight: Explanation.Weight = .lengths, _ evidence: @escaping @Sendable () -> String) -> Explanation
  {
    Explanation(end: end, weight: weight, evidence: evidence, repaired: { repaired($0) })
  }

  /// A time of this service's years, with its lowest byte first.
  fileprivate func hasSwappedExpiry(_ bytes: Span<UInt8>) -> Bool {
    guard let expiry = values.first(where: { $0.field.name == Field.expiry.name }) else { return false }
    let years = 1_200_000_000...2_000_000_000
    let written = bytes.number(at: expiry.range.lowerBound, width: expiry.count)
    return !years.contains(written) && years.contains(written.swapped(expiry.count))
  }

  fileprivate func repaired(_ bytes: Span<UInt8>, swapsNumbers: Bool) -> [UInt8]? {
    guard swapsNumbers, var frame = repaired(bytes) else { return repaired(bytes) }
    // All values have their sizes, so they stand where they stood.
    for value in values where value.kind == .number {
      let place = value.range.lowerBound - start
      frame.replaceSubrange(place..<(place + value.count), with: bytes.octets(value.range).reversed())
    }
    return frame
  }
}

extension Int {
  /// With its bytes the other way round.
  fileprivate func swapped(_ width: Int) -> Int {
    var value = 0
    for index in 0..<width { value = value << 8 | (self >> (8 * index)) & 0xff }
    return value
  }
}

/// What strings count in UTF-8 text.
struct Characters {
  var scalars = 0
  /// Of UTF-16.
  var units = 0

  init(in bytes: Span<UInt8>, _ range: Range<Int>) {
    for index in range where bytes[index] & 0xc0 != 0x80 {
      scalars += 1
      units += bytes[index] >= 0xf0 ? 2 : 1
    }
  }
}
