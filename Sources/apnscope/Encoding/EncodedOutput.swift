import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import ArgumentParser
import Octets

/// The formats of encoded frames.
enum EncodeFormat: String, CaseIterable, ExpressibleByArgument {
  case hex, raw, base64, c, ndjson, pcap

  /// A capture and records keep streams apart; the others are one run of bytes.
  var keepsStreams: Bool { self == .ndjson || self == .pcap }

  var content: OutputFile.Content {
    switch self {
    case .raw: .bytes
    case .pcap: .capture
    case .hex, .base64, .c, .ndjson: .text
    }
  }
}

/// Writes encoded frames in one format; a frame is written whole or not at all.
struct EncodedOutput: ~Copyable {
  private let format: EncodeFormat
  private var file: OutputFile
  private var bytesFormat: ByteFormat
  private var capture = CaptureWriter()
  private var packets: [UInt8] = []
  private var records: EncodedRecords
  /// The one stream of a format that holds one.
  private var stream: Int?
  private var roles: [Int?: StreamRole] = [:]
  private var hasBegun = false
  private var overlaps = 0

  init(_ format: EncodeFormat, _ definitions: Definitions, to output: OutputPath?) throws(Failure) {
    self.format = format
    records = EncodedRecords(definitions)
    file = try OutputFile(output, content: format.content)
    bytesFormat =
      switch format {
      case .hex: .hex
      case .base64: .base64(Base64Text())
      case .c: .cArray(isFirst: true)
      case .raw, .ndjson, .pcap: .raw
      }
  }

  var isClosed: Bool { file.isClosed }

  /// What the output cannot hold; nil if it holds everything.
  var losses: String? {
    let counts = [
      (overlaps, "overlap record", "left out: each byte of a stream is written once"),
      (capture.clampedTimes, "time", "before 1970 or after 2106 changed, because pcap cannot store them"),
      (capture.cutTimes, "time", "cut to microseconds, because the first record has no nanoseconds"),
    ]
    let losses = counts.filter { $0.0 > 0 }.map { count, noun, loss in "\(plural(count, noun)) \(loss)" }
    return losses.isEmpty ? nil : losses.joined(separator: "; ")
  }

  mutating func add(_ entry: NDJSONReader.Entry) throws(ReadError) {
    func refusal(_ reason: String) -> ReadError { ReadError(.notRecord, reason, position: entry.position) }
    if !format.keepsStreams, let number = entry.stream {
      guard number == stream ?? number else {
        throw refusal(
          "this record is from stream \(number), the preceding ones from stream \(stream ?? 0); choose one with "
            + "`dissect --stream`, or keep both with -T pcap or -T ndjson")
      }
      stream = number
    }
    var piece = EncodedPiece(
      role: entry.role, stream: entry.stream, route: entry.route, packets: entry.packets, time: entry.time)
    switch entry.content {
    case .overlap:
      if format.keepsStreams { overlaps += 1 }
      return
    case .gap(let missing):
      let gap = "member \"missing\" is \(missing), but"
      guard format != .pcap || missing <= Self.longestGap else {
        throw refusal("\(gap) a gap in a capture has at most \(Self.longestGap) bytes")
      }
      guard format != .ndjson || missing <= EncodedRecords.longestStream - records.end(of: entry.stream) else {
        throw refusal("\(gap) a stream has at most \(EncodedRecords.longestStream) bytes")
      }
      piece.missing = missing
    case .bytes(let bytes): piece.bytes = bytes
    case .written(let bytes): (piece.bytes, piece.isTyped) = (bytes, true)
    case .frame(let draft):
      do throws(EncodeError) { (piece.bytes, piece.isTyped) = (try draft.bytes(), true) } catch {
        throw refusal("member \"\(error.field)\" \(error.reason)")
      }
    }
    add(piece)
  }

  /// TCP takes a segment that is further away for one of the past.
  private static let longestGap = 1 << 30

  mutating func add(_ piece: EncodedPiece) {
    hasBegun = true
    var piece = piece
    if format.keepsStreams { piece.role = resolvedRole(of: piece) }
    switch format {
    case .hex, .raw, .base64, .c:
      if !piece.bytes.isEmpty { file.append { bytesFormat.write(piece.bytes, to: &$0) } }
    case .pcap:
      let route = piece.route ?? documentedRoute(of: piece)
      file.append { out in
        packets.removeAll(keepingCapacity: true)
        if piece.missing > 0 { capture.gap(of: piece.missing, on: route, into: &packets) }
        capture.segment(piece.bytes.span, on: route, at: piece.time, into: &packets)
        out.write(packets)
      }
    case .ndjson:
      if piece.stream != nil, piece.route == nil { piece.route = documentedRoute(of: piece) }
      file.append { records.add(piece, to: &$0) }
    }
  }

  private func documentedRoute(of piece: EncodedPiece) -> ByteStream.Route {
    .documented(for: piece.role ?? records.role(of: piece.bytes), connection: (piece.stream ?? 0) / 2)
  }

  /// What is known of the stream decides between the two services that write to a provider.
  private mutating func resolvedRole(of piece: EncodedPiece) -> StreamRole? {
    let known = roles[piece.stream]
    guard let role = piece.role else { return known }
    if !piece.isTyped, let known, known != .provider, role != .provider { return known }
    roles[piece.stream] = role
    return role
  }

  /// Ends the format, so that what was written until then can be read, without leaving a temporary file.
  mutating func abandon() {
    if hasBegun { finish() }
    // Why the run failed is known already.
    try? file.close(complete: false)
  }

  mutating func close() throws(Failure) {
    finish()
    try file.close()
  }

  private mutating func finish() {
    file.append { out in
      switch format {
      case .hex, .raw, .base64, .c: bytesFormat.finish(to: &out)
      case .pcap:
        packets.removeAll(keepingCapacity: true)
        capture.finish(into: &packets)
        out.write(packets)
      case .ndjson: records.finish(to: &out)
      }
    }
  }
}
