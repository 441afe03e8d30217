import APNSCraft
import APNSInput
import Octets

/// Writes the redacted streams of an input that is not a capture.
enum RedactedText {
  /// Hex digits, sixteen bytes per line; if there are two sides, each line begins with the mark of its side.
  static func digits(_ redacted: [[UInt8]], of log: StreamLog) -> [UInt8] {
    var out: [UInt8] = []
    // A line can only have one side, so adjacent pieces of one side are joined.
    var pieces: [(stream: Int, range: Range<Int>)] = []
    for piece in log.pieces {
      if let last = pieces.last, last.stream == piece.stream {
        pieces[pieces.count - 1].range = last.range.lowerBound..<piece.range.upperBound
      } else {
        pieces.append((piece.stream, piece.range))
      }
    }
    for (stream, range) in pieces {
      let held = log.streams[stream].stream
      for start in stride(from: range.lowerBound, to: range.upperBound, by: 16) {
        if held.isDirected { out += (held.number.isMultiple(of: 2) ? "> " : "< ").utf8 }
        let bytes = redacted[stream][start..<min(start + 16, range.upperBound)]
        out += (bytes.map(\.hexDigits).joined(separator: " ") + "\n").utf8
      }
    }
    return out
  }

  /// A synthetic capture of the packets in a text, one stream after the other.
  static func capture(_ redacted: [[UInt8]], of log: StreamLog) -> [UInt8] {
    var writer = CaptureWriter()
    var out: [UInt8] = []
    for (held, bytes) in zip(log.streams, redacted) {
      var route = held.stream.route ?? .documented(for: .provider, connection: held.stream.connection)
      if held.stream.route == nil, !held.stream.number.isMultiple(of: 2) {
        route = route.reversed
      }
      var start = 0
      for run in held.pieces {
        if run.gap > 0 { writer.gap(of: run.gap, on: route, into: &out) }
        let piece = bytes.span.extracting(start..<(start + run.bytes))
        writer.segment(piece, on: route, at: run.time, into: &out)
        start += run.bytes
      }
    }
    writer.finish(into: &out)
    return out
  }
}
