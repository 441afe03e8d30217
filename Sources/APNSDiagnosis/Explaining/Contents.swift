import APNSWire
import Octets

/// A value at an offset.
struct ValueReading {
  /// Nil if bytes of the value are lost.
  let bytes: [UInt8]?
  let end: Int
  let deviation: Deviation?
  let bits: Int
}

/// Reads counted values as their contents tell, whatever their lengths say.
struct Contents {
  private let window: Window
  private let bytes: [UInt8]
  /// All values that were read. Those at one offset follow each other.
  private(set) var all: [ValueReading] = []
  private var known: [Int: Range<Int>] = [:]

  init(_ window: Window) { (self.window, bytes) = (window, window.bytes) }

  /// The ways to read the value of a slot at `place`, as indices of ``all``.
  ///
  /// - Parameters:
  ///   - declared: its length; nil if it has none.
  ///   - isPlain: whether the value has no deviation.
  mutating func values(
    of slot: Int, _ form: Int, at place: Int, _ declared: Int?, isPlain: Bool
  ) -> Range<Int> {
    // One number is hashed faster than five.
    let reading = (place * window.forms.count + form) * FrameForm.mostSlots + slot
    let key = (reading * (WritingReader.longestLength + 2) + (declared ?? -1) + 1) * 2 + (isPlain ? 1 : 0)
    if let known = known[key] { return known }
    let (form, first) = (window.forms[form], all.count)
    if form.slots[slot].isJSON {
      addPayloads(at: place, form, declared, isPlain: isPlain)
    } else if form.slots[slot].role == .token {
      addTokens(at: place, declared)
      if !isPlain { addFaultyTokens(at: place, form, declared) }
      if declared == Evidence.tokenSize { addLongToken(at: place, form) }
    } else if let declared, place + declared <= bytes.count {
      // Octets of no known content end where their length says.
      add(place..<(place + declared), place + declared, nil, 8 * declared)
    }
    known[key] = first..<all.count
    return first..<all.count
  }

  private mutating func add(_ range: Range<Int>, _ end: Int, _ deviation: Deviation?, _ bits: Int) {
    add(Array(bytes[range]), end, deviation, bits)
  }

  private mutating func add(_ value: [UInt8]?, _ end: Int, _ deviation: Deviation?, _ bits: Int) {
    all.append(ValueReading(bytes: value, end: end, deviation: deviation, bits: bits))
  }

  private mutating func addTokens(at place: Int, _ declared: Int?) {
    let size = Evidence.tokenSize
    let own = place..<(place + size)
    guard own.upperBound <= bytes.count else { return }
    let isToken = Evidence.isToken(bytes, at: place)
    if declared == size || isToken { add(own, own.upperBound, nil, 256) }
    guard let declared, 33...130 ~= declared, place + declared <= bytes.count else { return }
    let end = place + declared
    if isToken {
      // A token of another size has at least its length.
      if declared > size + 2, declared <= Self.longestToken { add(place..<end, end, nil, 8 * declared + 15) }
      if bytes[own.upperBound..<end].allSatisfy({ $0 == 0 || Evidence.isSpace($0) }) {
        add(own, end, .value(.token, .paddingAfter), 256)
      }
      if declared == 64, bytes[own].elementsEqual(bytes[own.upperBound..<end]) {
        add(own, end, .value(.token, .twice), 256)
      }
    }
    let before = bytes[place..<(end - size)]
    let isItsSize = before.last == UInt8(size) && before.dropLast().allSatisfy { $0 == 0 }
    let isSigned = Evidence.isSigned(bytes[place..<end])
    let isZeros = declared > 33 && before.allSatisfy { $0 == 0 }
    if isItsSize || isZeros || isSigned, Evidence.isToken(bytes, at: end - size) {
      // One such token may be longer.
      add((end - size)..<end, end, .value(.token, .paddingBefore), isSigned ? 260 : 256)
    }
  }

