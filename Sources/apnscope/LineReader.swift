/// Lines of a file, one at a time.
struct LineReader: ~Copyable {
  let name: String
  /// Of the line read last, counted from 1.
  private(set) var number = 0
  private let file: Descriptor
  private var buffer: [UInt8] = []
  private var start = 0
  private var chunk = [UInt8](repeating: 0, count: 1 << 16)
  private var isAtEnd = false
  /// A frame of 1 MiB takes the longest line when it is all empty items: three bytes become at most 55, such as
  /// `{"id":3,"name":"notification-identifier","data":""},`, which makes 19 MiB. The number of a packet for each byte
  /// adds 8 MiB at most, findings are few. Twice that, since lines may be written by hand.
  private static let longestLine = 64 << 20

  init(_ path: String) throws(Failure) {
    name = path == "-" ? "standard input" : path
    if path == "-" {
      file = .standardInput
    } else if let file = Descriptor(reading: path) {
      guard !file.isDirectory else { throw .unreadable("\(path) is a directory; name the files in it") }
      self.file = file
    } else {
      throw .unreadable("\(path): \(systemError())")
    }
  }

  mutating func next() throws(Failure) -> [UInt8]? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        number += 1
        defer { start = end + 1 }
        return Array(buffer[start..<end])
      }
      if isAtEnd {
        guard start < buffer.count else { return nil }
        number += 1
        defer { start = buffer.count }
        return Array(buffer[start...])
      }
      buffer.removeSubrange(..<start)
      start = 0
      searched = buffer.count
      guard searched <= Self.longestLine else {
        throw .unreadable("\(name): line \(number + 1) is longer than any record; is this NDJSON?")
      }
      guard let count = file.read(into: &chunk) else { throw .unreadable("\(name): \(systemError())") }
      isAtEnd = count == 0
      buffer += chunk[..<count]
    }
  }
}
