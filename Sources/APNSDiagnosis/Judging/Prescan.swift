import APNSInput

/// Frames that were judged in advance on another thread. A verdict depends only on the bytes of its frame, so it is
/// valid wherever a frame begins at the same offset. Other verdicts are not used.
struct Prescan {
  private var frames: [JudgedFrame] = []
  private var next = 0
  /// The difference between positions in the scanned bytes and offsets in the stream.
  private var shift = 0
  /// Lower positions belong to other streams.
  private var first = Int.max

  /// Declares that the next bytes of the stream, from `offset` on, were scanned from `position` on. Positions only
  /// increase.
  mutating func align(_ position: Int, with offset: Int) { (shift, first) = (position - offset, position) }

  /// Declares that the next bytes were not scanned.
  mutating func unalign() { first = .max }

  /// The frame at this offset; nil if none was found. Calls must follow the order of the stream.
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

/// Judges the frames of recorded streams in advance.
public struct Prescanner {
  var prescan = Prescan()
  private var judge: FormJudge

  init(_ judge: FormJudge) { self.judge = judge }

  /// Judges the complete frames that begin in the first part of all bytes, and discards the frames of other streams.
  ///
  /// - Parameters:
  ///   - streams: the recorded streams.
  ///   - part: the part of the bytes, from 0 to 1.
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
