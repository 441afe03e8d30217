import APNSPayload
import APNSWire
import Octets

/// The evaluation of a reading: its incorrect lengths, its unusual values, and the frame as it should have been.
struct Assessment {
  let variant: FrameVariant
  let reading: FrameReading
  let context: CauseContext
  private(set) var misfits: [Misfit] = []
  /// How unusual the values are, in bits.
  private(set) var penalty = 0
  /// The sizes of the values as they should have been, by field; -1 for values that are missing.
  private var decodedSizes = FrameReading.PerField<Int>(repeating: -1)

  struct Misfit {
    let measured: Measured
    let declared: Int
  }

  /// The cost of one bug, in bits.
  static let deviation = 12
  /// The cost of a token with an unusual size, in bits. It doubles for a token of less than 16 bytes.
  static let unusualSize = 8

  /// Returns nil if the bytes cannot be a frame of this variant.
  init?(_ reading: FrameReading, _ variant: FrameVariant, _ context: CauseContext, _ bytes: Span<UInt8>) {
    self.reading = reading
    self.variant = variant
    self.context = context
    context.work.add(64)
    guard slipFits(bytes), tokenIsOne(bytes), decodes(bytes), judgeValues(bytes) else { return nil }
    measure(bytes)
    // If no length can be checked, or there is no payload as evidence, everything else has to be usual.
    if penalty > 0, !hasLengths || !hasPayload { return nil }
    // If there is neither, the stream must look like this from its start, because times alone also occur in noise.
    if !hasLengths, !hasPayload, context.position != .streamStart, context.history.cause == nil { return nil }
    // A frame of a fixed size that is too short could also be cut.
    if !writing.schema.hasLengths, let correctSize, reading.end - reading.start < correctSize { return nil }
  }

  /// Whether the bug left out all lengths and the frame has no payload.
  var hasLittleEvidence: Bool { writing.schema.hasLengths && !hasLengths && !hasPayload }

  var hasPayload: Bool { variant.index(of: .payload) != nil }

  private var hasLengths: Bool {
    reading.frameLength != nil
      || (0..<reading.count).contains { reading.values[Int(reading.order[$0])].declared != nil }
  }

  /// Whether a field of the frame is missing.
  private var leavesOut: Bool { variant.fields.indices.contains { variant.fields[$0].id == nil && !reading.has($0) } }

  private var isLossy: Bool { writing.fields.indices.contains { reading.has($0) && writing.fields[$0].coding.isLossy } }

  private var writing: Writing { variant.writing }

  // MARK: Values

  /// Checks that each value can be decoded with its coding.
  private mutating func decodes(_ bytes: Span<UInt8>) -> Bool {
    for index in 0..<reading.count {
      let number = Int(reading.order[index])
      let (shape, range) = (variant.fields[number], reading.values[number].range)
      if shape.isVerbatim, shape.standardSize ?? range.count == range.count {
        decodedSizes[number] = range.count
        continue
      }
      guard let value = decoded(number, bytes) else { return false }
      decodedSizes[number] = value.count
    }
    // A value that was left out can only be restored if its size is known.
    return variant.fields.indices.allSatisfy {
      variant.fields[$0].id != nil || reading.has($0) || variant.fields[$0].size != nil
    }
  }

  private func decoded(_ number: Int, _ bytes: Span<UInt8>) -> [UInt8]? {
    let shape = variant.fields[number]
    let raw = [UInt8](copying: bytes.extracting(reading.values[number].range))
    guard let value = writing.fields[number].coding.decode(raw) else { return nil }
    if !shape.isVerbatim, shape.isJSON, JSONScanner.firstError(in: value.span, range: 0..<value.count) != nil {
      return nil
    }
    guard let size = shape.standardSize, reading.slip?.part != .value(number) else { return value }
    return value.fitted(to: size)
  }

  /// The frame that these values should have made; nil if the bytes do not determine all of it.
  func repaired(_ bytes: Span<UInt8>) -> [UInt8]? {
    guard reading.slip?.part.isValue != true, !leavesOut, !isLossy else { return nil }
    var draft = FrameDraft(writing.schema)
    var items: [ItemDraft] = []
    for index in 0..<reading.count {
      let number = Int(reading.order[index])
      guard let value = decoded(number, bytes) else { return nil }
      if let item = writing.fields[number].item {
        items.append(ItemDraft(item, data: .octets(value)))
      } else {
        draft.values[writing.fields[number].field.name.member] = .octets(value)
      }
    }
    if let list = variant.list { draft[list] = .items(items) }
    return try? draft.bytes()
  }

