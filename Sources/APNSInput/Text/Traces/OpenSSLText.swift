import Octets

extension TextFormat {
  /// Output of `openssl s_client` with `-debug` or `-msg`: TLS records, still encrypted.
  public static let openssl = TextFormat(
    "openssl", "openssl s_client -debug or -msg: TLS records, still encrypted",
    recognises: { head in
      head.holds("write to 0x") || head.holds("read from 0x") || (head.holds("<<< ") && head.holds("[length "))
        || (head.holds(">>> ") && head.holds("[length "))
        || head.lines(of: OpenSSLText.column).first.map { $0.words.count > 1 && $0.words[1].count == 2 } == true
    },
    decoder: { head in
      let isDebug = head.holds("write to 0x") || head.holds("read from 0x")
      return OpenSSLText.hasHeaders(head)
        ? OpenSSLText(isDebug: isDebug) as any TextDecoder
        : Dump(OpenSSLLayout())
    })
}

/// The debug output of `openssl s_client`, in both directions.
///
///     write to 0x5587d3dab5b0 [0x5587d3dc16d0] (188 bytes => 188 (0xBC))
///     0000 - 16 03 01 00 b7 01 00 00-b3 03 03 6e b2 d5 4b f3   ...........n..K.
///     >>> TLS 1.2, Handshake [length 0010], Finished
///         14 00 00 0c ...
///
/// A header gives the number of bytes that follow; all other lines are skipped. With `-debug` the records are decoded,
/// and the copies of the same bytes that `-msg` prints are skipped.
struct OpenSSLText: TextDecoder {
  let isDebug: Bool
  private var layout = OpenSSLLayout()
  /// Bytes of the current block that have not been read.
  private var left = 0
  /// Bytes of the current block that have been read.
  private var done = 0
  /// The position of the current header.
  private var header = TextPosition(line: 1, column: 1)
  private var isMessage = false

  var leads: LineLead.Kind { .none }

  static let column = OffsetColumn(mark: UInt8(ascii: "-"), isSetOff: true)

  init(isDebug: Bool) { self.isDebug = isDebug }

  static func hasHeaders(_ head: TextHead) -> Bool {
    head.holds("write to 0x") || head.holds("read from 0x") || head.holds("[length ")
  }

  var interpretation: TextInterpretation? {
    TextInterpretation(
      phrase: isDebug
        ? "the TLS records of openssl -debug, stream 0 written and stream 1 read"
        : "the TLS messages of openssl -msg, stream 0 sent and stream 1 received")
  }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    let text = line.text[line.first...]
    if isDebug, text.starts(with: "write to 0x".utf8) || text.starts(with: "read from 0x".utf8) {
      try close(before: line)
      isMessage = false
      return try open(line, side: text.starts(with: "write".utf8) ? 0 : 1, &output)
    }
    if text.starts(with: ">>> ".utf8) || text.starts(with: "<<< ".utf8) {
      try close(before: line)
      guard !isDebug, let lengthIndex = text.indices.first(where: { text[$0...].starts(with: "[length ".utf8) }) else {
        return
      }
      isMessage = true
      header = line.position(line.first)
      left = text[(lengthIndex + 8)...].prefix { $0.hexDigitValue != nil }.number() ?? 0
      done = 0
      output.switchSide(to: text.first == UInt8(ascii: ">") ? 0 : 1)
      return
    }
    if text.holds("<SPACES/NULS>") {
      let reason =
        "this old version of openssl omitted trailing blanks and zeros (<SPACES/NULS>), so these bytes are lost"
      throw ReadError(.lossyText, reason, position: line.position(line.first))
    }
    guard left > 0 else { return }
    try bytes(of: line, into: &output)
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if left > 0 {
      throw ReadError(.cutText, "\(left) bytes are missing under this header; paste all of them", position: header)
    }
  }

  /// Reads the numbers of requested and transferred bytes: `(188 bytes => 188 (0xBC))`.
  private mutating func open(_ line: TextLine, side: Int, _ output: inout TextOutput) throws(ReadError) {
    let words = line.words
    header = line.position(line.first)
    done = 0
    guard let arrow = words.firstIndex(where: { $0.isText("=>") }), arrow + 1 < words.count else {
      throw ReadError(.notHex, "this header does not say how many bytes follow; paste all of it", position: header)
    }
    left = words[arrow + 1].prefix { $0.isDecimalDigit }.number(radix: 10) ?? 0
    output.switchSide(to: side)
  }

  private func close(before line: TextLine) throws(ReadError) {
    guard left == 0 else {
      let reason = "\(left) bytes are missing under the header above; a line is missing or was edited"
      throw ReadError(.contradictingOffset, reason, position: line.position(line.first))
    }
  }

  private mutating func bytes(of line: TextLine, into output: inout TextOutput) throws(ReadError) {
    var read = DumpBytes()
    if isMessage {
      let found = DumpLine(line: line, digits: line.first..<line.first, body: line.first)
      for word in line.words where read.problem == nil { read.append(word, of: found) }
    } else {
      guard case .line(let found) = Self.column.find(in: line) else {
        try close(before: line)
        return
      }
      guard found.offset(radix: 16) == done else {
        let reason = "this offset does not match the bytes above; a line is missing or was edited"
        throw ReadError(.contradictingOffset, reason, position: line.position(line.first))
      }
      read = layout.bytes(of: found, count: min(left, 16))
    }
    let over = read.values.count > left
    for (value, index) in zip(read.values, read.indices).prefix(left) {
      output.append(value, at: line.position(index), to: line.stream)
    }
    done += read.values.count
    left -= min(left, read.values.count)
    if let problem = read.problem { throw problem }
    if over {
      throw ReadError(.contradictingOffset, "there are more bytes here than the header says", position: header)
    }
  }
}

/// Pairs of digits with a hyphen between the eighth and the ninth pair, then three spaces and the characters.
struct OpenSSLLayout: DumpLayout {
  var column: OffsetColumn { OpenSSLText.column }
  var interpretation: TextInterpretation? { TextInterpretation(phrase: "a dump of openssl") }

  mutating func bytes(of line: DumpLine, count: Int?) -> DumpBytes {
    var bytes = DumpBytes(of: line)
    var index = line.text[line.body...].firstIndex { !$0.isWhite } ?? line.text.count
    while index < line.text.count, bytes.values.count < 16, bytes.problem == nil {
      let group = line.text[index...].prefix(2)
      bytes.append(group, of: line)
      let isSplit = group.endIndex < line.text.count && line.text[group.endIndex] == UInt8(ascii: "-")
      let end = group.endIndex + (isSplit && bytes.values.count == 8 ? 1 : 0)
      let gap = line.text[end...].prefix { $0.isWhite }
      index = gap.endIndex
      if gap.isEmpty && end == group.endIndex && index < line.text.count && bytes.problem == nil {
        bytes.problem = .notHex(
          line.text[index], at: line.position(index), "is not the blank or hyphen that separates bytes")
      }
      if gap.count > 2 || bytes.values.count == count { break }
    }
    guard bytes.problem == nil, index < line.text.count else { return bytes }
    guard !bytes.values.areShown(by: line.text[index...], isCut: count == nil) else { return bytes }
    return DumpBytes(problem: .contradictingCharacters(at: line.position(line.body)))
  }
}
