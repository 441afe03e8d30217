import Octets

/// The bytes that streams delivered recently, to compare retransmissions with them.
///
/// All streams share them. Each direction knows its latest run, and each run its predecessor. At a limit, the older
/// half of the runs is dropped.
struct RecentBytes {
  private var bytes: [UInt8] = []
  private var runs: [Run] = []
  /// The number of the first run, and of the first byte, counted over all.
  private var firstRun = 0
  private var firstByte = 0

  private struct Run {
    /// Position of the first byte in the stream.
    let position: Int
    /// The numbers of the bytes.
    let bytes: Range<Int>
    let previous: Int?
  }

  /// Capacity in bytes. Retransmissions follow soon: this is milliseconds of a busy gateway, and minutes of an ordinary
  /// one.
  private static let byteLimit = 4 << 20
  private static let runLimit = 1 << 15
  /// Maximum number of runs compared with one segment.
  private static let depth = 256

  /// Stores a run of a direction. Returns its number, to be passed as `previous` with the next run.
  mutating func append(_ new: Span<UInt8>, at position: Int, previous: Int?) -> Int {
    if bytes.count >= Self.byteLimit || runs.count >= Self.runLimit {
      let old = (runs.count + 1) / 2
      let end = runs[old - 1].bytes.upperBound
      bytes.removeFirst(end - firstByte)
      runs.removeFirst(old)
      (firstByte, firstRun) = (end, firstRun + old)
    }
    let start = firstByte + bytes.count
    bytes.append(contentsOf: new)
    runs.append(Run(position: position, bytes: start..<(start + new.count), previous: previous))
    return firstRun + runs.count - 1
  }

  /// Compares retransmitted bytes at `position` with the delivered ones. `latest` is the latest run of the direction.
  /// - Returns: From the first to the last differing byte, in stream positions; and the number of bytes not compared,
  ///   because they were delivered too long ago.
  func compare(_ other: Span<UInt8>, at position: Int, latest: Int?) -> (differing: Range<Int>?, forgotten: Int) {
    var differing: Range<Int>?
    var forgotten = other.count
    var next = latest
    for _ in 0..<Self.depth {
      guard let number = next, forgotten > 0, number >= firstRun else { break }
      let run = runs[number - firstRun]
      let common = (position..<(position + other.count)).clamped(to: run.position..<(run.position + run.bytes.count))
      let shift = run.bytes.lowerBound - firstByte - run.position
      for place in common where other[place - position] != bytes[place + shift] {
        let before = differing ?? place..<place
        differing = min(before.lowerBound, place)..<max(before.upperBound, place + 1)
      }
      forgotten -= common.count
      if run.position <= position { break }
      next = run.previous
    }
    return (differing, forgotten)
  }
}