  private mutating func judgeValues(_ bytes: Span<UInt8>) -> Bool {
    for index in 0..<reading.count {
      let number = Int(reading.order[index])
      let (field, value) = (writing.fields[number], reading.values[number])
      guard reading.slip?.part != .value(number) else { continue }
      switch field.field.role {
      case .token:
        if field.coding.isVerbatim {
          if value.size != field.field.usual { penalty += value.size < 16 ? 2 * Self.unusualSize : Self.unusualSize }
          if !bytes.looksRandom(value.range) { penalty += 6 }
        }
      case .expiry, .timestamp:
        let raw = [UInt8](copying: bytes.extracting(value.range))
        guard let decoded = field.coding.decode(raw)?.bigEndianNumber else {
          return false
        }
        let isUsual =
          field.field.role == .timestamp
          ? Times.ofFeedback.contains(Int(clamping: decoded)) : decoded == 0 || Self.isTime(decoded)
        if field.coding.name == Coding.reversed.name {
          guard isUsual, decoded != 0, !Self.isTime(raw.bigEndianNumber) else { return false }
        }
        if !isUsual { penalty += 10 }
      case .priority:
        if let byte = value.range.last, !isDocumentedPriority(bytes[byte]), field.coding.isVerbatim { penalty += 8 }
      case .status:
        // An error response has no evidence except a documented status.
        guard let status = decoded(number, bytes)?.last, status != 0,
          ErrorResponse.statuses.contains(where: { $0.code == status })
        else { return false }
      default: break
      }
    }
    return true
  }

  /// Whether this is a time that most senders would write.
  private static func isTime(_ value: UInt64) -> Bool { Expiry(Int(clamping: value), sent: nil).isOrdinary }

  /// Whether the value read as the token is only a token: it must not contain the beginning of a payload or the head of
  /// another frame.
  private func tokenIsOne(_ bytes: Span<UInt8>) -> Bool {
    guard let index = variant.index(of: .token), reading.has(index), writing.fields[index].coding.isVerbatim else {
      return true
    }
    let range = reading.values[index].range
    // A value that seems to have no length may have one: at its beginning, or at the end of the preceding value.
    if let payload = variant.index(of: .payload), writing.fields[payload].lengthWidth == 0 {
      let value = reading.values[payload]
      if bytes.number(at: value.start - 2, width: 2) == value.size { return false }
    }
    if writing.fields[index].lengthWidth == 0, bytes.number(at: range.lowerBound, width: 2) == 32 { return false }
    for place in range.dropLast() where bytes[place] == UInt8(ascii: "{") && bytes[place + 1] == UInt8(ascii: "\"") {
      return false
    }
    guard range.count > 33 else { return true }
    // Look for a length that counts exactly the bytes up to the end of the token, or for the length of another token.
    for size in 8..<min(101, range.count - 9) where bytes.number(at: range.upperBound - size - 2, width: 2) == size {
      return false
    }
    for place in range.dropLast() where bytes.number(at: place, width: 2) == 32 { return false }
    let head = range.dropFirst(32)
    guard let first = head.first, context.catalog.knows(bytes[first], from: context.role) else { return true }
    return head.count != (writing.hasItems ? 1 + writing.frameLengthWidth : writing.steps.headSize(writing))
  }

  // MARK: Lengths

  private mutating func measure(_ bytes: Span<UInt8>) {
    let token = variant.index(of: .token).map { reading.values[$0].size }
    let payload = variant.index(of: .payload).map { reading.values[$0].size }
    for index in 0..<reading.count {
      let number = Int(reading.order[index])
      let (field, value) = (writing.fields[number], reading.values[number])
      guard let declared = value.declared, !isTrue(number) else { continue }
      var measured = Measured(
        of: field.field, size: value.size, width: field.lengthWidth, range: value.range, token: token, payload: payload)
      if measured.kind == .payload { measured.previous = previousPayload(value.size) }
      misfits.append(Misfit(measured: measured, declared: declared))
    }
    guard let declared = reading.frameLength, !frameLengthIsTrue(declared), let list = variant.list?.field
    else { return }
    var measured = Measured(
      of: list, size: reading.itemsSize, width: writing.frameLengthWidth, range: reading.itemsStart..<reading.end,
      token: token, payload: payload)
    measured.items = reading.count
    misfits.append(Misfit(measured: measured, declared: declared))
  }

  /// The payload size of the preceding frame if it has the same fields and a token of the same size.
  private func previousPayload(_ size: Int) -> Int? {
    guard let before = context.history.frameSize, let right = correctSize else { return nil }
    return before - (right - size)
  }

