import APNSPayload
import APNSWire

/// What a glance shows of frames whose turn has not come, found beside the reading of those before them. It goes by a
/// frame's own bytes alone, so that it holds wherever a frame does begin at the same place; elsewhere it is not asked.
struct Forecast {
  private var looks: [Look] = []
  /// The next one, and where it begins.
  private var next = 0
  private var position = 0

  /// A glance at one frame.
  struct Look: BitwiseCopyable {
    /// In the stream, of the first byte behind it.
    let end: Int
    let identifier: UInt32
    let mark: UInt32
    let said: Said
    let schema: UInt8
    let hasIdentifier: Bool
    let passes: Bool
  }

  /// The look at the frame that begins there; nil where there is none. Asked in the order of the stream.
  @inline(__always)
  mutating func look(at offset: Int) -> Look? {
    while next < looks.count, position < offset {
      position = looks[next].end
      next += 1
    }
    return next < looks.count && position == offset ? looks[next] : nil
  }

  mutating func begin(at offset: Int) {
    looks.removeAll(keepingCapacity: true)
    (next, position) = (0, offset)
  }

  fileprivate mutating func append(_ look: Look) { looks.append(look) }
}

/// Makes forecasts.
struct Forecaster {
  private(set) var forecast = Forecast()
  private var glance: Glance

  init(_ glance: Glance) { self.glance = glance }

  /// Looks at all frames from `start` on; the first of `bytes` stands at `offset` in the stream. Other threads may read
  /// the bytes, too.
  mutating func look(at bytes: Span<UInt8>, from start: Int, offset: Int) {
    forecast.begin(at: offset + start)
    var position = start
    while position < bytes.count {
      let passes = glance.passes(bytes, at: position, time: nil)
      guard passes || glance.end > 0 || glance.findStart(in: bytes, from: position + 1) else { return }
      forecast.append(glance.look(passes, from: position, in: bytes, offset: offset))
      position = glance.end
    }
  }
}

extension Glance {
  /// The glance that was cast last, to be kept.
  @inline(__always)
  func look(_ passes: Bool, from start: Int, in bytes: Span<UInt8>, offset: Int) -> Forecast.Look {
    Forecast.Look(
      end: offset + end, identifier: identifier ?? 0,
      mark: passes ? RepeatedRun.mark(of: bytes.extracting(start..<end)) : 0, said: said,
      schema: schema, hasIdentifier: identifier != nil, passes: passes)
  }
}
