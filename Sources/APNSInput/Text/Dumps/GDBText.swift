import Octets

extension TextFormat {
  /// Memory as the command `x/83xb` of gdb prints it.
  public static let gdb = TextFormat(
    "gdb", "memory as gdb's x/83xb prints it (0x7ffe5000:  0x02  0x00)",
    recognises: { head in head.lines.contains { GDBText.row(Array($0)) != nil } },
    decoder: { _ in GDBText() })
}

/// Bytes of memory after their addresses.
///
///     (gdb) x/83xb frame
///     0x7fffffffe3a0:  0x02  0x00  0x00  0x00  0x4e  0x01  0x00  0x20
///     0x4020 <frame+8>:  0xfc  0x13
///
/// Each address must continue the line above; after a line that is not memory, any address may follow. Words wider than
/// a byte are in the machine's byte order, so they are rejected.
struct GDBText: TextDecoder {
  var leads: LineLead.Kind { .marks }
  /// The expected address of the next line; nil if any address may follow.
  private var next: Int?

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    guard let row = Self.row(line.text) else {
      guard line.text[line.first] != UInt8(ascii: "0") else {
        throw .notHex(
          line.text[line.first], at: line.position(line.first),
          "does not begin an address and a colon as gdb prints them")
      }
      next = nil
      return
    }
    guard next == nil || next == row.address else {
      let reason = "this address does not continue the line above; a line is missing or was edited"
      throw ReadError(.contradictingOffset, reason, position: line.position(line.first))
    }
    var count = 0
    for word in line.text[row.body...].split(whereSeparator: \.isWhite) {
      guard word.count > 2, word.starts(with: "0x".utf8), let value = word.dropFirst(2).number() else {
        throw .notHex(
          word[word.startIndex], at: line.position(word.startIndex),
          "does not begin a byte as gdb prints it, such as 0x08")
      }
      guard word.count <= 4 else {
        let reason = "gdb prints words in the byte order of the machine; print bytes instead: x/83xb"
        throw ReadError(.notHex, reason, position: line.position(word.startIndex))
      }
      output.append(UInt8(truncatingIfNeeded: value), at: line.position(word.startIndex + 2))
      count += 1
    }
    next = row.address + count
  }

  /// The address of a row, and the index of its bytes.
  static func row(_ text: [UInt8]) -> (address: Int, body: Int)? {
    guard let first = text.firstIndex(where: { !$0.isWhite }), text[first...].starts(with: "0x".utf8) else {
      return nil
    }
    let digits = text[(first + 2)...].prefix { $0.hexDigitValue != nil }
    var rest = text[digits.endIndex...]
    if rest.starts(with: " <".utf8), let close = rest.firstIndex(of: UInt8(ascii: ">")) { rest = rest[(close + 1)...] }
    guard let address = digits.number(), rest.first == UInt8(ascii: ":"),
      rest.dropFirst().drop(while: \.isWhite).starts(with: "0x".utf8)
    else { return nil }
    return (address, rest.startIndex + 1)
  }
}
