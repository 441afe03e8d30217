import Octets

/// The bytes that streams delivered recently, to compare retransmissions with them.
///
/// All streams share two generations. When the younger one is full, it replaces the older one, whose bytes are dropped.
/// Each direction knows its latest run, and each run its predecessor.
struct RecentBytes {
  private var younger = Generation()
  private var older = Generation()

  private struct Generation {
    var bytes: [UInt8] = []
    var runs: [Run] = []
    /// The number of its first run, counted over all generations.
    var firstRun = 0
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
    if younger.bytes.count >= Self.generationBytes || younger.runs.count >= Self.generationRuns {
      swap(&younger, &older)
      younger.bytes.removeAll(keepingCapacity: true)
      younger.runs.removeAll(keepingCapacity: true)
      younger.firstRun = older.firstRun + older.runs.count
    }
    let start = younger.bytes.count
    younger.bytes.append(contentsOf: bytes)
    younger.runs.append(Run(position: position, bytes: start..<younger.bytes.count, previous: previous))
    return younger.firstRun + younger.runs.count - 1
  }

  /// Compares retransmitted bytes at `position` with the delivered ones. `latest` is the latest run of the direction.
  func compare(_ other: Span<UInt8>, at position: Int, latest: Int?) -> Comparison {
    var result = Comparison(differing: nil, forgotten: other.count)
    let range = position..<(position + other.count)
    var next = latest
    for _ in 0..<Self.depth {
      guard let number = next, number >= older.firstRun, result.forgotten > 0 else { break }
      let run: Run
      if number >= younger.firstRun {
        run = younger.runs[number - younger.firstRun]
        compare(other, at: range, with: run, of: younger, &result)
      } else {
        run = older.runs[number - older.firstRun]
        compare(other, at: range, with: run, of: older, &result)
      }
      if run.position <= range.lowerBound { break }
      next = run.previous
    }
    return result
  }

  private func compare(
    _ other: Span<UInt8>, at range: Range<Int>, with run: Run, of generation: Generation, _ result: inout Comparison
  ) {
    let common = range.clamped(to: run.position..<(run.position + run.bytes.count))
    let shift = run.bytes.lowerBound - run.position
    for place in common where other[place - range.lowerBound] != generation.bytes[place + shift] {
      let before = result.differing ?? place..<place
      result.differing = min(before.lowerBound, place)..<max(before.upperBound, place + 1)
    }
    result.forgotten -= common.count
  }
}
