extension TextFormat {
  /// Transfers as socat prints them with `-x`.
  public static let socat = TextFormat(
    "socat", "transfers of socat -x or -x -v",
    recognises: { head in
      head.text.split(separator: UInt8(ascii: "\n")).contains { SocatText.Title(Array($0)) != nil }
    },
    decoder: { _ in SocatText() })
}

/// The transfers that `socat -x` prints, in both directions.
///
///     > 2013/11/19 00:00:00.000123  length=6 from=0 to=5
///      08 08 00 00 00 07                                ......
///     --
///
/// Bytes from socat's first address are side 0. The characters are only printed with `-v`.
struct SocatText: TextDecoder {
  var leads: LineLead.Kind { .none }
  var longestLine: Int? { 1 << 20 }
  /// The line before the bytes of a transfer.
  struct Title {
    let side: Int
    let count: Int

    init?(_ text: [UInt8]) {
      let words = text.split(whereSeparator: \.isWhite)
      guard words.count >= 4, words[0].isText(">") || words[0].isText("<"),
        let count = words.first(where: { $0.starts(with: "length=".utf8) })?.dropFirst(7).number(radix: 10),
        words.contains(where: { $0.starts(with: "from=".utf8) })
      else { return nil }
      side = words[0].isText(">") ? 0 : 1
      self.count = count
    }
  }

  /// Bytes of the current transfer that have not been read.
  private var left = 0
  /// The position of the transfer's title.
  private var title = TextPosition(line: 1, column: 1)
  private var isOpen = false

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    if let title = Title(line.text) {
      try close()
      output.switchSide(to: title.side)
      left = title.count
      self.title = line.position(0)
      isOpen = true
    } else if line.text.isText("--") {
      try close()
    } else if isOpen, left > 0 {
      try dump(line, into: &output)
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) { try close() }

  private mutating func close() throws(ReadError) {
    isOpen = false
    guard left > 0 else { return }
    let reason = "\(left) of this transfer's bytes are missing; paste all of it, or run socat with -x"
    left = 0
    throw ReadError(.contradictingOffset, reason, position: title)
  }

  private mutating func dump(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    let found = DumpLine(line: line, digits: line.first..<line.first, body: line.first)
    var bytes = DumpBytes(of: found)
    var index = line.first
    while index < line.text.count, bytes.problem == nil, bytes.values.count < left {
      let group = line.text[index...].prefix { !$0.isWhite }
      bytes.append(group, of: found)
      let gap = line.text[group.endIndex...].prefix { $0.isWhite }
      index = gap.endIndex
      // Two blanks end the bytes.
      if gap.count > 1 { break }
    }
    guard bytes.problem != nil || index == line.text.count || bytes.values.areShown(by: line.text[index...]) else {
      throw .contradictingCharacters(at: line.position(line.first))
    }
    for (value, index) in zip(bytes.values, bytes.indices) { output.append(value, at: line.position(index)) }
    left = max(0, left - bytes.values.count)
    if let problem = bytes.problem {
      left = 0
      if bytes.values.isEmpty, problem.code == .notHex {
        let reason = "this transfer has only its characters, not its other bytes; run socat with -x"
        throw ReadError(.lossyText, reason, position: title)
      }
      throw problem
    }
  }
}