  private mutating func addFaultyTokens(at place: Int, _ form: FrameForm, _ declared: Int?) {
    let size = Evidence.tokenSize
    if declared == size {
      // Bytes of the token are lost, or there are foreign ones among them.
      let faults: KeyValuePairs<Int, ValueFault> = [
        -1: .byteLost, -2: .bytesLost, -3: .bytesLost, 1: .byteAdded, 2: .bytesAdded,
      ]
      for (more, fault) in faults where place + size + more < bytes.count {
        add(nil, place + size + more, .value(.token, fault), 8 * (size + more))
      }
    }
    if let declared, let end = endOfReplaced(place, declared, form) {
      add(nil, end, .value(.token, end == place + declared ? .replaced : .replacedAfterwards), 8 * size)
    }
    if let declared, place + declared <= bytes.count, let digits = digitsInText(place..<(place + declared)) {
      add(digits, place + declared, .value(.token, .textAround), 256)
    }
    // Without a payload, only its length shows that a longer text is a token.
    let mayBeCoded = form.hasPayload || declared.map { size + 1...130 ~= $0 } ?? false
    for decoding in mayBeCoded ? window.decodings(at: place, for: .token) : [] {
      let (out, ends) = (decoding.decoded.bytes, decoding.decoded.ends)
      guard ends.count > size, ends[size] > 0, Evidence.isToken(out, at: 0),
        form.hasPayload || Int(ends[size]) - place == declared
      else { continue }
      var end = Int(ends[size])
      // A terminator or a line end may follow the text.
      if let declared, end < place + declared, place + declared <= min(end + 4, bytes.count),
        bytes[end..<(place + declared)].allSatisfy({ $0 == 0 || Evidence.isSpace($0) })
      {
        end = place + declared
      }
      add(Array(out[..<size]), end, .coding(.token, decoding.rows, price: decoding.price), 256)
    }
  }

  /// The token whose hexadecimal digits are in a text of a certain size, alone or in groups.
  private func digitsInText(_ range: Range<Int>) -> [UInt8]? {
    let (count, text) = (2 * Evidence.tokenSize, bytes[range])
    guard count + 1...200 ~= range.count, text.allSatisfy({ $0 == 0 || $0 > 0x1f || Evidence.isSpace($0) }),
      case let groups = text.split(whereSeparator: { $0.hexDigitValue == nil }).filter({ $0.count > 7 }),
      case let digits = Array(groups.joined()), digits.count == count, let token = [UInt8](hexDigits: digits),
      Evidence.isToken(token.span)
    else { return nil }
    return token
  }

  /// A token of another size, whose length says 32 all the same: it ends before the header of the payload.
  private mutating func addLongToken(at place: Int, _ form: FrameForm) {
    guard let payload = form.slots.first(where: \.isJSON) else { return }
    let id = payload.item.map { [$0] } ?? []
    let header = id.count + payload.lengthWidth
    // Where the size is nearly right, bytes of the token are more likely lost or added.
    for end in place + 1...place + Self.longestToken where abs(end - place - Evidence.tokenSize) > 2 {
      guard let object = window.objectEnd(at: end + header), bytes[end...].starts(with: id),
        bytes.number(end + id.count, payload.lengthWidth) == object - end - header
      else { continue }
      // After 32 bytes, the length of a payload that ends there may be, too, or items that lead to the payload.
      let usual = place + Evidence.tokenSize
      if bytes.number(usual + id.count, payload.lengthWidth) == object - usual - header { return }
      if itemsEnd(from: usual, form, upTo: end) == end { return }
      let token = Array(bytes[place..<end])
      guard window.replacements(in: place..<end) == 0, !token.holdsText, !token.holds(Array("{\"".utf8)),
        !token.holds([0, UInt8(Evidence.tokenSize)])
      else { return }
      return add(token, end, nil, 8 * token.count)
    }
  }

  private static let longestToken = 128

  /// Where documented items from `start` on end, of which the last one begins before `limit`; nil without any.
  private func itemsEnd(from start: Int, _ form: FrameForm, upTo limit: Int) -> Int? {
    var place = start
    while place < limit, form.slots.contains(where: { $0.item == bytes[place] }),
      let size = bytes.number(place + 1, Item.headerSize - 1)
    {
      place += Item.headerSize + size
    }
    return place > start ? place : nil
  }

  /// The end of a token of which bytes became U+FFFD; nil if there is none.
  private func endOfReplaced(_ place: Int, _ declared: Int, _ form: FrameForm) -> Int? {
    guard window.replacements(in: place..<(place + Self.longestToken)) > 2,
      let payload = form.slots.first(where: \.isJSON)
    else { return nil }
    let header = payload.lengthWidth + (payload.item == nil ? 0 : 1)
    let ends = [place + declared] + (place + Evidence.tokenSize...place + Self.longestToken)
    return ends.first { end in
      guard end > place, declared == Evidence.tokenSize || end == place + declared, end + header < bytes.count,
        bytes[end + header] == UInt8(ascii: "{")
      else { return false }
      return window.replacements(in: place..<end) > 2
    }
  }

