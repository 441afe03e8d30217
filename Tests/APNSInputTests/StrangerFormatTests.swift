import APNSInput
import APNSWire
import Octets
import Testing

/// A program's own text format is recognised and read like the built-in ones.
@Suite struct StrangerFormatTests {
  /// Lines such as `SENT 0808` and `GOT 0808`; others are an error.
  private static let log = TextFormat(
    "gateway-log", "the log of our gateway", recognises: { $0[0] == "== our gateway" },
    decode: { line in
      guard !line.hasPrefix("==") else { return DecodedLine([]) }
      let words = line.split(separator: " ")
      guard words.count == 2, let bytes = [UInt8](hexDigits: Array(words[1].utf8)) else { return nil }
      return DecodedLine(bytes, stream: words[0] == "GOT" ? 1 : 0)
    })

  private struct Sides: StreamSink {
    var bytes: [[UInt8]] = [[], []]
    var positions: [String] = []
    var wantsMore: Bool { true }
    mutating func open(_ stream: ByteStream) {}
    mutating func close(_ stream: Int, _ ending: StreamEnding) {}
    mutating func gap(of count: Int, in stream: Int) {}
    mutating func append(_ span: Span<UInt8>, from origin: Origin, to stream: Int) {
      for index in span.indices { bytes[stream].append(span[index]) }
      if case .text(let places) = origin { positions += places.map { "\($0.line):\($0.column)" } }
    }
  }

  private func read(
    _ text: String, among formats: [TextFormat] = TextFormat.allCases, _ catalog: Catalog = .standard
  ) -> (format: String?, sides: Sides, error: ReadError?) {
    var reader = TextReader(catalog, among: formats)
    var sides = Sides()
    do throws(ReadError) {
      try reader.read(Array(text.utf8).span, into: &sides)
      try reader.finish(into: &sides)
    } catch {
      return (reader.format?.rawValue, sides, error)
    }
    return (reader.format?.rawValue, sides, nil)
  }

  @Test func isRecognisedAndRead() {
    let (format, sides, error) = read(
      "== our gateway\nSENT 00\n\n  GOT 0808\nSENT 01\n", among: [Self.log] + TextFormat.allCases)
    #expect(format == "gateway-log" && error == nil)
    #expect(sides.bytes == [[0, 1], [8, 8]])
    #expect(sides.positions == ["2:1", "4:3", "4:3", "5:1"])
  }

  @Test func anotherLineIsAnErrorAtItsPlace() {
    let (_, sides, error) = read("== our gateway\nSENT 00\nLOST 0\n", among: [Self.log])
    #expect(sides.bytes == [[0], []])
    #expect(error?.code == .notHex && error?.position.map { "\($0.line):\($0.column)" } == "3:1")
  }

  @Test func otherTextIsReadAsBefore() {
    #expect(read("0808\n", among: [Self.log] + TextFormat.allCases).format == "plain")
  }

  /// Frames of a type of one's own are recognised among other digits, as the documented ones are.
  @Test func framesOfOwnTypesAreChosen() {
    let catalog = Catalog.standard.adding(
      FrameSchema(
        "ping", title: "Ping", role: .provider, command: 0x70,
        parts: [.counted(.deviceToken, by: .uint8), .counted(.payload, by: .uint16)], reference: "invented"))
    let frame = [0x70, 32] + [UInt8](repeating: 0xad, count: 32) + [0, 9] + Array(#"{"aps":1}"#.utf8)
    let text = "trace=adff785122b4ad289a80982341241421 bytes=\(frame.hexDigits)\n"
    #expect(read(text).error?.code == .unknownText)
    let (_, sides, error) = read(text, among: TextFormat.allCases, catalog)
    #expect(error == nil && sides.bytes == [frame, []])
  }
}
