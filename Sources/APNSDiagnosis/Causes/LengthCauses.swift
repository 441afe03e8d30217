import APNSWire
import Octets

/// Lengths computed from the values by a wrong rule. The rule is run forward, as the sender runs it, and has to give every
/// length of the frame.
let lengthCauses = [lengthInCharacters, lengthInOneByte, lengthsLittleEndian, lengthsSigned]

private let lengthInCharacters = RootCause(
  .payloadLengthInCharacters, "the payload length counts characters instead of bytes",
  why:
    "English text works. The first accented letter or emoji makes the length too small, and the service reads the rest of "
    + "the payload as the next frame.",
  fix:
    "count the encoded bytes, not the characters: bytesize in Ruby, strlen in PHP, Buffer.byteLength in JavaScript, "
    + "getBytes(UTF_8).length in Java, len(text.encode()) in Python",
  source:
    "observed: arthurnn/apn_sender#52; bpoweski/apnserver, to_bytes (j.size); PHP scripts with chr(mb_strlen($payload))"
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
  .lengthInOneByte, "a two-byte length is written as 00 and one byte",
  why: "Payloads of up to 255 bytes work. Longer ones get a length that is a multiple of 256 too small.",
  fix:
    "write lengths as two bytes, big-endian: pack('n', ...) in PHP, Perl and Ruby, struct.pack('>H', ...) in Python",
  source:
    "observed: ileitch/rapns#47; arthurnn/apn_sender#20; jwang/apn_on_rails, notification.rb (json.length.chr); PHP scripts "
    + "with chr(0).chr(strlen($payload))"
) { _, reading, bytes in
  guard let reading, let lie = reading.onlyLie, lie.kind == .payload, let declared = lie.declared, lie.count > 0xff,
    declared <= 0xff, reading.isFrameLengthMeasuredOrSummed
  else { return nil }
  if declared == lie.count & 0xff {
    return reading.explanation {
      "the payload has \(lie.count) bytes, and its length says \(declared), the low byte of \(lie.count)"
    }
  }
  let count = Characters(in: bytes, lie.range)
  let wide = [count.scalars, count.units].first { $0 > 0xff && $0 & 0xff == declared }
  guard let wide else { return nil }
  return reading.explanation {
    "the payload has \(lie.count) bytes in \(wide) characters, and its length says \(declared), the low byte of \(wide)"
  }
}

private let lengthsLittleEndian = RootCause(
  .lengthsLittleEndian, "lengths are written with the lowest byte first",
  why: "The service reads 32 as 8192, so the frame seems far longer than it is.",
  fix:
    "write lengths in network byte order: htons and htonl in C, pack('n') and pack('N') in PHP, Perl and Ruby, '>' in "
    + "Python's struct.pack",
  source:
    "Local and Push Notification Programming Guide (2013), The Binary Interface and Notification Format: \"All data is "
    + "specified in network order, that is big endian\""
) { _, reading, bytes in
  guard let reading, reading.terminator == 0 else { return nil }
  if let lie = reading.onlyLie, lie.kind == .payload, let declared = lie.declared,
    declared == lie.count.swapped(lie.width), reading.isFrameLengthMeasuredOrSummed
  {
    return reading.explanation {
      "the payload has \(lie.count) bytes, and its length says \(declared): the same two bytes in reverse order"
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
      "all \(evidence) lengths fit if their bytes are reversed: the token has \(token.count) bytes, and its length "
        + "says \(declared)"
    },
    repaired: { reading.repaired($0, swapsNumbers: reading.hasSwappedExpiry($0)) })
}

private let lengthsSigned = RootCause(
  .lengthsSigned, "a length is stored in a signed type that is too small",
  why: "From 128 or 32768 bytes on, the length turns negative; widened with its sign, it becomes more than 65000.",
  fix: "store lengths in unsigned types, and mask a byte with 0xff before you widen it",
  source: "observed: signed lengths in TomACPace/apnsd (!h32sh), arthurnn/apn_sender (cs>a*), Redth/PushSharp "
    + "(Convert.ToInt16) and sbabiv/CSAPNS (short)"
) { _, reading, _ in
  guard let reading, reading.terminator == 0, let payload = reading.payload, let declared = payload.declared,
    reading.values.allSatisfy({ $0.kind == .payload || $0.isTrue })
  else { return nil }
  if declared == payload.count {
    // Correct in its own two bytes, but added to the sum with its sign.
    guard let frameLength = reading.frameLength, payload.count >= 0x8000 else { return nil }
    guard frameLength == (reading.itemsSize - 0x1_0000) & 0xffff_ffff else { return nil }
    return reading.explanation {
      "the payload has \(payload.count) bytes, and the frame length is short by 65536: it was added up with a length of "
        + "\(payload.count - 0x1_0000)"
    }
  }
  guard payload.count & 0x80 != 0, declared == 0xff00 | payload.count & 0xff else { return nil }
  if let frameLength = reading.frameLength {
    let signed = reading.summed { $0.kind == .payload ? declared - 0x1_0000 : $0.count }
    guard frameLength == reading.itemsSize || frameLength == signed & 0xffff_ffff else { return nil }
  }
  return reading.explanation {
    "the payload has \(payload.count) bytes, and its length says \(declared), which is \(declared - 0x1_0000) as a signed number"
  }
}

extension ContentReading {
  /// Every length of the frame is accounted for.
  func explanation(_ weight: Explanation.Weight = .lengths, _ evidence: @escaping @Sendable () -> String) -> Explanation
  {
    Explanation(
      end: end, weight: weight, evidence: evidence, correction: { correction }, repaired: { repaired($0) })
  }

  /// The wrong lengths, as they should be written; nil if more than two are wrong.
  private var correction: String? {
    var wrong: [String] = []
    for value in values where !value.isTrue {
      wrong.append("\(wireBytes(value.count, width: value.width)) as the \(field(of: value).name.title) length")
    }
    let items = summed { $0.count }
    if case .list(let list) = shape.body, let frameLength, frameLength != items {
      wrong.append("\(wireBytes(items, width: list.width)) as the frame length")
    }
    return 1...2 ~= wrong.count ? "write " + wrong.joined(separator: " and ") + ";" : nil
  }

  /// A time of this service's years, with its lowest byte first.
  fileprivate func hasSwappedExpiry(_ bytes: Span<UInt8>) -> Bool {
    guard let expiry = values.first(where: { field(of: $0).role == .expiry }) else { return false }
    let years = 1_200_000_000...2_000_000_000
    let written = bytes.number(at: expiry.range.lowerBound, width: expiry.count)
    return !years.contains(written) && years.contains(written.swapped(expiry.count))
  }

  fileprivate func repaired(_ bytes: Span<UInt8>, swapsNumbers: Bool) -> [UInt8]? {
    guard swapsNumbers, var frame = repaired(bytes) else { return repaired(bytes) }
    // All values keep their sizes, so their offsets do not change.
    for value in values where value.kind == .number {
      let place = value.range.lowerBound - start
      frame.replaceSubrange(
        place..<(place + value.count), with: [UInt8](copying: bytes.extracting(value.range)).reversed())
    }
    return frame
  }
}

extension Int {
  /// With its bytes reversed.
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