  private mutating func addPayloads(at place: Int, _ form: FrameForm, _ declared: Int?, isPlain: Bool) {
    let stated = declared.flatMap { place + $0 <= bytes.count ? place + $0 : nil }
    // White space before an object is a part of it if its length says so.
    let spaces = stated == nil ? 0 : bytes[place...].prefix(while: Evidence.isSpace).count
    if let end = window.objectEnd(at: place + spaces), spaces == 0 || stated == end {
      let (own, bits) = (place..<end, 5 * (end - place))
      add(own, end, nil, bits)
      let again = 2 * end - place
      if again <= bytes.count, bytes[end..<again].elementsEqual(bytes[own]) {
        add(own, again, .value(.payload, .twice), bits)
      }
      if let stated, stated > end {
        if bytes[end..<stated].allSatisfy(Evidence.isSpace) { add(place..<stated, stated, nil, 5 * (stated - place)) }
        let rest = bytes[end..<stated]
        let isPadding = rest.allSatisfy(Evidence.isFill) || rest.count <= 4 && rest.allSatisfy(Self.closing.contains)
        if Evidence.mayBePadding(rest), itemsEnd(from: end, form, upTo: stated) != stated {
          add(own, stated, .payloadPadding(isCounted: true), bits + (isPadding ? 0 : 2 * (stated - end)))
        }
      }
      let padded = end + bytes[end...].prefix { Evidence.isSpace($0) || $0 == 0 }.count
      if padded > end, padded != stated { add(own, padded, .payloadPadding(isCounted: false), bits + 4) }
      guard Evidence.mayMeanAnother(text: bytes[own]) else { return }
    }
    if isPlain { return }
    // As C# writes a string; in other texts, one byte could be the length of the payload.
    for start in [place + 1, place + 2] {
      guard let declared, let end = window.objectEnd(at: start), end == stated || end - start == declared,
        bytes[place..<start].elementsEqual(varintBytes(end - start))
      else { continue }
      add(start..<end, end, .coding(.payload, .sizeBefore), 5 * (end - start))
    }
    for decoding in window.decodings(at: place, for: .payload) { addPayloads(decoding, stated) }
    if let stated, let object = objectInText(place..<stated) {
      let others = stated - place - object.count
      add(object, stated, .value(.payload, .textAround), 5 * object.count + 2 * others)
    }
  }

  /// The only object in a text of a certain size; nil if there is none, or more.
  private func objectInText(_ range: Range<Int>) -> Range<Int>? {
    let brace = UInt8(ascii: "{")
    guard let start = bytes[range].prefix(WritingReader.reach).firstIndex(of: brace),
      let end = window.objectEnd(at: start),
      end <= range.upperBound,
      end - start >= DecoderBank.shortestPayload, range.count > end - start, bytes.span.isUTF8(range),
      case let others = bytes[range.lowerBound..<start] + bytes[end..<range.upperBound],
      others.allSatisfy({ ($0 > 0x1f || Evidence.isSpace($0)) && $0 != brace }), Array(bytes[start..<end]).holdsAps
    else { return nil }
    return start..<end
  }

  /// What may follow an object in a text, also in brackets or quotes.
  private static let closing: ByteSet = "\"'])}>;,\u{3}"

  /// The object in a decoded text, with and without what may close the text.
  private mutating func addPayloads(_ decoding: DecoderBank.Decoding, _ stated: Int?) {
    let (out, ends) = (decoding.decoded.bytes, decoding.decoded.ends)
    var end = decoding.object.upperBound
    let object = Array(out[decoding.object])
    while end < ends.count - 1, ends[end] < 0, [0x20, 0, 0x0d, 0x0a].contains(out[end]) { end += 1 }
    guard case let sourceEnd = Int(ends[end]), sourceEnd >= 0 else { return }
    let bits = 5 * min(object.count, sourceEnd - Int(ends[0]))
    let deviation = Deviation.coding(.payload, decoding.rows, price: decoding.price)
    add(object, sourceEnd, deviation, bits)
    if let stated, sourceEnd < stated, stated <= sourceEnd + 4, case let rest = bytes[sourceEnd..<stated],
      rest.allSatisfy({ $0 == 0 }) || rest.allSatisfy({ Evidence.isSpace($0) || Self.closing.contains($0) })
    {
      add(object, stated, deviation, bits)
    }
  }
}

extension [UInt8] {
  /// Whether eight printable characters follow each other, which no token has by chance.
  fileprivate var holdsText: Bool {
    var run = 0
    return contains { byte in
      run = 0x20...0x7e ~= byte ? run + 1 : 0
      return run == 8
    }
  }
}
