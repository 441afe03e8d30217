import APNSInput

/// Keeps what a reassembler hands on, and checks the order of calls.
struct CaptureRecorder: StreamSink {
  enum Run: Equatable {
    case bytes([UInt8])
    case gap(Int)
  }

  private(set) var streams: [Int: ByteStream] = [:]
  private(set) var runs: [Int: [Run]] = [:]
  /// Packet number and count of each append.
  private(set) var origins: [Int: [[Int]]] = [:]
  private(set) var closed: [Int] = []
  private(set) var endings: [Int: StreamEnding] = [:]
  /// Offset and bytes of each overlap.
  private(set) var overlaps: [Int: [(at: Int, bytes: [UInt8])]] = [:]
  private(set) var misuse: [String] = []
  var limit = Int.max
  private var appended = 0

  var wantsMore: Bool { appended < limit }

  mutating func open(_ stream: ByteStream) {
    if streams[stream.number] != nil { misuse.append("opened twice: \(stream.number)") }
    streams[stream.number] = stream
  }

  mutating func append(_ bytes: Span<UInt8>, from origin: Origin, to stream: Int) {
    check(stream)
    if bytes.isEmpty { misuse.append("nothing appended to \(stream)") }
    appended += bytes.count
    if case .packet(let packet) = origin { origins[stream, default: []].append([packet.number, bytes.count]) }
    var together: [UInt8] = []
    if case .bytes(let before) = runs[stream]?.last {
      runs[stream]?.removeLast()
      together = before  // the only reference now, so this run grows in place
    }
    for index in 0..<bytes.count { together.append(bytes[index]) }
    runs[stream, default: []].append(.bytes(together))
  }

  mutating func gap(of count: Int, in stream: Int) {
    check(stream)
    if count <= 0 { misuse.append("gap of \(count)") }
    if case .gap = runs[stream]?.last { misuse.append("two gaps in a row in \(stream)") }
    runs[stream, default: []].append(.gap(count))
  }

  mutating func overlap(_ bytes: Span<UInt8>, at offset: Int, from origin: Origin, in stream: Int) {
    check(stream)
    overlaps[stream, default: []].append((offset, bytes.indices.map { bytes[$0] }))
  }

  mutating func close(_ stream: Int, _ ending: StreamEnding) {
    check(stream)
    closed.append(stream)
    endings[stream] = ending
  }

  /// All bytes, without the gaps.
  func bytes(_ stream: Int) -> [UInt8] {
    (runs[stream] ?? []).flatMap { run -> [UInt8] in
      guard case .bytes(let bytes) = run else { return [] }
      return bytes
    }
  }

  func missing(_ stream: Int) -> Int {
    (runs[stream] ?? []).reduce(0) { sum, run in
      guard case .gap(let count) = run else { return sum }
      return sum + count
    }
  }

  private mutating func check(_ stream: Int) {
    if streams[stream] == nil { misuse.append("not open: \(stream)") }
    if closed.contains(stream) { misuse.append("closed: \(stream)") }
  }
}

/// A reassembler with what it handed on; packets are numbered in the order in which they come.
struct Wire: ~Copyable {
  var reassembler = Reassembler()
  var recorder = CaptureRecorder()
  private var count = 0
  private var second = 0

  mutating func send(_ packets: TestPacket...) { send(packets) }

  mutating func send(_ packets: [TestPacket]) {
    for packet in packets { send(packet.frame, link: .ethernet) }
  }

  mutating func send(_ bytes: [UInt8], link: LinkType) {
    count += 1
    let origin = Origin.Packet(number: count, time: CaptureTime(seconds: second, nanoseconds: count, digits: 9))
    reassembler.packet(bytes.span, link: link, origin: origin, into: &recorder)
  }

  /// Lets this many seconds of the capture pass before the next packet.
  mutating func wait(_ seconds: Int) { second += seconds }

