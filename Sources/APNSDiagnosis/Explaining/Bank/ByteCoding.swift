import Octets
import Synchronization

/// A value that is made once, when it is first asked for.
final class Once<Value: Sendable>: Sendable {
  private let make: @Sendable () -> Value
  private let made = Mutex<Value?>(nil)

  init(_ make: @escaping @Sendable () -> Value) { self.make = make }

  var value: Value {
    made.withLock { made in
      let value = made ?? make()
      made = value
      return value
    }
  }
}

/// Decoded bytes, and where each of them ends in the source.
struct Decoded {
  var bytes: [UInt8] = []
  /// `ends[n]` is the offset in the source after the unit that completed the first `n` bytes; -1 if they end within a
  /// unit. `ends[0]` is the offset at which decoding began.
  var ends: [Int32]

  init(at start: Int) { ends = [Int32(clamping: start)] }

  /// Ends a unit, whose bytes have been appended to `bytes`.
  mutating func endUnit(at end: Int) {
    while ends.count <= bytes.count { ends.append(-1) }
    if !bytes.isEmpty { ends[bytes.count] = Int32(clamping: end) }
  }
}

/// A way to write bytes, in both directions.
struct ByteCoding: Sendable {
  /// Reads a unit and appends its bytes, which may be none. Returns false if no unit follows.
  typealias ReadUnit = @Sendable (_ cursor: inout Cursor, _ bytes: inout [UInt8]) -> Bool

  /// Decodes from the cursor on; stops after about `limit` bytes, or at the first byte that does not fit.
  let decode: @Sendable (_ cursor: Cursor, _ limit: Int) -> Decoded
  /// Encodes as a faulty sender would; nil if it is unknown how.
  var write: @Sendable (_ bytes: [UInt8]) -> [UInt8]? = { _ in nil }
  /// The first byte that is decoded, where that takes no more than a look.
  var first: (@Sendable (_ cursor: Cursor) -> UInt8?)?

  /// The same coding, with a way to write it.
  func written(_ write: @escaping @Sendable (_ bytes: [UInt8]) -> [UInt8]?) -> ByteCoding {
    ByteCoding(decode: decode, write: write, first: first)
  }

  /// The same coding, with a way to look at the first byte.
  func beginning(_ first: @escaping @Sendable (_ cursor: Cursor) -> UInt8?) -> ByteCoding {
    ByteCoding(decode: decode, write: write, first: first)
  }

  /// A coding in units that each stand for some bytes. Members of `rest` may follow the last one.
  static func units(rest: ByteSet = .none, _ read: @escaping ReadUnit) -> ByteCoding {
    ByteCoding(decode: { $0.decodeUnits(limit: $1, rest: rest, read) })
  }

  /// A coding whose units are the codes of a book. The book is made when it is first used, because that takes long. A
  /// sender writes `end` after them.
  static func codes(
    _ book: @autoclosure @escaping @Sendable () -> CodeBook, rest: ByteSet = .none, end: [UInt8] = []
  ) -> ByteCoding {
    let book = Once(book)
    return ByteCoding { $0.decodeUnits(limit: $1, rest: rest, book.value.read) }
      .written { bytes in
        let written = book.value.written
        return bytes.flatMap { written[Int($0)] } + end
      }
  }

  /// Each byte replaced by another, which undoes itself.
  static func mapped(_ byte: @escaping @Sendable (UInt8) -> UInt8) -> ByteCoding {
    codes(CodeBook { [[byte($0)]] }).beginning { $0[0].map(byte) }
  }
  static let bitsReversed = mapped { byte in (0..<8).reduce(0) { $0 << 1 | byte >> $1 & 1 } }

  /// Two bytes that stand for one; other bytes stand for themselves.
  static func stuffed(_ pairs: [UInt8: [UInt8]], end: [UInt8] = []) -> ByteCoding {
    codes(CodeBook(of: pairs.keys, ignored: end) { [pairs[$0] ?? [$0], [$0]] }, end: end)
  }

  /// Each byte as a number of `width` bytes, which is at `index` in it; the others are zero.
  static func widened(to width: Int, at index: Int) -> ByteCoding {
    units { cursor, bytes in
      guard cursor[width - 1] != nil, let byte = cursor[index],
        (0..<width).allSatisfy({ $0 == index || cursor[$0] == 0 })
      else { return false }
      bytes.append(byte)
      cursor.advance(width)
      return true
    }.written { $0.flatMap { byte in (0..<width).map { $0 == index ? byte : 0 } } }
  }

