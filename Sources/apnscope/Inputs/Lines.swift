import Octets

/// A frame of 1 MiB takes the longest line when it is all empty items: three bytes become at most 55, such as
/// `{"id":3,"name":"notification-identifier","data":""},`, which makes 19 MiB. The number of a packet for each byte
/// adds 8 MiB at most, and findings are few. Longer lines are refused, since reading one takes several times its
/// memory.
private let longestLine = 32 << 20

/// Calls `body` with each line of a file, and its number from 1, until it returns false. An error of `body` is one of
/// the file.
func readLines(of path: String, _ body: (Span<UInt8>, Int) throws -> Bool) throws(Failure) {
  let name = path == "-" ? "standard input" : path
  /// What was read and not passed on. It begins with a line.
  var buffer: [UInt8] = []
  var number = 0
  try Descriptor(input: path).forEachBlock(of: name) { block throws(Failure) in
    var (start, searched) = (0, buffer.count)
    buffer.append(contentsOf: block)
    // The last line may have no end.
    while let end = buffer.span.first(UInt8(ascii: "\n"), in: searched..<buffer.count)
      ?? (block.isEmpty && start < buffer.count ? buffer.count : nil)
    {
      number += 1
      let line = start..<end
      let wantsMore = try ExitStatus.unreadable.failing("\(name): ") { try body(buffer.span.extracting(line), number) }
      guard wantsMore else { return false }
      start = min(end + 1, buffer.count)
      searched = start
    }
    buffer.removeFirst(start)
    if buffer.count <= longestLine { return true }
    throw .unreadable(
      "\(name): line \(number + 1) is longer than \(longestLine >> 20) MiB; check that this is NDJSON")
  }
}
