extension TextFormat {
  package static let strace = TextFormat(
    "strace", "reads and writes of strace -s 65535 (write(3, \"\\2\\0\"..., 83) = 83)",
    layouts: { _ in [StraceText()] })
}

/// The bytes that a process wrote and read, as `strace` prints its system calls. Each file descriptor is a connection
/// with one stream in each direction.
///
///     write(3, "\2\0\0\0N\1\0 "..., 83) = 83
///     [pid  12] read(3, "\x08\x08\x00\x00\x00\x07", 4096) = 6
///
/// The result of the call is the number of bytes transferred; a string with fewer bytes was cut. Other calls are
/// skipped.
struct StraceText: TextDecoder {
  var output = TextOutput()
  var leads: LineLead.Kind { .none }
  private(set) var isSure = false
  var isPlausible: Bool { isSure }
  /// A call that transfers bytes, as far as its line shows it.
  private struct Call {
    let descriptor: Int
    /// 0 for a write, 1 for a read.
    let side: Int
    var bytes = PlacedBytes()
    /// How many bytes the caller gave, or had room for; nil if that is not known, or the string is cut.
    var given: Int?
  }

  private var connections = Numbering<Int>()
  /// Calls interrupted by another process, by process number.
  private var unfinished: [Int: Call] = [:]

  mutating func decode(_ line: TextLine) throws(ReadError) {
    let text = line.text
    // [pid  12] or 12; none is 0.
    let lead = text.starts(with: "[pid".utf8) ? text.dropFirst(4).drop { $0.isWhite } : text[...]
    let process = lead.prefix { $0.isDecimalDigit }.number(radix: 10) ?? 0
    var call: Call
    var body = 0
    if let begun = begun(in: text) {
      (call, body) = begun
    } else if let resumed = text.index(of: " resumed>"), let begun = unfinished.removeValue(forKey: process) {
      (call, body) = (begun, resumed)
    } else {
      // The next connection may reuse the descriptor.
      if let close = text.index(of: "close("),
        let descriptor = text[(close + 6)...].prefix(while: \.isDecimalDigit).number(radix: 10)
      {
        connections.forget(descriptor)
      }
      return
    }
    output.explain(line)
    isSure = isSure || text.contains(UInt8(ascii: "\""))
    try readStrings(of: line, from: body, into: &call)
    if text.holds("<unfinished ...>") { unfinished[process] = call } else { try put(call, line) }
  }

  /// The call that begins in a line, and the index after its file descriptor.
  private func begun(in text: [UInt8]) -> (Call, body: Int)? {
    guard let open = text.firstIndex(of: UInt8(ascii: "(")) else { return nil }
    let name = text[..<open].reversed().prefix(while: \.isWordPart).reversed()
    let digits = text[(open + 1)...].prefix(while: \.isDecimalDigit)
    guard let side = Self.names.firstIndex(where: { $0.contains { name.elementsEqual($0.utf8) } }),
      let descriptor = digits.number(radix: 10), digits.endIndex < text.count, ",<".utf8.contains(text[digits.endIndex])
    else { return nil }
    return (Call(descriptor: descriptor, side: side), digits.endIndex)
  }

  private static let names = [
    ["write", "send", "sendto", "sendmsg", "writev", "pwrite64"], ["read", "recv", "recvfrom", "recvmsg", "readv"],
  ]

  private mutating func put(_ call: Call, _ line: TextLine) throws(ReadError) {
    guard let equals = line.text.lastIndex(of: UInt8(ascii: "=")) else {
      throw .cut("before the result of this call", at: line.position(line.text.count))
    }
    let result = line.text[(equals + 1)...].drop { $0.isWhite }.prefix { $0.isDecimalDigit }
    // A failed call transferred nothing.
    guard let count = result.number(radix: 10), count > 0 else { return }
    // Not all that was given need be written.
    guard call.given.map({ call.side == 1 ? call.bytes.count <= count : call.bytes.count == $0 }) ?? true else {
      let reason = "the string has not as many bytes as its call says, so the line was edited; copy it again"
      throw line.error(.contradictingOffset, at: line.first, reason)
    }
    let number = connections.number(of: call.descriptor) * 2 + call.side
    output.append(call.bytes.prefix(count), to: ByteStream(number: number, isDirected: true))
    guard call.bytes.count < count else { return }
    let reason = "strace cut these \(count) bytes to \(call.bytes.count); run it with -s 65535"
    throw line.error(.lossyText, at: line.first, reason)
  }

  /// Reads the string of a line. The strings of a vector follow `iov_base=`; other strings may be beside them.
  private func readStrings(of line: TextLine, from start: Int, into call: inout Call) throws(ReadError) {
    let text = line.text
    let isVector = text.holds("iov_base=")
    let escapes = Escapes(style: .octal, isWide: false)
    var index = start
    while let quote = text[index...].firstIndex(of: UInt8(ascii: "\"")) {
      guard let end = Escapes.end(UInt8(ascii: "\""), in: text, from: quote + 1) else {
        throw .openQuote(at: line.position(quote))
      }
      index = quote + 1
      if !isVector || text[..<quote].suffix(9).isText("iov_base=") {
        _ = try escapes.decode(line, from: &index, to: end, into: &call.bytes)
      }
      index = end + 1
      guard isVector else {
        if text[index...].starts(with: ", ".utf8) {
          call.given = text[(index + 2)...].prefix(while: \.isDecimalDigit).number(radix: 10)
        }
        return
      }
    }
  }
}
