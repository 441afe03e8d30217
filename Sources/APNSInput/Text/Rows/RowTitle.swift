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
  enum Contents: Equatable, Sendable {
    /// Bytes that this side sent.
    case side(Int)
    /// A packet with its headers.
    case frame
    /// The decrypted bytes of the packet above.
    case decrypted
    /// Other bytes of the packet, such as those of several packets that belong together.
    case other
  }

  /// What a title says, and after which words it says how many bytes follow and of which connection they are.
  struct Form: Sendable {
    let contents: Contents
    /// The title begins with the first of these, and has the others.
    let phrases: [String]
    var count: String?
    var radix = 10
    var connection: String?
  }

  let contents: Contents
  private(set) var count: Int?
  /// The name of the connection; empty if there is only one.
  private(set) var connection: [UInt8] = []
  let position: TextPosition

  /// Whether this is a title of tshark, whose packets have headers.
  var isPacket: Bool { contents == .frame || contents == .decrypted }

  /// Nil if the line has none of these forms.
  init?(_ line: TextLine, among forms: [Form]) {
    let text = line.text[line.first...]
    guard !forms.isEmpty, line.text.count <= Self.longestLine,
      let form = forms.first(where: { form in
        text.starts(with: form.phrases[0].utf8) && form.phrases.dropFirst().allSatisfy(text.holds)
      })
    else { return nil }
    (contents, position) = (form.contents, line.position(line.first))
    if let before = form.count, let mark = text.index(of: before) {
      let digits = text[(mark + before.utf8.count)...].prefix { $0.hexDigitValue.map { $0 < form.radix } == true }
      guard let number = digits.number(radix: form.radix) else { return nil }
      count = number
    }
    if let before = form.connection, let start = text.index(of: before) {
      connection = text[(start + before.utf8.count)...].prefix { !$0.isWhite }.filter { !",]".utf8.contains($0) }
    }
  }

  /// No tool writes a longer title.
  private static let longestLine = 512
}

extension [RowTitle.Form] {
  static let openssl = sides(["write to 0x"], ["read from 0x"], count: "=> ")
  static let opensslMessages = sides([">>> ", "[length "], ["<<< ", "[length "], count: "[length ", radix: 16)
  static let socat = sides(["> ", " length=", " from="], ["< ", " length=", " from="], count: " length=")
  static let ssldump = sides(["", " C>S ", " application_data"], ["", " S>C ", " application_data"], connection: "")
  static let netty = ["WRITE", "READ", "RECEIVED"].map { word in
    RowTitle.Form(contents: .side(word == "WRITE" ? 0 : 1), phrases: ["", " " + word], connection: "[id: ")
  }
  static let packets = [
    RowTitle.Form(contents: .frame, phrases: ["Frame (", " byte"], count: "("),
    RowTitle.Form(contents: .decrypted, phrases: ["Decrypted TLS", " byte"], count: "("),
    RowTitle.Form(contents: .other, phrases: ["", "(", " byte"], count: "("),
  ]

  private static func sides(
    _ phrases: [String]..., count: String? = nil, radix: Int = 10, connection: String? = nil
  ) -> Self {
    phrases.enumerated().map { side, phrases in
      RowTitle.Form(contents: .side(side), phrases: phrases, count: count, radix: radix, connection: connection)
    }
  }
}

/// Numbers for what is named in a text, such as connections, in the order in which they appear.
struct Numbering<Name: Hashable & Sendable>: Sendable {
  private var numbers: [Name: Int] = [:]
  private var count = 0
  /// All further names have the same number.
  private let limit = 1 << 14

  func holds(_ name: Name) -> Bool { numbers[name] != nil }

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
