import Octets

/// The bytes that streams delivered recently, to compare retransmissions with them.
///
/// All streams share two generations. When the younger one is full, it replaces the older one, whose bytes are dropped.
/// Each direction knows its latest run, and each run its predecessor.
struct RecentBytes {
  /// The younger one, then the older one.
  private var generations = [Generation(), Generation()]

  private struct Generation {
    var bytes: [UInt8] = []
    var runs: [Run] = []
    /// The number of its first run, counted over all generations.
    var firstRun = 0
    var endRun: Int { firstRun + runs.count }
  }

  private struct Run {
    /// Position of the first byte in the stream.
    let position: Int
    /// The range of the bytes in their generation.
    let bytes: Range<Int>
    let previous: Int?
  }

  /// Capacity of a generation in bytes. Retransmissions follow soon: this is milliseconds of a busy gateway, and
  /// minutes of an ordinary one.
  static let generationBytes = 2 << 20
  /// Capacity of a generation in runs.
  static let generationRuns = 1 << 14
  /// Maximum number of runs compared with one segment.
  static let depth = 256

  /// The result of a comparison.
  struct Comparison {
    /// From the first to the last differing byte, in stream positions.
    var differing: Range<Int>?
    /// Number of bytes not compared, because they were delivered too long ago.
    var forgotten: Int
  }

  /// Stores a run of a direction. Returns its number, to be passed as `previous` with the next run.
  mutating func append(_ bytes: Span<UInt8>, at position: Int, previous: Int?) -> Int {
    let isFull = generations[0].bytes.count >= Self.generationBytes || generations[0].runs.count >= Self.generationRuns
    if isFull {
      generations.swapAt(0, 1)
      generations[0].bytes.removeAll(keepingCapacity: true)
      generations[0].runs.removeAll(keepingCapacity: true)
      generations[0].firstRun = generations[1].endRun
    }
    let start = generations[0].bytes.count
    generations[0].bytes.append(contentsOf: bytes)
    generations[0].runs.append(Run(position: position, bytes: start..<(start + bytes.count), previous: previous))
    return generations[0].endRun - 1
  }

  /// Compares retransmitted bytes at `position` with the delivered ones. `latest` is the latest run of the direction.
  func compare(_ other: Span<UInt8>, at position: Int, latest: Int?) -> Comparison {
    var result = Comparison(differing: nil, forgotten: other.count)
    let range = position..<(position + other.count)
    var next = latest
    for _ in 0..<Self.depth {
      guard let number = next, result.forgotten > 0,
        let index = generations.firstIndex(where: { number >= $0.firstRun })
      else { break }
      let run = generations[index].runs[number - generations[index].firstRun]
      compare(other, at: range, with: run, of: generations[index].bytes, &result)
      if run.position <= range.lowerBound { break }
      next = run.previous
    }
    return result
  }

  private func compare(
    _ other: Span<UInt8>, at range: Range<Int>, with run: Run, of bytes: [UInt8], _ result: inout Comparison
  ) {
    let common = range.clamped(to: run.position..<(run.position + run.bytes.count))
    let shift = run.bytes.lowerBound - run.position
    for place in common where other[place - range.lowerBound] != bytes[place + shift] {
      let before = result.differing ?? place..<place
      result.differing = min(before.lowerBound, place)..<max(before.upperBound, place + 1)
    }
    result.forgotten -= common.count
  }
}
