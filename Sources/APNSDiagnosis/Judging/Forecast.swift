import APNSInput
import APNSPayload
import APNSWire

/// Verdicts on frames whose turn has not come, found beside the reading of those before them. They go by a frame's own
/// bytes alone, so they hold wherever a frame does begin at the same place; elsewhere they are not asked for.
struct Forecast {
  private var looks: [FrameLook] = []
  private var next = 0
  /// From offsets in the stream to places in the bytes that were looked at.
  private var shift = 0
  /// Places of other streams lie before it.
  private var first = Int.max

  /// What comes next in the stream, from `offset` on, was looked at from `place` on. Places only rise.
  mutating func align(_ place: Int, with offset: Int) { (shift, first) = (place - offset, place) }

  /// What comes next was not looked at.
  mutating func unalign() { first = .max }

  /// The look at the frame that begins there; nil where there is none. Asked in the order of the stream.
  @inline(__always)
  mutating func look(at offset: Int) -> FrameLook? {
    let place = offset &+ shift
    guard place >= first else { return nil }
    while next < looks.count, looks[next].start < place { next += 1 }
    return next < looks.count && looks[next].start == place ? looks[next] : nil
  }

  fileprivate mutating func removeAll() {
    looks.removeAll(keepingCapacity: true)
    next = 0
    unalign()
  }

  fileprivate mutating func append(_ look: FrameLook) { looks.append(look) }
}

/// Looks ahead at streams that are recorded.
public struct Forecaster {
  var forecast = Forecast()
  private var judge: FormJudge

  init(_ judge: FormJudge) { self.judge = judge }

  /// Looks at the whole frames that begin in this part of all bytes; forgets what it knew of others.
  /// - Parameter part: 0 to 1.
  public mutating func look(at streams: borrowing RecordedStreams, part: Double) {
    forecast.removeAll()
    streams.forEachPiece { bytes, piece, time in
      let limit = min(Int(part * Double(bytes.count)), piece.upperBound)
      var start = piece.lowerBound
      while start < limit, let first = judge.firstFrame(in: bytes, start..<piece.upperBound), first < limit {
        start = first
        while let look = judge.look(at: start, in: bytes, time: time?.seconds),
          start + look.count <= piece.upperBound
        {
          forecast.append(look)
          start += look.count
        }
        start += 1
      }
    }
  }
}
