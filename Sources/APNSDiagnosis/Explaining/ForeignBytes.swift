import Octets

/// Bytes between frames of good evidence: what they are, what they cost, and whether a repair may delete them.
struct ForeignBytes {
  private(set) var bits: Int
  private(set) var words: String
  private(set) var deviation = Deviation.foreign()
  let isDeletable: Bool
  let isZeros: Bool
  let isText: Bool
  /// Whether an object ends in them that begins before them.
  let closesObject: Bool

  /// Whether nothing is known of them.
  var isIrregular: Bool { bits >= 7 * count }
  private let count: Int

  /// The bits of a copy of other bytes.
  static let copy = 20

  /// The bits of the first bytes of the next frame, of which a few may be the same by chance.
  private static let start = 8
  static let shortestStart = 4

  /// The details of foreign bytes that follow a rule.
  static let padding = 1 << 16
  static let sizeInBytes = 1 << 17
  static let sizeInDigits = 1 << 18
  static let again = 1 << 19

  init(_ range: Range<Int>, _ window: Window) {
    let bytes = window.bytes
    let own = bytes[range]
    count = own.count
    let next = window.documented(at: range.upperBound)
    isZeros = own.allSatisfy { $0 == 0 }
    closesObject = own.count { $0 == UInt8(ascii: "}") } > own.count { $0 == UInt8(ascii: "{") }
    isText = own.allSatisfy { 32..<127 ~= $0 || [9, 10, 13].contains($0) || $0 > 127 } && bytes.span.isUTF8(range)
    (bits, words) = (8 * count, plural(count, "foreign byte"))
    if count < 5 { words += ", " + own.map(\.hexDigits).joined(separator: " ") }
    var isDeletable = count < 45
    if isText, count > 2 {
      (bits, words) = (6 * count, "text of \(plural(own.count { $0 & 0xc0 != 0x80 }, "character"))")
      isDeletable = count < 600 && (count < 64 || own.isProse)
    }
    if own.elementsEqual([13, 10]) || own.elementsEqual([10]) {
      (bits, words, isDeletable) = (4, "a line end", true)
    } else if let first = own.first, own.allSatisfy({ $0 == first }), first != 1, first != 2 {
      // Zeros are what most often comes between frames.
      let cost = first == 0 ? 0 : 7
      if cost < bits { (bits, words, isDeletable) = (cost, "\(count) times 0x\(first.hexDigits)", true) }
    }
    // A copy of other bytes is so cheap that it would swallow repeated frames, or the first part of one.
    let holdsFrame = window.limit(after: range.lowerBound).lowerBound < range.upperBound
    if Self.copy < bits, !holdsFrame, !Array(own).holdsToken, window.recur(Array(own), outside: range) {
      (bits, words) = (Self.copy, "\(count) bytes that appear elsewhere too")
      // They may be the first bytes of a frame, up to its expiry.
      isDeletable = isText || !Evidence.dates.contains(Int(own.suffix(4).bigEndianNumber))
    }
    // The end of a frame, once more. If the next frame ends like this, too, it may be one that lost its beginning.
    let isLikeNext = next.map { bytes[range.upperBound..<$0.end].suffix(own.count).elementsEqual(own) } ?? false
    let isAgain =
      count > 3 && Self.start < bits && !isLikeNext && window.isAgain(range)
      && !window.forms.contains { $0.mayBegin(own) }
    if isAgain {
      (bits, words) = (Self.start, "the \(count) bytes before them, once more")
      deviation = .foreign(Self.again)
    }
    // A write that ended early, and all of it once more.
    let isStart = count > Self.shortestStart && window.beginsAgain(range)
    if isStart, Self.start < bits {
      let isOfNext = bytes[range.upperBound...].starts(with: own)
      let first = "first \(plural(count, "byte"))"
      words = isOfNext ? "its own \(first), written before" : "the \(first) of a later frame"
      (bits, isDeletable) = (Self.start, true)
    }
    var isSize = false
    if let next, let size = Self.size(own, next.end - range.upperBound), size.bits < bits {
      (bits, words, isDeletable, isSize) = (size.bits, size.words, true, count > 3)
      deviation = .foreign(size.detail)
    }
    isDeletable =
      isDeletable && Self.isSafe(range, window, isText: isText, bits) || isAgain && next != nil
    self.isDeletable = isStart || isSize || !holdsFrame && isDeletable
  }

  /// What bytes cost that are the size of the next frame, in bytes or in digits; nil if they are not.
  private static func size(_ own: ArraySlice<UInt8>, _ size: Int) -> (bits: Int, words: String, detail: Int)? {
    let count = own.count
    if [1, 2, 4, 8].contains(count) {
      let (big, little) = (own.bigEndianNumber, Array(own.reversed()).bigEndianNumber)
      if [big, little].contains(where: { $0 == UInt64(size) || $0 == UInt64(size + count) }) {
        return (2, "the size of the next frame in \(plural(count, "byte"))", sizeInBytes + count)
      }
    }
    // A head of up to five bytes and the size in four, or of three and the size in two.
    let widths = count == 5 ? [4, 2] : 6...9 ~= count ? [4] : []
    if widths.contains(where: { own.suffix($0).bigEndianNumber == UInt64(size) }) {
      return (10, "\(count) bytes, of which the last are the size of the next frame", sizeInBytes + count)
    }
    let text = own.drop(while: Evidence.isSpace).reversed().drop(while: Evidence.isSpace).reversed()
    guard count <= 10, let number = String(validating: text, as: UTF8.self) else { return nil }
    return Int(number) == size || Int(number, radix: 16) == size
      ? (6, "the size of the next frame in digits", sizeInDigits) : nil
  }

