import APNSInput

/// Frames that were judged before their turn, while those before them were read. Their verdicts depend on the bytes of
/// each frame alone, so they hold wherever a frame does begin at the same offset; elsewhere they are not used.
struct Prescan {
  private var frames: [JudgedFrame] = []
  private var next = 0
  /// From offsets in the stream to positions in the bytes that were scanned.
  private var shift = 0
  /// Positions before it belong to other streams.
  private var first = Int.max

  /// What comes next in the stream, from `offset` on, was scanned from `position` on. Positions only rise.
  mutating func align(_ position: Int, with offset: Int) { (shift, first) = (position - offset, position) }

  /// What comes next was not scanned.
  mutating func unalign() { first = .max }

  /// The frame that begins there; nil if none was found. Offsets are asked for in the order of the stream.
  @inline(__always)
  mutating func frame(at offset: Int) -> JudgedFrame? {
    let position = offset &+ shift
    guard position >= first else { return nil }
    while next < frames.count, frames[next].start < position { next += 1 }
    return next < frames.count && frames[next].start == position ? frames[next] : nil
  }

  fileprivate mutating func removeAll() {
    frames.removeAll(keepingCapacity: true)
    next = 0
    unalign()
  }

  fileprivate mutating func append(_ frame: JudgedFrame) { frames.append(frame) }
}

/// Judges the frames of recorded streams before their turn.
public struct Prescanner {
  var prescan = Prescan()
  private var judge: FormJudge

  init(_ judge: FormJudge) { self.judge = judge }

  /// Judges the complete frames that begin in this part of all bytes; forgets those of other streams.
  /// - Parameter part: 0 to 1.
  public mutating func scan(_ streams: borrowing RecordedStreams, part: Double) {
    prescan.removeAll()
    streams.forEachPiece { bytes, piece, time in
      let limit = min(Int(part * Double(bytes.count)), piece.upperBound)
      var start = piece.lowerBound
      while start < limit, let first = judge.firstFrame(in: bytes, start..<piece.upperBound), first < limit {
        start = first
        while let frame = judge.frame(at: start, in: bytes, time: time?.seconds),
          start + frame.count <= piece.upperBound
        {
          prescan.append(frame)
          start += frame.count
        }
        start += 1
      }
    }
  }
}
