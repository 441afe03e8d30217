extension TextFormat {
  /// Reads and writes as strace prints them.
  public static let strace = TextFormat(
    "strace", "reads and writes of strace -s 65535 (write(3, \"\\2\\0\"..., 83) = 83)", needs: "(",
    layouts: { _ in [StraceText()] })
}

/// A system call in a line: its file descriptor, its direction, and the rest of its arguments.
struct StraceCall {
  let descriptor: Int
  /// 0 for a write, 1 for a read.
  let side: Int
  /// The index after the file descriptor.
  let body: Int

  init?(_ text: [UInt8]) {
    guard let open = text.firstIndex(of: UInt8(ascii: "(")) else { return nil }
    let name = text[..<open].suffix(while: { $0.isLetter || $0.isDecimalDigit || $0 == UInt8(ascii: "_") })
    let digits = text[(open + 1)...].prefix { $0.isDecimalDigit }
    guard let side = Self.side(of: name), let descriptor = digits.number(radix: 10), digits.endIndex < text.count,
      text[digits.endIndex] == UInt8(ascii: ",") || text[digits.endIndex] == UInt8(ascii: "<")
    else { return nil }
    self.descriptor = descriptor
    self.side = side
    body = digits.endIndex
  }

  static func side(of name: ArraySlice<UInt8>) -> Int? {
    let sides = [
      ["write", "send", "sendto", "sendmsg", "writev", "pwrite64"], ["read", "recv", "recvfrom", "recvmsg", "readv"],
    ]
    return sides.firstIndex { $0.contains { name.isText($0) } }
  }
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
  var leads: LineLead.Kind { .none }
  private(set) var isSure = false
  var isPlausible: Bool { isSure }
  /// An escaped byte takes four characters, so a string of 65535 bytes takes up to 256 KiB.
  var longestLine: Int { 512 << 10 }
  private typealias Bytes = [(value: UInt8, position: TextPosition)]
  /// The connection number of each open descriptor.
  private var numbers: [Int: Int] = [:]
  private var connections = 0
  /// Calls interrupted by another process, by process number.
  private var unfinished: [Int: (descriptor: Int, side: Int, bytes: Bytes)] = [:]

  var interpretation: TextInterpretation? {
    TextInterpretation(phrase: "strace calls, with writes in even streams and reads in odd ones")
  }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    let text = line.text
    let process = processNumber(text)
    if let call = StraceCall(text) {
      output.explain(line)
      isSure = isSure || text.contains(UInt8(ascii: "\""))
      let strings = try strings(in: line, from: call.body)
      if text.holds("<unfinished ...>") {
        unfinished[process] = (call.descriptor, call.side, strings)
      } else {
        try put(strings, of: call.descriptor, call.side, line, into: &output)
      }
    } else if text.holds(" resumed>"), let call = unfinished.removeValue(forKey: process) {
      output.explain(line)
      let resumedIndex = text.indices.first { text[$0...].starts(with: " resumed>".utf8) } ?? 0
      let strings = call.bytes + (try strings(in: line, from: resumedIndex))
      try put(strings, of: call.descriptor, call.side, line, into: &output)
    } else if let close = text.indices.first(where: { text[$0...].starts(with: "close(".utf8) }) {
      // The next connection may reuse the descriptor.
      if let descriptor = text[(close + 6)...].prefix(while: { $0.isDecimalDigit }).number(radix: 10) {
        if connections < Self.connectionLimit { numbers[descriptor] = nil }
      }
    }
  }

  /// More connections than a process has. All further ones are treated as a single one.
  private static let connectionLimit = 1 << 14

  private mutating func put(
    _ bytes: Bytes, of descriptor: Int, _ side: Int, _ line: TextLine, into output: inout TextOutput
  ) throws(ReadError) {
    guard let equals = line.text.lastIndex(of: UInt8(ascii: "=")) else {
      throw ReadError(
        .cutText, "this call ends before its result; paste the whole line", position: line.position(line.text.count))
    }
    let result = line.text[(equals + 1)...].drop { $0.isWhite }.prefix { $0.isDecimalDigit }
    // A failed call transferred nothing.
    guard let count = result.number(radix: 10), count > 0 else { return }
    let number = numbers[descriptor] ?? min(connections, Self.connectionLimit)
    if numbers[descriptor] == nil { connections += 1 }
    numbers[descriptor] = number
    let stream = ByteStream(number: number * 2 + side, isDirected: true)
    for byte in bytes.prefix(count) { output.append(byte.value, at: byte.position, to: stream) }
    guard bytes.count < count else { return }
    let reason = "strace cut these \(count) bytes to \(bytes.count); run it with -s 65535"
    throw ReadError(.lossyText, reason, position: line.position(line.first))
  }

  /// The bytes in the quotes of a line. The strings of a vector follow `iov_base=`; other strings may be beside them.
  private func strings(in line: TextLine, from start: Int) throws(ReadError) -> Bytes {
    let text = line.text
    let isVector = text.holds("iov_base=")
    var bytes: Bytes = []
    var index = start
    while let quote = text[index...].firstIndex(of: UInt8(ascii: "\"")) {
      guard let end = Escapes.end(UInt8(ascii: "\""), in: text, from: quote + 1) else {
        throw ReadError(.cutText, "this quote is never closed; paste the whole line", position: line.position(quote))
      }
      if !isVector || text[..<quote].suffix(9).isText("iov_base=") { bytes += try string(quote...end, of: line) }
      if !isVector { break }
      index = end + 1
    }
    return bytes
  }

  private func string(_ range: ClosedRange<Int>, of line: TextLine) throws(ReadError) -> Bytes {
    var output = TextOutput()
    try Escapes(style: .octal, isWide: false).decode(
      line, (range.lowerBound + 1)..<range.upperBound, into: &output)
    guard case .bytes(_, let values, let positions)? = output.next() else { return [] }
    return Array(zip(values, positions))
  }

  /// The process number before the call (`[pid  12]` or `12`); 0 if there is none.
  private func processNumber(_ text: [UInt8]) -> Int {
    let lead = text.starts(with: "[pid".utf8) ? text.dropFirst(4).drop { $0.isWhite } : text[...]
    return lead.prefix { $0.isDecimalDigit }.number(radix: 10) ?? 0
  }
}

extension ArraySlice<UInt8> {
  fileprivate func suffix(while isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    var start = endIndex
    while start > startIndex, isPart(self[start - 1]) { start -= 1 }
    return self[start...]
  }
}