  /// The size of the frame as it should have been.
  private var correctSize: Int? {
    guard reading.slip?.part.isValue != true else { return nil }
    var number = 0
    var size = 0
    for part in writing.schema.parts {
      switch part {
      case .command: size += 1
      case .fixed(let field):
        size += field.size ?? 0
        number += 1
      case .counted(let field, let width, _):
        size += width
        if field.isList {
          size += correctItemsSize
        } else {
          size += decodedSizes[number]
          number += 1
        }
      }
    }
    return size
  }

  private var correctItemsSize: Int {
    variant.fields.indices.reduce(0) { decodedSizes[$1] < 0 ? $0 : $0 + Item.headerSize + decodedSizes[$1] }
  }

  private func isTrue(_ number: Int) -> Bool {
    let value = reading.values[number]
    if let slip = reading.slip, slip.part == .value(number) {
      return value.declared == nil || value.declared == value.size + (slip.isLost ? 1 : -1)
    }
    let field = writing.fields[number]
    if value.isTrue, !field.countsDecoded { return true }
    // The size that the value should have had.
    guard !field.coding.isVerbatim || field.size != field.field.size else { return false }
    return value.declared == decodedSizes[number]
  }

  /// Whether the frame length matches the bytes, the sum of the items' lengths, or the correct frame.
  private func frameLengthIsTrue(_ declared: Int) -> Bool {
    if let slip = reading.slip, slip.isInItems {
      return declared == reading.itemsSize + (slip.isLost ? 1 : -1)
    }
    if declared == reading.itemsSize { return true }
    var sum = 0
    var signed = 0
    for index in 0..<reading.count {
      let value = reading.values[Int(reading.order[index])]
      let size = value.declared ?? value.size
      sum += Item.headerSize + size
      signed += Item.headerSize + (size >= 0xff00 ? size - 0x1_0000 : size)
    }
    return declared == sum || declared == signed & 0xffff_ffff
      || reading.slip?.part.isValue != true && declared == correctItemsSize
  }

  /// Whether a length that lost or gained a byte still has its other bytes.
  private func slipFits(_ bytes: Span<UInt8>) -> Bool {
    guard let slip = reading.slip else { return true }
    let (right, width): (Int, Int)
    switch slip.part {
    case .length(let field): (right, width) = (reading.values[field].size, writing.fields[field].lengthWidth)
    case .frameLength: (right, width) = (reading.itemsSize, writing.frameLengthWidth)
    case .command, .id, .value: return true
    }
    let written = (0..<(width + (slip.isLost ? -1 : 1))).map { bytes[slip.at + $0] }
    let meant = [UInt8](bigEndian: UInt64(truncatingIfNeeded: right), width: width)
    return slip.isLost ? meant.contains(inOrder: written) : written.contains(inOrder: meant)
  }

  // MARK: Words

  /// `the payload has 55 bytes, and its length says 41`, followed by what the rule makes of it.
  func evidence(_ rule: RootCause.LengthRule?, _ bytes: Span<UInt8>) -> String {
    let sentences = misfits.prefix(2).map { misfit in
      let (measured, declared) = (misfit.measured, misfit.declared)
      let plain =
        measured.kind == .items
        ? "the \(plural(measured.items, "item")) have \(measured.size) bytes, and the frame length says \(declared)"
        : "the \(measured.name) has \(plural(measured.size, "byte")), and its length says \(declared)"
      return rule?.words(measured, declared, bytes).map { plain + ": " + $0 } ?? plain
    }
    return sentences.joined(separator: "; ")
  }

  /// `with a frame length of two bytes, all lengths fit: a token of 32 bytes, a payload of 55`.
  var layoutEvidence: String {
    if let (_, value) = terminated {
      return variant.words + ", and its length \(value.declared == value.size ? "does not count" : "counts") it"
    }
    let sizes = (0..<reading.count).compactMap { index -> String? in
      let field = writing.fields[Int(reading.order[index])]
      let size = reading.values[Int(reading.order[index])].size
      switch field.field.role {
      case .token: return "a token of \(plural(size, "byte"))"
      case .payload: return "a payload of \(plural(size, "byte"))"
      default: return nil
      }
    }
    let command = writing.schema.command.map { writing.command == .own ? "" : "with command \($0.rawValue) " } ?? ""
    return command + variant.words + (variant.words.isEmpty ? "" : " ") + "the frame is complete"
      + (sizes.isEmpty ? "" : ": " + sizes.joined(separator: ", "))
  }

