import Octets

/// Lines of a file, one at a time.
struct LineReader: ~Copyable {
  let name: String
  /// Of the line read last, counted from 1.
  private(set) var number = 0
  private let file: Descriptor
  private var chunk = [UInt8](repeating: 0, count: 1 << 18)
  /// What was read. The next line begins at `start`.
  private var buffer: [UInt8] = []
  private var start = 0
  /// The line read last, in `buffer`.
  private var line = 0..<0
  private var isAtEnd = false
  /// A frame of 1 MiB takes the longest line when it is all empty items: three bytes become at most 55, such as
  /// `{"id":3,"name":"notification-identifier","data":""},`, which makes 19 MiB. The number of a packet for each byte
  /// adds 8 MiB at most, and findings are few. Longer lines are refused, since reading one takes several times its
  /// memory.
  private static let longestLine = 32 << 20

  init(_ path: String) throws(Failure) {
    name = path == "-" ? "standard input" : path
    let file = try Descriptor(input: path)
    guard FileKind(descriptor: file.number) != .folder else {
      throw .unreadable("\(path) is a directory; name the files in it")
    }
    self.file = file
  }

  /// The next line as a copy.
  mutating func next() throws(Failure) -> [UInt8]? { try advance() ? Array(buffer[line]) : nil }

  /// Lends the line that was read last.
  func read<Result, E: Error>(_ body: (Span<UInt8>) throws(E) -> Result) throws(E) -> Result {
    try body(buffer.span.extracting(line))
  }

  /// Reads the next line; false where there is none.
  mutating func advance() throws(Failure) -> Bool {
    var searched = start
    while true {
      let newline = buffer.span.first(UInt8(ascii: "\n"), in: searched..<buffer.count)
      if newline != nil || isAtEnd {
        guard newline != nil || start < buffer.count else { return false }
        line = start..<(newline ?? buffer.count)
        start = newline.map { $0 + 1 } ?? buffer.count
        number += 1
        return true
      }
      buffer.removeFirst(start)
      (start, searched) = (0, buffer.count)
      guard searched <= Self.longestLine else {
        throw .unreadable(
          "\(name): line \(number + 1) is longer than \(Self.longestLine >> 20) MiB; check that this is NDJSON"
        )
      }
      let count = try file.read(into: &chunk, of: name)
      isAtEnd = count == 0
      buffer += chunk[..<count]
    }
  }
}