  /// Blocks whose bytes are in another order, which undoes itself. Zeros complete the last block.
  static func reordered(_ order: Int...) -> ByteCoding {
    units { cursor, bytes in
      guard cursor[order.count - 1] != nil else { return false }
      for distance in order { if let byte = cursor[distance] { bytes.append(byte) } }
      cursor.advance(order.count)
      return true
    }.written { bytes in
      stride(from: 0, to: bytes.count, by: order.count).flatMap { start -> [UInt8] in
        order.map { start + $0 < bytes.count ? bytes[start + $0] : 0 }
      }
    }.beginning { $0[order[0]] }
  }

  /// The size of an object before it, in two, four or eight bytes, perhaps after the head of a serialization, or in
  /// digits. One byte could be the length of the payload.
  static let afterSize = units { cursor, bytes in
    if bytes.isEmpty {
      let head = Array(cursor.prefix(9).prefix { $0 != 0x7b })
      let start = cursor.offset + head.count
      guard let end = Evidence.objectEnd(cursor.source, start),
        head.ends(with: UInt64(end - start)) || head.areDigits(of: end - start)
      else { return false }
      cursor.advance(head.count)
    }
    return cursor.next().map { bytes.append($0) } != nil
  }.written { [UInt8](bigEndian: UInt64($0.count), width: 2) + $0 }

  /// Text before an object. What follows the object is decoded too.
  static func after(_ text: String, skip: @escaping @Sendable (inout Cursor) -> Bool) -> ByteCoding {
    units { cursor, bytes in
      if bytes.isEmpty { guard skip(&cursor), cursor.skip(.space) >= 0, cursor[0] == 0x7b else { return false } }
      return cursor.next().map { bytes.append($0) } != nil
    }.written { text.utf8 + $0 }
  }
}

extension [UInt8] {
  /// Whether these bytes are a number in digits, and what separates it from what follows.
  fileprivate func areDigits(of number: Int) -> Bool {
    let rest = drop(while: ByteSet.digits.contains)
    return prefix(upTo: rest.startIndex).elementsEqual("\(number)".utf8)
      && rest.allSatisfy { $0 == 0x3a || Evidence.isSpace($0) }
  }

  /// Whether these bytes are a number, in either byte order, or a few others and the number.
  fileprivate func ends(with number: UInt64) -> Bool {
    [2, 4, 8].contains { width in
      let own = suffix(width)
      return width <= count && count <= width + 5
        && (own.bigEndianNumber == number || Array(own.reversed()).bigEndianNumber == number)
    }
  }
}

/// The codes of up to eight bytes that stand for bytes. Of two codes that match, the longer one counts.
struct CodeBook: Sendable {
  /// The bytes that codes of one byte stand for, and those of other codes by length.
  private var single = [UInt8?](repeating: nil, count: 256)
  private var codes = [[UInt64: [UInt8]]](repeating: [:], count: 9)
  /// The length of the longest code that begins with a byte.
  private var longest = [Int](repeating: 0, count: 256)
  let written: [[UInt8]]

  /// A book with codes for some bytes, of which senders write the first; the other bytes stand for themselves. Senders
  /// do not write `others`.
  init(
    of members: some Sequence<UInt8> = 0...255, others: [String: String] = [:], ignored: [UInt8] = [],
    _ codesOfByte: (UInt8) -> [[UInt8]]
  ) {
    var codes = (UInt8.min...UInt8.max).map { [[$0]] }
    for byte in members { codes[Int(byte)] = codesOfByte(byte) }
    written = codes.map { $0[0] }
    if !ignored.isEmpty { add(ignored, []) }
    for (code, text) in others { add(Array(code.utf8), Array(text.utf8)) }
    for (byte, codes) in codes.enumerated() { for code in codes { add(code, [UInt8(byte)]) } }
  }

  private mutating func add(_ code: [UInt8], _ bytes: [UInt8]) {
    let (word, first) = (code.bigEndianNumber, Int(code[0]))
    if code.count == 1, bytes.count == 1 {
      single[first] = single[first] ?? bytes[0]
    } else {
      codes[code.count][word] = codes[code.count][word] ?? bytes
      longest[first] = max(longest[first], code.count)
    }
  }

  @Sendable func read(_ cursor: inout Cursor, _ bytes: inout [UInt8]) -> Bool {
    guard let first = cursor[0] else { return false }
    for length in stride(from: longest[Int(first)], to: 0, by: -1) where cursor[length - 1] != nil {
      guard let value = codes[length][cursor.prefix(length).bigEndianNumber] else { continue }
      bytes += value
      cursor.advance(length)
      return true
    }
    guard let byte = single[Int(first)] else { return false }
    bytes.append(byte)
    cursor.advance()
    return true
  }
}