  /// Bytes that may have been a frame are not deleted, since its contents would be lost.
  private static func isSafe(_ range: Range<Int>, _ window: Window, isText: Bool, _ bits: Int) -> Bool {
    let bytes = window.bytes
    let own = Array(bytes[range])
    let (first, count) = (own[0], own.count)
    let next = window.documented(at: range.upperBound)
    let isCommand = window.forms.contains { $0.command == first }
    // Whether the next frame needs none of these bytes.
    let isAlone =
      range.upperBound == bytes.count
      || next.map { $0.isPlain && (window.forms[$0.values.form].command != 0 || first != 1) } ?? false
    // Packets that do not say what they are could be any bytes.
    if !window.forms.contains(where: \.hasContents), isText && count > 2 || bits >= 8 * count { return false }
    // Frames without a command may begin with any bytes, and their numbers and tokens may be text.
    let haveCommands = window.forms.allSatisfy { $0.command != nil }
    let mayBeValue = isText && (count < 6 && !isAlone || count > 15 && !own[...].isProse)
    if !haveCommands, count > 2, mayBeValue || bits >= 8 * count { return false }
    if isCommand, !isText, !isAlone, bits >= 8 * count,
      count == 1 || bytes.ranges(of: own + bytes[range.upperBound...].prefix(3)).count < 3
    {
      return false
    }
    let beginsItem = window.forms.contains { $0.slots.contains { $0.item == first } }
    // The first bytes of what was cut, perhaps after others.
    lazy var beginsFrame =
      own.endsInToken || range.contains { range.upperBound - $0 > 2 && window.mayBeginFrame(at: $0) }
    if range.upperBound == bytes.count,
      count == 1 && (isCommand || beginsItem) || !haveCommands || beginsFrame
    {
      return false
    }
    if beginsItem, count > 1, own[1] == 0, first > 2 || own.number(1, 2).map({ $0 + 3 <= count }) == true {
      return false
    }
    // The first bytes of a frame up to its token, and more, that is not sent again.
    if window.forms.contains(where: { $0.head.count < count && $0.mayBegin(own[...]) }),
      !bytes[range.upperBound...].starts(with: own)
    {
      return false
    }
    // The first bytes of a longer frame, whose expiry ends with the command of the next.
    if let next, next.isPlain, bits >= 20, case let form = window.forms[next.values.form], !form.isList,
      window.forms.contains(where: { $0.usualToken - form.usualToken == count && !$0.isList }),
      let expiry = bytes.number(range.upperBound - 3, 4), Evidence.isOrdinary(expiry)
    {
      return false
    }
    // LF after a frame that ends with CR: both may be its last byte, written as two.
    if own == [10], (bytes[..<range.lowerBound].last ?? window.before.last) == 13 { return false }
    // A log may have the payload of the next frame.
    let payload = next.flatMap { $0.values.payload(window.forms[$0.values.form]) }
    let isLog = isText && (count < 40 && !own.holds(Array("aps".utf8)) || payload.map(own.holds) == true)
    // The object of one may be quoted or escaped, or all of a frame.
    let holdsPayload = ["{\"", "aps'", "aps\\", "\\x00"].contains { own.holds(Array($0.utf8)) } && !isLog
    return !holdsPayload && !own.holdsToken && !own.endsLikeFrame
  }
}

/// Those of base64, which has the most.
private let digits: ByteSet = "0-9A-Za-z+/=_-"

extension ArraySlice<UInt8> {
  /// Whether the text is words, and no other encoding of bytes: letters that are no hex digits are among them.
  fileprivate var isProse: Bool {
    var (run, longest, words, letters) = (0, 0, 0, 0)
    for byte in self {
      run = digits.contains(byte) ? run + 1 : 0
      longest = Swift.max(longest, run)
      if 0x61...0x7a ~= byte || byte == 0x20 { words += 1 }
      if 0x67...0x7a ~= byte { letters += 1 }
    }
    return longest < 40 && words * 10 > 4 * count && letters * 10 > count
  }
}

extension [UInt8] {
  /// Whether a token follows its length.
  fileprivate var holdsToken: Bool {
    indices.dropLast(Evidence.tokenSize + 1).contains { place in
      number(place, 2) == Evidence.tokenSize && Evidence.isToken(self, at: place + 2)
    }
  }

  /// Whether the bytes end within a token, as the length before it says.
  fileprivate var endsInToken: Bool {
    indices.contains { place in number(place, 2).map { 16...100 ~= $0 && 8..<$0 ~= count - place - 2 } ?? false }
  }

  /// Whether items follow a payload, or the bytes end with a priority.
  fileprivate var endsLikeFrame: Bool {
    if count >= 4, suffix(4).starts(with: [5, 0, 1]), self[count - 1] == 5 || self[count - 1] == 10 { return true }
    for brace in indices where self[brace] == UInt8(ascii: "}") {
      for id in self[(brace + 1)...].prefix(5).indices where self[id] == 3 {
        if self[(id + 1)...].prefix(4).contains(4) { return true }
      }
    }
    return false
  }
}
