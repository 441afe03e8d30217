import Octets

/// Random streams: complete frames, damaged frames and noise. Written by hand, so that it shares no code with the
/// encoder.
public struct RandomStream {
  public var generator: SeededGenerator

  public init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  /// A stream of any kind.
  public mutating func any() -> [UInt8] {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: return generator.bytes(Int.random(in: 0...80, using: &generator))
    case 1: return fewValues(Int.random(in: 0...80, using: &generator))
    case 2...5: return mutated(frames())
    default: return frames()
    }
  }

  /// Complete frames of one role.
  public mutating func frames() -> [UInt8] {
    let role = Int.random(in: 0..<6, using: &generator)
    var stream: [UInt8] = []
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      switch role {
      case 0: stream += errorResponse()
      case 1: stream += feedbackTuple()
      default: stream += notification()
      }
    }
    return stream
  }

  public mutating func notification() -> [UInt8] { notification(token: generator.bytes(tokenSize())) }

  public mutating func notification(token: [UInt8]) -> [UInt8] {
    let token = counted(token)
    let payload = counted(self.payload())
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: return [0] + token + payload
    case 1: return [1] + generator.bytes(8) + token + payload
    default:
      var items: [[UInt8]] = [
        [1] + token, [2] + payload, [3, 0, 4] + generator.bytes(4), [4, 0, 4] + generator.bytes(4), [5, 0, 1, 10],
      ]
      if generator.chance(30) { items.shuffle(using: &generator) }
      if generator.chance(20) { items.removeLast() }
      if generator.chance(10) { items.append(items[0]) }
      if generator.chance(10) { items.append([9] + counted(generator.bytes(3))) }
      if generator.chance(5) { items.append([5] + counted(generator.bytes(4))) }
      let data = items.flatMap { $0 }
      return [2] + bigEndian(data.count, 4) + data
    }
  }

  public mutating func errorResponse() -> [UInt8] {
    [8, [0, 1, 7, 8, 10, 128, 255, 99].randomElement(using: &generator) ?? 8] + generator.bytes(4)
  }

  public mutating func feedbackTuple() -> [UInt8] {
    [0x52] + generator.bytes(3) + counted(generator.bytes(tokenSize()))
  }

  /// Applies one to three random changes to a stream.
  public mutating func mutated(_ stream: [UInt8]) -> [UInt8] {
    var stream = stream
    for _ in 0..<Int.random(in: 1...3, using: &generator) where !stream.isEmpty {
      let place = Int.random(in: 0..<stream.count, using: &generator)
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: stream[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: stream[place] = [0, 1, 2, 8, 0x20, 0x7f, 0xff].randomElement(using: &generator) ?? 0
      case 2: stream.remove(at: place)
      case 3: stream.insert(UInt8.random(in: 0...255, using: &generator), at: place)
      case 4: stream.removeSubrange(place...)
      case 5: stream.removeSubrange(..<place)
      default: stream += stream[place...].prefix(40)
      }
    }
    return stream
  }

  private mutating func fewValues(_ count: Int) -> [UInt8] {
    let values: [UInt8] = [0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 8, 9, 0x7b]
    return (0..<count).map { _ in values.randomElement(using: &generator) ?? 0 }
  }

  private mutating func tokenSize() -> Int {
    [32, 32, 32, 32, 0, 5, 64, 100].randomElement(using: &generator) ?? 32
  }

  private mutating func payload() -> [UInt8] {
    let texts = [
      #"{"aps":{"alert":"Hi"}}"#, #"{"aps":{"alert":"Привет 新消息 🎉","badge":3}}"#, #"{"aps":{}}"#, "",
      #"{"aps":{"badge":1,}}"#, "{\"aps\":{\"alert\":\"\u{1b}[31m\u{202e}\"}}", #"{"a":[1,2,{"b":null}],"c":"\u0041"}"#,
    ]
    if generator.chance(10) { return generator.bytes(Int.random(in: 0...40, using: &generator)) }
    return Array((texts.randomElement(using: &generator) ?? "").utf8)
  }

  private func counted(_ bytes: [UInt8]) -> [UInt8] { bigEndian(bytes.count, 2) + bytes }

  private func bigEndian(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
