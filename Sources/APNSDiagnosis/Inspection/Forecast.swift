import APNSInput
import APNSPayload
import APNSWire

/// What a glance shows of frames whose turn has not come, found beside the reading of those before them. It goes by a
/// frame's own bytes alone, so that it holds wherever a frame does begin at the same place; elsewhere it is not asked.
struct Forecast {
  private var looks: [Look] = []
  private var next = 0
  /// From offsets in the stream to places in the bytes that were looked at.
  private var shift = 0
  /// Places of other streams lie before it.
  private var first = Int.max

  /// A glance at one frame.
  struct Look: BitwiseCopyable {
    /// In the bytes that were looked at.
    let start: Int
    let count: Int
    let identifier: UInt32
    let mark: UInt32
    let said: Said
    let schema: UInt8
    let hasIdentifier: Bool
    let passes: Bool
  }

  /// What comes next in the stream, from `offset` on, was looked at from `place` on. Places only rise.
  mutating func align(_ place: Int, with offset: Int) { (shift, first) = (place - offset, place) }

  /// What comes next was not looked at.
  mutating func unalign() { first = .max }

  /// The look at the frame that begins there; nil where there is none. Asked in the order of the stream.
  @inline(__always)
  mutating func look(at offset: Int) -> Look? {
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

  fileprivate mutating func append(_ look: Look) { looks.append(look) }
}

/// Makes forecasts.
public struct Forecaster: StreamsAhead {
  var forecast = Forecast()
  private var glance: Glance

  init(_ glance: Glance) { self.glance = glance }

  /// Looks at all frames from `start` on. Other threads may read the bytes, too.
  mutating func look(at bytes: Span<UInt8>, from start: Int) {
    forecast.removeAll()
    var position = start
    while position < bytes.count {
      let passes = glance.passes(bytes, at: position, time: nil)
      guard passes || glance.end > 0 || glance.findStart(in: bytes, from: position + 1) else { return }
      forecast.append(glance.look(passes, from: position, in: bytes))
      position = glance.end
    }
  }

  /// Looks at the frames that are whole in a packet.
  public mutating func look(at streams: borrowing RecordedStreams, part: Double) {
    forecast.removeAll()
    streams.forEachPacket { bytes, range, packet in
      guard Double(range.lowerBound) < part * Double(bytes.count), glance.findStart(in: bytes, range) else { return }
      var position = glance.end
      while position < range.upperBound {
        let passes = glance.passes(bytes, at: position, time: packet.time?.seconds)
        guard glance.end > 0, glance.end <= range.upperBound else { return }
        forecast.append(glance.look(passes, from: position, in: bytes))
        position = glance.end
      }
    }
  }
}

extension Glance {
  /// The glance that was cast last, to be kept.
  @inline(__always)
  func look(_ passes: Bool, from start: Int, in bytes: Span<UInt8>) -> Forecast.Look {
    Forecast.Look(
      start: start, count: end - start, identifier: identifier ?? 0,
      mark: passes ? RepeatedRun.mark(of: bytes.extracting(start..<end)) : 0, said: said,
      schema: schema, hasIdentifier: identifier != nil, passes: passes)
  }
}
