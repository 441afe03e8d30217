import Octets

/// The bytes from a doubtful frame on, with what was found out about their contents.
final class Window {
  let bytes: [UInt8]
  /// The bytes of the stream before them, as far as they are kept.
  let before: [UInt8]
  let forms: [FrameForm]
  let bank: DecoderBank
  /// Whether the stream ends with these bytes.
  let isEnd: Bool
  /// What was done so far, in units of about a nanosecond, and how much may be.
  private(set) var work: Int
  private let mostWork: Int
  /// The frames as documented, and for each offset which one begins there, counted from 1; 0 before it was read, and
  /// -1 for none.
  private var documents: [DocumentedFrame] = []
  private var documentNumbers: [Int32]
  private var objects: [Int: Int?] = [:]
  private var encoded: [UInt8: [Int: [DecoderBank.Decoding]]] = [:]
  /// For each offset, whether head, token and payload of a frame are where they usually are.
  private lazy var beginnings = bytes.indices.map { place in forms.contains { $0.begins(at: place, in: bytes) } }
  /// For each offset, the next frame in which nothing is doubtful, as far as it was looked for.
  private var limits: [Range<Int>?] = []
  /// No payload begins at these offsets.
  private var payloadFree = 0..<0

  init(
    _ bytes: [UInt8], after before: [UInt8] = [], _ forms: [FrameForm], _ bank: DecoderBank, isEnd: Bool,
    mostWork: Int = .max
  ) {
    (self.bytes, self.before, self.forms, self.bank, self.isEnd) = (bytes, before, forms, bank, isEnd)
    (work, self.mostWork) = (2 * bytes.count, mostWork)
    documentNumbers = [Int32](repeating: 0, count: bytes.count)
  }

  var isSpent: Bool { work >= mostWork }

  func spend(_ units: Int) { work += units }

  func documented(at place: Int) -> DocumentedFrame? { index(ofFrameAt: place).map { documents[$0] } }

  /// Whether nothing in the frame at `place` is doubtful.
  func isPlain(at place: Int) -> Bool { index(ofFrameAt: place).map { documents[$0].isPlain } ?? false }

  /// Whether lengths that are right divide the frame at `place`, and it is not the end of a longer one.
  func isDivided(at place: Int) -> Bool {
    documented(at: place)?.isDivided == true && !isEndOfLonger(at: place)
  }

  /// Whether the frame at `place` ends where its lengths say, whatever else is doubtful.
  func endsAsStated(at place: Int) -> Bool { isPlain(at: place) || isDivided(at: place) }

  /// Whether the bytes before a frame may be its own: zeros before one whose contents are faulty.
  func mayBeOwn(_ bytes: ArraySlice<UInt8>, ofFrameAt place: Int) -> Bool {
    documented(at: place)?.isSound == false && bytes.allSatisfy { $0 == 0 }
  }

  /// Whether the frame at `place` is also the end of a longer one, which begins at `start` or later.
  func isEndOfLonger(at place: Int, from start: Int = 0) -> Bool {
    guard let frame = documented(at: place), !forms[frame.values.form].isList else { return false }
    let token = forms[frame.values.form].usualToken
    return forms.contains { form in
      let longer = place - form.usualToken + token
      return !form.isList && form.usualToken > token && longer >= start
        && documented(at: longer)?.end == frame.end
    }
  }

  private func index(ofFrameAt place: Int) -> Int? {
    guard bytes.indices.contains(place) else { return nil }
    if documentNumbers[place] == 0 {
      var frame: DocumentedFrame?
      for (index, form) in forms.enumerated() where frame == nil {
        frame = form.documented(index, at: place, in: bytes)
      }
      spend(64 + 4 * ((frame?.end ?? place) - place))
      if let frame { documents.append(frame) }
      documentNumbers[place] = frame == nil ? -1 : Int32(documents.count)
    }
    return documentNumbers[place] > 0 ? Int(documentNumbers[place]) - 1 : nil
  }

  /// Whether a frame may begin with these bytes.
  func mayBeginFrame(at place: Int) -> Bool {
    forms.contains { form in
      form.command == bytes[place] && form.mayBegin(bytes[place...].prefix(form.head.count + 1))
    }
  }

  /// Whether head, token and payload of a frame are where they usually are.
  func looksLikeFrame(at place: Int) -> Bool { place < beginnings.count && beginnings[place] }

