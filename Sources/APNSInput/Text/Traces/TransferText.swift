import Octets

extension TextFormat {
  /// Output of `openssl s_client` with `-debug` or `-msg`: TLS records, still encrypted.
  package static let openssl = TextFormat(
    "openssl", "openssl s_client -debug or -msg: TLS records, still encrypted",
    layouts: { _ in
      let column = OffsetColumn(mark: UInt8(ascii: "-"))
      let rows = RowLayout(cells: .hex, column: column, phrase: "a dump of openssl")
      return [TransferText(.debug), TransferText(.messages), Dump(rows)]
    })

  /// Application data as `ssldump -d` prints it.
  package static let ssldump = TextFormat(
    "ssldump", "application data of ssldump -d", needs: ">", layouts: { _ in [TransferText(.ssldump)] })

  /// Transfers as socat prints them with `-x`.
  package static let socat = TextFormat(
    "socat", "transfers of socat -x or -x -v", needs: "=", layouts: { _ in [TransferText(.socat)] })
}

/// Transfers with a title that gives the direction, and often the number of bytes in the rows below it.
///
///     write to 0x5587d3dab5b0 [0x5587d3dc16d0] (188 bytes => 188 (0xBC))       openssl -debug
///     0000 - 16 03 01 00 b7 01 00 00-b3 03 03 6e b2 d5 4b f3   ...........n..K.
///
///     >>> TLS 1.2, Handshake [length 0010], Finished                            openssl -msg
///     > 2013/11/19 00:00:00.000123  length=6 from=0 to=5                        socat -x
///     1 15 0.1113 (0.0001)  S>C  application_data                               ssldump -d
///         ---------------------------------------------------------------
///         08 08 00 01 00 04                                  ......
///
/// Other lines are skipped. openssl prints with `-debug` copies of the same bytes, as `-msg` does; they are skipped,
/// too.
struct TransferText: TextDecoder {
  enum Tool { case debug, messages, socat, ssldump }

  private struct Title {
    let stream: ByteStream
    /// Nil if the title does not say how many bytes follow.
    let count: Int?
    let position: TextPosition
  }

  private let tool: Tool
  private let layout: RowLayout
  private var title: Title?
  private var hasTitle = false
  /// How many bytes of the transfer have been read.
  private var done = 0
  /// Whether the rows have begun; ssldump prints a rule before them.
  private var isOpen = false

  init(_ tool: Tool) {
    self.tool = tool
    layout = RowLayout(cells: .hex, column: OffsetColumn(mark: UInt8(ascii: "-")))
  }