  /// No packet comes for as long.
  mutating func idle(_ seconds: Int) {
    wait(seconds)
    reassembler.wait(until: CaptureTime(seconds: second, nanoseconds: count, digits: 9), into: &recorder)
  }

  mutating func finish() { reassembler.finish(into: &recorder) }
}

/// A segment in the making: change what a test is about.
struct TestPacket {
  static let client = Endpoint(address: .v4(0x0a00_0001), port: 40000)
  static let gateway = Endpoint(address: .v4(0x0a00_0002), port: 2195)

  var source = client
  var destination = gateway
  var sequence: UInt32 = 0
  var acknowledgement: UInt32 = 0
  var flags: UInt8 = 0x18
  var payload: [UInt8] = []
  /// Bytes cut from the end of the packet.
  var cut = 0
  /// Bytes behind the IP packet.
  var padding = 0
  var totalLength: UInt16?
  var identification: UInt16 = 0
  var fragment: UInt16 = 0
  var etherTypes: [UInt16] = [0x0800]

  static func syn(_ sequence: UInt32, _ payload: [UInt8] = []) -> TestPacket {
    TestPacket(sequence: sequence, flags: 0x02, payload: payload)
  }
  static func synAck(_ sequence: UInt32, acknowledging: UInt32) -> TestPacket {
    TestPacket(
      source: gateway, destination: client, sequence: sequence, acknowledgement: acknowledging, flags: 0x12)
  }
  static func data(_ sequence: UInt32, _ payload: [UInt8]) -> TestPacket {
    TestPacket(sequence: sequence, payload: payload)
  }
  static func answer(_ sequence: UInt32, _ payload: [UInt8]) -> TestPacket {
    TestPacket(source: gateway, destination: client, sequence: sequence, payload: payload)
  }
  static func fin(_ sequence: UInt32) -> TestPacket { TestPacket(sequence: sequence, flags: 0x11) }
  static func rst(_ sequence: UInt32) -> TestPacket { TestPacket(sequence: sequence, flags: 0x14) }

  func with(_ change: (inout TestPacket) -> Void) -> TestPacket {
    var copy = self
    change(&copy)
    return copy
  }

  var frame: [UInt8] {
    var bytes = [UInt8](repeating: 2, count: 12)
    for (index, type) in etherTypes.enumerated() { bytes += (index > 0 ? [0, 7] : []) + big(type) }
    return bytes + ip
  }

  var ip: [UInt8] {
    let segment = tcp
    var bytes: [UInt8] =
      [0x45, 0] + big(totalLength ?? UInt16(segment.count + 20)) + big(identification) + big(fragment)
    bytes += [64, 6, 0, 0] + v4(source) + v4(destination) + segment
    return bytes.dropLast(cut) + [UInt8](repeating: 0, count: padding)
  }

  var tcp: [UInt8] {
    big(source.port) + big(destination.port) + big(sequence) + big(acknowledgement) + [0x50, flags, 1, 0, 0, 0, 0, 0]
      + payload
  }

  /// The packet in pieces whose payloads are `size` bytes, a multiple of 8.
  func pieces(of size: Int) -> [[UInt8]] {
    let (whole, header) = (tcp, 20)
    return stride(from: 0, to: whole.count, by: size).map { start in
      let end = min(start + size, whole.count)
      var piece = with {
        $0.totalLength = UInt16(header + end - start)
        $0.fragment = UInt16(start / 8) | (end < whole.count ? 0x2000 : 0)
      }.ip
      piece.replaceSubrange(header..., with: whole[start..<end])
      return piece
    }
  }

  private func v4(_ endpoint: Endpoint) -> [UInt8] {
    if case .v4(let address) = endpoint.address { big(address) } else { [0, 0, 0, 0] }
  }
}

func big(_ value: some FixedWidthInteger) -> [UInt8] {
  stride(from: value.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
}

/// A small generator, so that a seed names a case.
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_f491_4f6c_dd1d
  }
}
