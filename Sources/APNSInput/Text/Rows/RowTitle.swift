/// A line above rows that says who sent their bytes, and often how many they are.
///
///     write to 0x5587d3dab5b0 [0x5587d3dc16d0] (188 bytes => 188 (0xBC))       openssl -debug
///     >>> TLS 1.2, Handshake [length 0010], Finished                           openssl -msg
///     > 2013/11/19 00:00:00.000123  length=6 from=0 to=5                       socat -x
///     1 15 0.1113 (0.0001)  S>C  application_data                              ssldump -d
///     [id: 0x1f, L:/10.0.0.1:40000 - R:/17.0.0.1:2195] WRITE: 6B               Netty
///     Decrypted TLS (1 byte):                                                  tshark -x
struct RowTitle: Sendable {
  /// What the rows below a title are.
  enum Contents: Sendable {
    /// Bytes that this side sent.
    case side(Int)
    /// A packet with its headers.
    case frame
    /// The decrypted bytes of the packet above.
    case decrypted
    /// Other bytes of the packet, such as those of several packets that belong together.
    case other
  }

  /// The words of a title. `*` is any words, `word*` begins with these characters; a number follows `#` in decimal and
  /// `%` in hex, and is the number of bytes; `@` is the name of the connection.
  struct Form: Sendable {
    let words: [[UInt8]]
    let contents: Contents

    init(_ text: StaticString, _ contents: Contents) {
      words = "\(text)".utf8.split(separator: UInt8(ascii: " ")).map { Array($0) }
      self.contents = contents
    }
  }

  let contents: Contents
  private(set) var count: Int?
  /// The name of the connection; empty if there is only one.
  private(set) var connection: [UInt8] = []
  let position: TextPosition

  /// Whether this is a title of tshark, whose packets have headers.
  var isPacket: Bool {
    switch contents {
    case .frame, .decrypted: true
    case .side, .other: false
    }
  }

  /// Nil if the line has none of these forms.
  init?(_ line: TextLine, among forms: [Form]) {
    guard !forms.isEmpty, line.text.count <= Self.longestLine else { return nil }
    let words = line.words
    for form in forms {
      self.init(form.contents, at: line.position(line.first))
      if matches(form.words[...], words[...]) { return }
    }
    return nil
  }

  private init(_ contents: Contents, at position: TextPosition) {
    (self.contents, self.position) = (contents, position)
  }

  private mutating func matches(_ form: ArraySlice<[UInt8]>, _ words: ArraySlice<ArraySlice<UInt8>>) -> Bool {
    guard let pattern = form.first else { return words.isEmpty }
    if pattern == [Self.anything] {
      if form.count == 1 { return true }
      for start in words.startIndex...words.endIndex where matches(form.dropFirst(), words[start...]) { return true }
      return false
    }
    guard let word = words.first, let mark = pattern.last else { return false }
    let isOpen = Self.marks.contains(mark)
    guard isOpen ? word.starts(with: pattern.dropLast()) : word.elementsEqual(pattern),
      matches(form.dropFirst(), words.dropFirst())
    else { return false }
    let rest = word.dropFirst(pattern.count - 1)
    switch mark {
    case UInt8(ascii: "#"): count = rest.prefix(while: \.isDecimalDigit).number(radix: 10) ?? 0
    case UInt8(ascii: "%"): count = rest.prefix { $0.hexDigitValue != nil }.number() ?? 0
    case UInt8(ascii: "@"): connection = rest.filter { !",]".utf8.contains($0) }
    default: break
    }
    return true
  }

  private static let anything = UInt8(ascii: "*")
  private static let marks = Array("*#%@".utf8)
  /// No tool writes a longer title.
  private static let longestLine = 512
}

extension [RowTitle.Form] {
  static let openssl = [
    RowTitle.Form("write to 0x* * => # *", .side(0)), RowTitle.Form("read from 0x* * => # *", .side(1)),
    RowTitle.Form("write to 0x* *", .side(0)), RowTitle.Form("read from 0x* *", .side(1)),
  ]
  static let opensslMessages = [
    RowTitle.Form(">>> * [length % *", .side(0)), RowTitle.Form("<<< * [length % *", .side(1)),
  ]
  static let socat = [
    RowTitle.Form("> * length=# from=* *", .side(0)), RowTitle.Form("< * length=# from=* *", .side(1)),
  ]
  static let ssldump = [
    RowTitle.Form("@ * C>S application_data", .side(0)), RowTitle.Form("@ * S>C application_data", .side(1)),
  ]
  static let netty = [
    RowTitle.Form("* [id: @ * WRITE* *", .side(0)), RowTitle.Form("* [id: @ * READ* *", .side(1)),
    RowTitle.Form("* [id: @ * RECEIVED* *", .side(1)), RowTitle.Form("* WRITE* *", .side(0)),
    RowTitle.Form("* READ* *", .side(1)), RowTitle.Form("* RECEIVED* *", .side(1)),
  ]
  static let packets = [
    RowTitle.Form("Frame (# byte*", .frame), RowTitle.Form("Decrypted TLS * (# byte*", .decrypted),
    RowTitle.Form("* (# byte*", .other),
  ]
}

/// Numbers for what is named in a text, such as connections, in the order in which they appear.
struct Numbering<Name: Hashable & Sendable>: Sendable {
  private var numbers: [Name: Int] = [:]
  private var count = 0
  /// More than a program has. All further ones have the same number.
  private let limit = 1 << 14

  mutating func number(of name: Name) -> Int {
    if let number = numbers[name] { return number }
    let number = min(count, limit)
    if count < limit { (numbers[name], count) = (number, count + 1) }
    return number
  }

  /// Lets the next use of the name have another number.
  mutating func forget(_ name: Name) {
    if count < limit { numbers[name] = nil }
  }
}