  /// The evidence for a missing or extra byte.
  func slipEvidence(_ slip: FrameReading.Slip) -> (evidence: String, correction: String?) {
    let change = slip.isLost ? "more" : "less"
    func with(_ name: String) -> String { "with one byte \(change) in \(name), the frame is complete" }
    switch slip.part {
    case .command:
      return (slip.isLost ? "the command is missing: with it the frame is complete" : with("the command"), nil)
    case .frameLength: return (with("the frame length"), nil)
    case .id:
      return (slip.isLost ? "an item's id is missing: with it the frame is complete" : with("an item's id"), nil)
    case .length(let field):
      return (with("the length of the \(writing.fields[field].field.name.title)"), nil)
    case .value(let number):
      let (field, value) = (writing.fields[number], reading.values[number])
      let name = field.field.name.title
      guard let declared = value.declared, !field.isNumber else {
        return ("the \(name) has \(plural(value.size, "byte")) instead of \(field.field.size ?? 0)", nil)
      }
      return (
        "the \(name) has \(plural(value.size, "byte")), and its length says \(declared)",
        "if the \(name) is complete, write \(wireBytes(value.size, width: field.lengthWidth)) as its length; otherwise"
      )
    }
  }

  /// How to correct the invalid lengths; nil if more than two are invalid.
  func correction(_ bytes: Span<UInt8>) -> String? {
    var right = misfits.map { ($0.measured.size, $0.measured.width, $0.measured.name) }
    if let (number, value) = terminated, value.declared == value.size + value.rest {
      right.append((value.size, writing.fields[number].lengthWidth, writing.fields[number].field.name.title))
    }
    let corrections =
      right.map { "\(wireBytes($0, width: $1)) as the \($2) length" } + changedNumbers(bytes)
    guard 1...2 ~= corrections.count else { return nil }
    return "write " + corrections.joined(separator: " and ") + ";"
  }

  /// How to correct numbers that were not written as the format requires.
  private func changedNumbers(_ bytes: Span<UInt8>) -> [String] {
    (0..<reading.count).compactMap { index in
      let number = Int(reading.order[index])
      let (shape, range) = (variant.fields[number], reading.values[number].range)
      guard let size = shape.standardSize, !shape.isVerbatim || size != range.count, let value = decoded(number, bytes),
        value != [UInt8](copying: bytes.extracting(range))
      else { return nil }
      let right = wireBytes(Int(truncatingIfNeeded: value.bigEndianNumber), width: value.count)
      return "\(right) as the \(writing.fields[number].field.name.title)"
    }
  }

  /// The value that is followed by a terminator.
  private var terminated: (Int, FrameReading.Value)? {
    writing.fields.indices.first { reading.has($0) && reading.values[$0].rest > 0 }.map { ($0, reading.values[$0]) }
  }
}

extension FrameReading.Slip {
  /// Whether the frame length counts the byte.
  var isInItems: Bool {
    switch part {
    case .command, .frameLength: false
    case .id, .length, .value: true
    }
  }
}

extension FrameReading.Slip.Part {
  var isValue: Bool { if case .value = self { true } else { false } }
}

extension [Writing.Step] {
  /// The number of bytes before the first length of a value.
  fileprivate func headSize(_ writing: Writing) -> Int {
    var size = 0
    for step in self {
      switch step {
      case .command: size += 1
      case .bytes(let bytes): size += bytes.count
      case .value(let field): size += writing.fields[field].size ?? 0
      default: return size
      }
    }
    return size
  }
}

extension [UInt8] {
  /// The big-endian number in `size` bytes; nil if it does not fit.
  fileprivate func fitted(to size: Int) -> [UInt8]? {
    if count <= size { return [UInt8](repeating: 0, count: size - count) + self }
    return dropLast(size).allSatisfy { $0 == 0 } ? suffix(size) + [] : nil
  }

  /// Whether the array contains these bytes in this order, with any bytes between them.
  fileprivate func contains(inOrder others: [UInt8]) -> Bool {
    var rest = others[...]
    for byte in self where byte == rest.first { rest.removeFirst() }
    return rest.isEmpty
  }
}

extension Span<UInt8> {
  /// Whether the bytes look like a token, in which few bytes repeat.
  fileprivate func looksRandom(_ range: Range<Int>) -> Bool {
    var seen = InlineArray<4, UInt64>(repeating: 0)
    for index in range { seen[Int(self[index] >> 6)] |= 1 << UInt64(self[index] & 63) }
    return (0..<4).reduce(0) { $0 + seen[$1].nonzeroBitCount } * 2 >= range.count
  }
}
