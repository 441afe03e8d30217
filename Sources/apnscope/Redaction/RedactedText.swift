import APNSCraft
import APNSInput
import APNSWire
import Octets

/// Writes the redacted streams of an input that is not a capture.
enum RedactedText {
  /// Hex digits, sixteen bytes per line; if there are two sides, each line begins with the mark of its side.
  static func digits(_ redacted: [[UInt8]], of log: StreamLog) -> [UInt8] {
    var out: [UInt8] = []
    var pieces = log.pieces[...]
    while let first = pieces.first {
      // A line can only have one side, so adjacent pieces of one side are joined.
      let joined = pieces.prefix { $0.stream == first.stream }
      pieces = pieces[joined.endIndex...]
      let held = log.streams[first.stream].stream
      let mark = !held.isDirected ? "" : held.number.isMultiple(of: 2) ? "> " : "< "
      var bytes = redacted[first.stream][first.range.lowerBound..<joined[joined.endIndex - 1].range.upperBound]
      while !bytes.isEmpty {
        out += (mark + bytes.prefix(16).map(\.hexDigits).joined(separator: " ") + "\n").utf8
        bytes = bytes.dropFirst(16)
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
      let side = held.stream.number.isMultiple(of: 2) ? StreamRole.provider : .gateway
      return held.stream.route.map { addresses.route($0) } ?? .documented(for: side, connection: held.stream.connection)
    }
    var ends = log.streams.map { _ in 0 }
    for piece in log.pieces {
      let (route, gap) = (routes[piece.stream], piece.offset - ends[piece.stream])
      if gap > 0 { writer.gap(of: gap, on: route, into: &out) }
      let bytes = redacted[piece.stream]
      writer.segment(bytes.span.extracting(piece.range), on: route, at: piece.packet?.time, into: &out)
      ends[piece.stream] = piece.offset + piece.range.count
    }
    writer.finish(into: &out)
    return out
  }
}