  /// The end of the JSON object at `place`.
  func objectEnd(at place: Int) -> Int? {
    guard place < bytes.count, bytes[place] == UInt8(ascii: "{"), !isInside(place) else { return nil }
    if let known = objects[place] { return known }
    let end = Evidence.objectEnd(bytes, place)
    let isName = place + 1 < bytes.count && bytes[place + 1] == UInt8(ascii: "\"")
    spend(2 * (end.map { $0 - place } ?? (isName ? min(Evidence.longestPayload, bytes.count - place) : 16)))
    objects[place] = .some(end)
    return end
  }

  /// Whether a brace begins a value inside an object: it follows `":`.
  private func isInside(_ place: Int) -> Bool { bytes[..<place].suffix(3).isKeyAndColon }

  /// Whether contents of a frame may begin in the next `reach` bytes: a brace, 16 printable characters, or the start of
  /// a compressed text.
  func hasContents(at place: Int, within reach: Int) -> Bool {
    bytes[place...].prefix(reach).indices.contains { index in
      let following = index + 1 < bytes.count ? bytes[index + 1] : 0
      return switch bytes[index] {
      case UInt8(ascii: "{"): true
      case 0x1f where following == 0x8b: true
      case 0x78 where [1, 0x9c, 0xda].contains(following): true
      default: bytes[index...].prefix(16).prefix { 0x21...0x7e ~= $0 }.count == 16
      }
    }
  }

  /// Whether no intact frame begins so near that it leaves no room for a token and a payload.
  func hasRoom(at place: Int) -> Bool {
    let limit = limit(after: place).upperBound
    return limit == bytes.count || limit - place >= Evidence.tokenSize + 10
  }

  /// Whether a frame with a payload may begin here: there is room for it, and a payload, plain or encoded, is near.
  func mayHoldPayload(after place: Int, within reach: Int) -> Bool {
    guard hasRoom(at: place) else { return false }
    return hasPayload(in: place..<min(place + reach, limit(after: place).upperBound))
      || forms.contains { form in
        form.usualPayload > form.usualToken && place + form.usualPayload < bytes.count
          && Evidence.isToken(bytes, at: place + form.usualToken)
          && !decodings(at: place + form.usualPayload, for: .payload).isEmpty
      }
  }

  private func hasPayload(in range: Range<Int>) -> Bool {
    var (start, index) = (range.lowerBound, range.lowerBound)
    if payloadFree.lowerBound <= start, start <= payloadFree.upperBound {
      (start, index) = (payloadFree.lowerBound, payloadFree.upperBound)
    }
    while index < range.upperBound, !isSpent, !beginsPayload(at: index) { index += 1 }
    payloadFree = start..<index
    return index < range.upperBound
  }

  /// Whether a brace, a text or compressed bytes begin here, and are a payload.
  private func beginsPayload(at index: Int) -> Bool {
    let isBrace = bytes[index] == UInt8(ascii: "{") && !isInside(index)
    // The last byte of its length may look like text.
    let beginsText =
      !(index > 1 && bytes[(index - 2)..<index].allSatisfy { 0x20...0x7e ~= $0 })
      && bytes[index...].prefix(8).count { 0x20...0x7e ~= $0 } == 8
    guard isBrace || beginsText || bytes[index...].starts(with: [0x1f, 0x8b]) else { return false }
    return objectEnd(at: index) != nil || !decodings(at: index, for: .payload).isEmpty
  }

  /// The next frame after `place` in which nothing is doubtful: a frame that begins at `place` ends before it at the
  /// latest, or with it if it may be the end of another. Such a one is followed by a frame of its kind.
  func limit(after place: Int) -> Range<Int> {
    let end = bytes.count..<bytes.count
    guard place < bytes.count else { return end }
    if limits.isEmpty { limits = [Range<Int>?](repeating: nil, count: bytes.count) }
    if let known = limits[place] { return known }
    var (next, found): (Int, Range<Int>?) = (place, nil)
    while found == nil {
      next += 1
      found = next == bytes.count ? end : limitingFrame(at: next) ?? limits[next]
    }
    for index in place..<next { limits[index] = found }
    return found ?? end
  }

  private func limitingFrame(at place: Int) -> Range<Int>? {
    guard mayBeginFrame(at: place), let frame = documented(at: place), frame.isPlain else { return nil }
    let form = forms[frame.values.form]
    // A frame of command 0 may be the end of another, so it is no proof.
    if form.isList || frame.values.number(form.slot(.expiry)) ?? 0 > 0 { return place..<place }
    return isPlain(at: frame.end) && frame.end <= limit(after: place).upperBound ? place..<frame.end : nil
  }

