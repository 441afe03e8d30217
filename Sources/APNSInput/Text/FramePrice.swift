import APNSWire

/// The price of bytes in bits: how much a reading of a text pays for them.
///
/// Bytes inside frames of the catalog and JSON text are expected, so they cost little. All others cost nearly as much
/// as a character that a reading leaves unexplained.
struct FramePrice {
  /// How many bytes are inside frames. A frame that is cut or has a wrong length counts up to there.
  private(set) var known = 0
  private(set) var bits = 0

  static let unexplainedCharacter = 8
  static let otherByte = 7
  static let expectedByte = 2
  /// Fewer bytes of a frame that is cut say nothing: those of the lengths before its token, or of one item.
  private static let shortestCutFrame = 12
  private static let shortestCutItems = 40

  init(_ bytes: [UInt8], _ catalog: Catalog) {
    var index = 0
    while index < bytes.count {
      let frame = catalog.roles.reduce(0) { max($0, Self.frame(at: index, in: bytes, of: $1, catalog)) }
      let step = frame > 0 ? frame : Self.json(at: index, in: bytes)
      known += frame
      bits += step > 0 ? step * Self.expectedByte : Self.otherByte
      index += max(step, 1)
    }
  }

  /// Whether these bytes begin a frame, as far as they go.
  static func beginsFrame(_ bytes: [UInt8], _ catalog: Catalog) -> Bool {
    guard let first = bytes.first, catalog.isCommand(first) else { return false }
    return 2 * FramePrice(bytes, catalog).known > bytes.count
  }

  /// The number of bytes from `start` that a frame explains; 0 if none begins there.
  private static func frame(at start: Int, in bytes: [UInt8], of role: StreamRole, _ catalog: Catalog) -> Int {
    let frame = catalog.frame(at: start, in: bytes.span, of: role)
    // The beginning of a frame without a command can be anything.
    guard frame.condition == .complete || frame.condition == .truncated && catalog.hasCommands(role) else { return 0 }
    var hasItems = false
    var hasUnknown = false
    var addsUp = true
    var payload: Int?
    catalog.forEachField(of: frame, in: bytes.span) { leaf in
      hasItems = hasItems || leaf.kind == .itemID
      hasUnknown = hasUnknown || leaf.kind == .value && leaf.field == FieldRef.none
      addsUp = addsUp && (leaf.state == .whole || leaf.state == .wrongSize)
      let isValue = leaf.kind == .value && leaf.field != FieldRef.none
      if isValue, catalog.expectations[Int(leaf.field)].isJSON { payload = payload ?? leaf.start }
    }
    guard !hasUnknown else { return 0 }
    if catalog.isUsual(frame, in: bytes.span) {
      let least = frame.condition == .complete ? 0 : hasItems ? shortestCutItems : shortestCutFrame
      return frame.count > least ? frame.count : 0
    }
    // With a wrong length, or another value that no sender writes, what precedes the payload shows the frame.
    guard let payload, bytes[payload..<frame.end].starts(with: "{\"".utf8) else { return 0 }
    let beginning = bytes.span.extracting(..<(payload + 1))
    guard catalog.isUsual(catalog.frame(at: start, in: beginning, of: role), in: beginning) else { return 0 }
    // Lengths of items that add up are right.
    if addsUp, hasItems, frame.condition == .complete { return frame.count }
    return bytes[payload...].prefix { $0.isPrintable || $0 >= 0x80 }.endIndex - start
  }

  /// The number of bytes of JSON from `start`: up to 40 printable characters, a key, and printable characters.
  private static func json(at start: Int, in bytes: [UInt8]) -> Int {
    let lead = bytes[start...].prefix(40).prefix(while: \.isPrintable)
    for index in lead.indices where bytes[index] == UInt8(ascii: "\"") {
      let key = bytes[(index + 1)...].prefix(while: \.isWordPart)
      let rest = bytes[key.endIndex...]
      if !key.isEmpty, rest.starts(with: "\":".utf8), let value = rest.dropFirst(2).first,
        value.isDecimalDigit || "[{\"tfn-".utf8.contains(value)
      {
        return rest.prefix(while: \.isPrintable).endIndex - start
      }
    }
    return 0
  }
}
