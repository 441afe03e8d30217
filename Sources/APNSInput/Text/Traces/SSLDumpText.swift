extension TextFormat {
  /// Application data as `ssldump -d` prints it.
  public static let ssldump = TextFormat(
    "ssldump", "application data of ssldump -d", recognises: { $0.holds("New TCP connection #") },
    decoder: { _ in SSLDumpText() })
}

/// The application data that `ssldump -d` decrypts, between lines of 63 hyphens.
///
///     1 15 0.1113 (0.0001)  S>C  application_data
///         ---------------------------------------------------------------
///         08 08 00 01 00 04                                  ......
///         ---------------------------------------------------------------
///
/// A record of only printable characters is printed as text, directly followed by the closing line.
struct SSLDumpText: TextDecoder {
  var leads: LineLead.Kind { .none }
  private enum State { case otherText, header, data }
  private var state = State.otherText
  private var stream = ByteStream(number: 0)

  var interpretation: TextInterpretation? { TextInterpretation(phrase: "the application data of ssldump") }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    let text = line.text[line.first...]
    switch state {
    case .otherText:
      guard text.ends(with: Array("application_data".utf8)) else { return }
      let words = line.words.dropLast()
      guard let arrow = words.last, arrow.isText("C>S") || arrow.isText("S>C"),
        let number = words.first?.number(radix: 10)
      else { return }
      let side = arrow.isText("C>S") ? 0 : 1
      stream = ByteStream(number: max(0, min(number, 1 << 20) - 1) * 2 + side, isDirected: true)
      state = .header
    case .header:
      // Without -d, or without the key, no line of hyphens follows.
      state = text.elementsEqual(Self.rule) ? .data : .otherText
      if state == .otherText { try decode(line, into: &output) }
    case .data:
      if text.elementsEqual(Self.rule) {
        state = .otherText
      } else if text.ends(with: Self.rule) {
        for index in min(4, line.text.count)..<(line.text.count - Self.rule.count) {
          output.append(line.text[index], at: line.position(index), to: stream)
        }
        state = .otherText
      } else {
        try dump(line, into: &output)
      }
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    guard state == .data else { return }
    throw ReadError(
      .cutText, "the text ends inside a record; paste all of it, up to the line of hyphens", position: position)
  }

  /// Decodes a line of four blanks, sixteen columns of digits, and the characters.
  private func dump(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    let found = DumpLine(line: line, digits: line.first..<line.first, body: line.first)
    var bytes = DumpBytes(of: found)
    var index = line.first
    while index < line.text.count, index < line.first + Self.digitsWidth, bytes.problem == nil {
      let group = line.text[index...].prefix { !$0.isWhite }
      bytes.append(group, of: found)
      index = line.text[group.endIndex...].firstIndex { !$0.isWhite } ?? line.text.count
    }
    guard bytes.problem != nil || bytes.values.areShown(by: line.text[index...]) else {
      throw .contradictingCharacters(at: line.position(line.first))
    }
    if let problem = bytes.problem { throw problem }
    for (value, index) in zip(bytes.values, bytes.indices) {
      output.append(value, at: line.position(index), to: stream)
    }
  }

  private static let digitsWidth = 48
  private static let rule = [UInt8](repeating: UInt8(ascii: "-"), count: 63)
}

extension ArraySlice<UInt8> {
  fileprivate func ends(with other: [UInt8]) -> Bool { suffix(other.count).elementsEqual(other) }
}