  /// Whether nothing in these frames is doubtful.
  func isPlain(_ meant: [UInt8]) -> Bool { plainFrames(meant) != nil }

  /// The frames that these bytes are; nil if something in them is doubtful. A token may be longer if it
  /// `mayHaveAnySize`.
  func plainFrames(_ meant: [UInt8], mayHaveAnySize: Bool = false) -> [DocumentedFrame]? {
    let stream = Window(meant, forms, bank, isEnd: true)
    var (frames, place): ([DocumentedFrame], Int) = ([], 0)
    while place < meant.count {
      guard let frame = stream.documented(at: place) else { return nil }
      let token = frame.values.bytes(forms[frame.values.form].slot(.token)) ?? []
      let isLong = frame.isWhole && frame.isOrdinary && token.count > Evidence.tokenSize
      guard frame.isPlain || mayHaveAnySize && isLong else { return nil }
      frames.append(frame)
      place = frame.end
    }
    return frames
  }

  /// Whether these are 8 to 64 bytes without a brace that also occur outside a range.
  func recur(_ some: [UInt8], outside range: Range<Int>) -> Bool {
    guard 8...64 ~= some.count, !some.contains(UInt8(ascii: "{")) else { return false }
    let bytes = bytes
    if bytes.span.first(some, in: 0..<range.lowerBound) != nil { return true }
    return bytes.span.first(some, in: range.upperBound..<bytes.count) != nil
  }

  /// Whether the bytes of a range are also the first ones of the next frame, or enough of them of a later one.
  func beginsAgain(_ range: Range<Int>) -> Bool {
    let bytes = bytes
    let most = range.count > Evidence.tokenSize / 2 ? bytes.count : min(range.upperBound + range.count, bytes.count)
    guard let place = bytes.span.first(Array(bytes[range]), in: range.upperBound..<most) else { return false }
    return isPlain(at: place)
  }

  /// Whether the bytes of a range are also those before it.
  func isAgain(_ range: Range<Int>) -> Bool {
    let earlier = before.suffix(max(0, range.count - range.lowerBound)) + bytes[..<range.lowerBound].suffix(range.count)
    return earlier.elementsEqual(bytes[range])
  }

  /// The number of U+FFFD in a range, in place of bytes that were no UTF-8.
  func replacements(in range: Range<Int>) -> Int { range.count(where: bytes.isReplacement) }

  /// The readings of what begins at `place` by the bank's decoders.
  func decodings(at place: Int, for use: Decoder.Uses) -> [DecoderBank.Decoding] {
    if let known = encoded[use.rawValue]?[place] { return known }
    let limit = use == .token ? 160 : use == .payload ? Evidence.longestPayload : 6000
    var found = bank.decodings(of: bytes, from: place, for: use, limit: limit) { [forms] head in
      forms.contains { $0.command != nil && $0.mayBegin(head) }
    }
    spend(found.reduce(use == .frames ? 4096 : 512) { $0 + 8 * $1.decoded.bytes.count })
    // A payload is read only where it closes.
    if use == .payload { found = found.compactMap(\.withObject) }
    encoded[use.rawValue, default: [:]][place] = found
    return found
  }
}

extension DecoderBank.Decoding {
  fileprivate var withObject: Self? {
    let start = decoded.bytes.startOfObject
    guard let end = Evidence.objectEnd(decoded.bytes, start) else { return nil }
    var decoding = self
    decoding.object = start..<end
    return decoding
  }
}

extension [UInt8] {
  /// The offset of an object after white space, or after a name and `=` or `(`.
  fileprivate var startOfObject: Int {
    let name = prefix { $0 == 0x5f || $0 == 0x2e || $0.hexDigitValue != nil || 0x61...0x7a ~= $0 | 0x20 }.count
    if 1...20 ~= name, name + 1 < count, self[name] == 0x3d || self[name] == 0x28, self[name + 1] == 0x7b {
      return name + 1
    }
    return prefix(while: Evidence.isSpace).count
  }
}

extension ArraySlice<UInt8> {
  /// Whether these bytes end a key and its colon.
  fileprivate var isKeyAndColon: Bool {
    let rest = reversed().drop(while: Evidence.isSpace)
    return rest.first == UInt8(ascii: ":") && rest.dropFirst().first == UInt8(ascii: "\"")
  }
}
