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

  /// A synthetic capture of the streams, in TCP packets of their own with made-up addresses.
  static func capture(_ redacted: [[UInt8]], of log: StreamLog, _ standIns: StandIns) -> [UInt8] {
    var writer = CaptureWriter()
    var addresses = AddressStandIns(standIns)
    var out: [UInt8] = []
    let routes = log.streams.map { held in
      let route = held.stream.route.map { addresses.route($0) }
      let documented = ByteStream.Route.documented(for: .provider, connection: held.stream.connection)
      return route ?? (held.stream.number.isMultiple(of: 2) ? documented : documented.reversed)
    }
    var lengths = log.streams.map { _ in 0 }
    for piece in log.pieces {
      let route = routes[piece.stream]
      let gap = piece.offset - lengths[piece.stream]
      if gap > 0 { writer.gap(of: gap, on: route, into: &out) }
      let bytes = redacted[piece.stream]
      writer.segment(bytes.span.extracting(piece.range), on: route, at: piece.packet?.time, into: &out)
      lengths[piece.stream] = piece.offset + piece.range.count
    }
    writer.finish(into: &out)
    return out
  }
}