  var leads: LineLead.Kind { .none }
  var nothing: String? { hasTitle ? nil : "no line of this text is the title of a transfer" }
  var isPlausible: Bool { hasTitle }
  var isSure: Bool { hasTitle }
  var interpretation: TextInterpretation? {
    switch tool {
    case .debug:
      TextInterpretation(phrase: "the TLS records of openssl -debug, stream 0 written and stream 1 read")
    case .messages:
      TextInterpretation(phrase: "the TLS messages of openssl -msg, stream 0 sent and stream 1 received")
    case .socat: nil
    case .ssldump: TextInterpretation(phrase: "the application data of ssldump")
    }
  }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    if let next = try title(line) {
      try close(before: line)
      (title, done, isOpen, hasTitle) = (next, 0, tool != .ssldump, true)
      return output.explain(line)
    }
    if tool == .debug, line.text[line.first...].starts(with: ">>> ".utf8) || line.text.starts(with: "<<< ".utf8) {
      return try close(before: line)
    }
    if tool == .ssldump { return try ssldumpLine(line, into: &output) }
    if tool == .socat, line.text.isText("--") { return try close(before: line) }
    guard let title, let count = title.count, done < count else { return }
    if tool == .debug, line.text.holds("<SPACES/NULS>") {
      let reason =
        "this old version of openssl omitted trailing blanks and zeros (<SPACES/NULS>), so these bytes are lost"
      throw ReadError(.lossyText, reason, position: line.position(line.first))
    }
    try row(line, of: title, left: count - done, into: &output)
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if tool == .ssldump, isOpen {
      let reason = "the text ends inside a record; paste all of it, up to the line of hyphens"
      throw ReadError(.cutText, reason, position: position)
    }
    try close(before: nil)
  }

  /// Throws if the transfer has fewer bytes than its title says.
  private mutating func close(before line: TextLine?) throws(ReadError) {
    defer { title = nil }
    guard let title, let count = title.count, done < count else { return }
    let missing = plural(count - done, "byte")
    let isAre = count - done == 1 ? "is" : "are"
    let reason = "\(missing) of this transfer \(isAre) missing; paste all of it"
    throw ReadError(line == nil ? .cutText : .contradictingOffset, reason, position: title.position)
  }

  private mutating func ssldumpLine(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    let text = line.text[line.first...]
    guard let title else { return }
    if text.elementsEqual(Self.rule) {
      if isOpen { self.title = nil }
      isOpen.toggle()
      output.explain(line)
    } else if isOpen, text.suffix(Self.rule.count).elementsEqual(Self.rule) {
      // A record of only printable characters is printed as text, directly followed by the rule.
      for index in min(4, line.text.count)..<(line.text.count - Self.rule.count) {
        output.append(line.text[index], at: line.position(index), to: title.stream)
      }
      (self.title, isOpen) = (nil, false)
    } else if isOpen {
      try row(line, of: title, left: nil, into: &output)
    } else {
      // Without -d, or without the key, no rule follows.
      self.title = nil
    }
  }

  private mutating func row(
    _ line: TextLine, of title: Title, left: Int?, into output: inout TextOutput
  ) throws(ReadError) {
    var found = DumpLine(line: line, digits: line.first..<line.first, body: line.first)
    if tool == .debug {
      guard case .line(let row) = layout.column.find(in: line) else { return try close(before: line) }
      found = row
      guard row.offset(radix: 16) == done else {
        let reason = "this offset does not match the bytes above; a line is missing or was edited"
        throw ReadError(.contradictingOffset, reason, position: line.position(line.first))
      }
    }
    var bytes = layout.bytes(of: found, count: nil, hasCharacters: true)
    if let left, bytes.problem != nil || bytes.values.count > left {
      let rest = layout.bytes(of: found, count: min(left, 16), hasCharacters: true)
      if rest.problem == nil, rest.values.count <= left { bytes = rest }
    }
    for (value, index) in zip(bytes.values, bytes.indices).prefix(left ?? Int.max) {
      output.append(value, at: line.position(index), to: title.stream)
    }
    done += bytes.values.count
    if let problem = bytes.problem {
      guard tool == .socat, bytes.values.isEmpty, problem.code == .notHex else { throw problem }
      let reason = "this transfer has only its characters, not its other bytes; run socat with -x"
      throw ReadError(.lossyText, reason, position: title.position)
    }
    if let left, bytes.values.count > left {
      throw ReadError(.contradictingOffset, "there are more bytes here than the title says", position: title.position)
    }
  }

  private static let rule = [UInt8](repeating: UInt8(ascii: "-"), count: 63)
}

// MARK: - Titles
extension TransferText {
  private func title(_ line: TextLine) throws(ReadError) -> Title? {
    let words = line.words
    let position = line.position(line.first)
    func title(_ isFirst: Bool, _ count: Int?, connection: Int = 0) -> Title {
      let stream = ByteStream(number: connection * 2 + (isFirst ? 0 : 1), isDirected: true)
      return Title(stream: stream, count: count, position: position)
    }
    guard words.count > 2 else { return nil }
    switch tool {
    case .debug:
      let isWrite = words[0].isText("write") && words[1].isText("to")
      guard isWrite || words[0].isText("read") && words[1].isText("from"), words[2].starts(with: "0x".utf8) else {
        return nil
      }
      // The numbers of requested and transferred bytes: (188 bytes => 188 (0xBC))
      guard let arrow = words.firstIndex(where: { $0.isText("=>") }), arrow + 1 < words.count else {
        throw ReadError(.notHex, "this header does not say how many bytes follow; paste all of it", position: position)
      }
      return title(isWrite, words[arrow + 1].prefix { $0.isDecimalDigit }.number(radix: 10) ?? 0)
    case .messages:
      guard words[0].isText(">>>") || words[0].isText("<<<"),
        let length = words.firstIndex(where: { $0.isText("[length") }), length + 1 < words.count
      else { return nil }
      return title(words[0].isText(">>>"), words[length + 1].prefix { $0.hexDigitValue != nil }.number() ?? 0)
    case .socat:
      guard words.count >= 4, words[0].isText(">") || words[0].isText("<"),
        let count = words.first(where: { $0.starts(with: "length=".utf8) })?.dropFirst(7).number(radix: 10),
        words.contains(where: { $0.starts(with: "from=".utf8) })
      else { return nil }
      return title(words[0].isText(">"), count)
    case .ssldump:
      guard words[words.count - 1].isText("application_data"), let number = words[0].number(radix: 10),
        words[words.count - 2].isText("C>S") || words[words.count - 2].isText("S>C")
      else { return nil }
      let connection = max(0, min(number, 1 << 20) - 1)
      return title(words[words.count - 2].isText("C>S"), nil, connection: connection)
    }
  }
}
