/// A decoder written by hand from the guide, sharing no code with the catalog: the oracle of law 7.
public struct HandDecoder {
  public struct Frame: Equatable {
    public var type: String
    public var start: Int
    public var end: Int
    /// The number of bytes known to be missing.
    public var needed = 0
    /// The values, without lengths and item headers.
    public var values: [Value] = []
  }

  /// A field or an item, and the range of its bytes in the stream.
  public struct Value: Equatable {
    public var name: String
    /// The id of an item; nil for a field.
    public var id: UInt8?
    public var range: Range<Int>
  }

  let bytes: [UInt8]
  var position = 0

  public static func frames(_ bytes: [UInt8], role: String) -> [Frame] {
    var decoder = HandDecoder(bytes: bytes)
    var frames: [Frame] = []
    while decoder.position < bytes.count { frames.append(decoder.next(role)) }
    return frames
  }

  private mutating func next(_ role: String) -> Frame {
    var frame = Frame(type: "unknown", start: position, end: bytes.count)
    switch (role, bytes[position]) {
    case ("feedback", _):
      frame.type = "feedback-tuple"
      if fixed("timestamp", 4, 2, &frame) { _ = counted("token", 0, &frame) }
    case ("gateway", 8):
      frame.type = "error-response"
      position += 1
      if fixed("status", 1, 4, &frame) { _ = fixed("identifier", 4, 0, &frame) }
    case ("provider", 0):
      frame.type = "legacy-notification"
      position += 1
      if counted("token", 2, &frame) { _ = counted("payload", 0, &frame) }
    case ("provider", 1):
      frame.type = "enhanced-notification"
      position += 1
      if fixed("identifier", 4, 8, &frame), fixed("expiry", 4, 4, &frame), counted("token", 2, &frame) {
        _ = counted("payload", 0, &frame)
      }
    case ("provider", 2):
      frame.type = "notification"
      items(&frame)
    default: position = bytes.count
    }
    frame.end = position
    return frame
  }

  private func number(_ at: Int, _ width: Int) -> Int { (at..<(at + width)).reduce(0) { $0 << 8 | Int(bytes[$1]) } }

  /// - Parameter minimumAfter: The minimum number of bytes that follow in the frame.
  private mutating func fixed(_ name: String, _ count: Int, _ minimumAfter: Int, _ frame: inout Frame) -> Bool {
    guard position + count <= bytes.count else { return cut(count + minimumAfter, &frame) }
    frame.values.append(Value(name: name, range: position..<(position + count)))
    position += count
    return true
  }

  private mutating func counted(_ name: String, _ minimumAfter: Int, _ frame: inout Frame) -> Bool {
    guard position + 2 <= bytes.count else { return cut(2 + minimumAfter, &frame) }
    let count = number(position, 2)
    guard position + 2 + count <= bytes.count else { return cut(2 + count + minimumAfter, &frame) }
    position += 2
    return fixed(name, count, minimumAfter, &frame)
  }

  private mutating func cut(_ wanted: Int, _ frame: inout Frame) -> Bool {
    frame.needed = position + wanted - bytes.count
    position = bytes.count
    return false
  }

  private mutating func items(_ frame: inout Frame) {
    guard position + 5 <= bytes.count else {
      position += 1
      _ = cut(4, &frame)
      return
    }
    let end = position + 5 + number(position + 1, 4)
    frame.needed = max(0, end - bytes.count)
    let limit = min(end, bytes.count)
    position += 5
    while position + 3 <= limit, position + 3 + number(position + 1, 2) <= limit {
      let count = number(position + 1, 2)
      frame.values.append(Value(name: "item", id: bytes[position], range: (position + 3)..<(position + 3 + count)))
      position += 3 + count
    }
    position = limit
  }
}
