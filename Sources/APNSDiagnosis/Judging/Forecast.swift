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

/// Makes forecasts.
public struct Forecaster: StreamsAhead {
  var forecast = Forecast()
  private var judge: FormJudge

  init(_ judge: FormJudge) { self.judge = judge }

  /// Looks at all frames from `start` on. Other threads may read the bytes, too.
  mutating func look(at bytes: Span<UInt8>, from start: Int) {
    forecast.removeAll()
    var position = start
    while position < bytes.count {
      if let look = judge.look(at: position, in: bytes, time: nil) {
        forecast.append(look)
        position += look.count
      } else if let next = judge.firstFrame(in: bytes, from: position + 1) {
        position = next
      } else {
        return
      }
    }
  }

  /// Looks at the frames that are whole in a packet.
  public mutating func look(at streams: borrowing RecordedStreams, part: Double) {
    forecast.removeAll()
    streams.forEachPacket { bytes, range, packet in
      guard Double(range.lowerBound) < part * Double(bytes.count), var position = judge.firstFrame(in: bytes, range)
      else { return }
      while position < range.upperBound, let look = judge.look(at: position, in: bytes, time: packet.time?.seconds),
        position + look.count <= range.upperBound
      {
        forecast.append(look)
        position += look.count
      }
    }
  }
}
