import APNSWire
import Octets

/// A frame type as steps: what is written in which order. The reader of faulty frames moves them.
final class FrameForm: Sendable {
  /// A value of the frame. It is trivial, because the search reads it at each step.
  struct Slot: Sendable, BitwiseCopyable {
    let role: Field.Role
    let expectation: Expectation
    /// The width of its length in bytes; 0 if it has none.
    let lengthWidth: Int
    /// The number of the item, in a list.
    var item: UInt8?
    var isRequired = true

    init(_ field: Field, lengthWidth: Int) {
      (role, expectation, self.lengthWidth) = (field.role, Expectation(field), lengthWidth)
    }

    init(_ item: Item) {
      self.init(item.field, lengthWidth: Item.headerSize - 1)
      (self.item, isRequired) = (item.id.rawValue, item.isRequired)
    }

    /// The documented size of a number in bytes; nil for a counted value.
    var size: Int? { expectation.size }
    /// The size in bytes that it usually has.
    var usual: Int? { expectation.usual }
    var isJSON: Bool { expectation.isJSON }

    /// Whether a value has its usual size. The tokens of later devices are longer.
    func isUsual(_ value: [UInt8]) -> Bool {
      guard let usual, value.count != usual else { return true }
      return role == .token && Evidence.isLongToken(value)
    }

    /// Whether a sender means this number.
    func isOrdinary(_ number: Int) -> Bool {
      switch role {
      case .expiry: Evidence.isOrdinary(number)
      case .timestamp: number != 0 && Evidence.isOrdinary(number)
      case .priority, .status: expectation.isDocumented(UInt64(truncatingIfNeeded: number))
      default: true
      }
    }
  }

  enum Step: Sendable, Equatable {
    /// The command, where it is not the first byte.
    case command
    case length(Int)
    case value(Int)
    case listLength
    case items
  }

  /// A set of slots is one bit each.
  static let mostSlots = 64

  /// A catalog of this type alone. Its fields, or the items of its list, are numbered like the slots.
  private let catalog: Catalog
  let command: UInt8?
  let slots: [Slot]
  let steps: [Step]
  /// The width of the list's length in bytes, and where the first item begins; 0 if there is none.
  let (listWidth, listStart): (Int, Int)
  /// The last length outside of items, if the values before it are of their usual sizes; empty if there is none.
  let lastLength: Range<Int>
  /// The bytes with which a frame begins, as far as they are the same in each.
  let head: [UInt8?]
  /// The offsets at which token and payload usually begin; 0 if there is none.
  let usualToken: Int
  let usualPayload: Int

  /// Returns nil for a frame type without contents that say where they end, or with lists in items.
  init?(_ schema: FrameSchema) {
    let command = schema.command?.rawValue
    var (slots, steps, head, listWidth, listStart): ([Slot], [Step], [UInt8?], Int, Int) = ([], [], [], 0, 0)
    var (size, token, payload, lastLength) = (0, 0, 0, 0..<0)
    func add(_ slot: Slot, header: Int) {
      size += header
      if slot.role == .token { token = size }
      if slot.isJSON { payload = size }
      size += slot.size ?? slot.usual ?? 0
      slots.append(slot)
    }
    for part in schema.parts {
      // Nothing follows a list in the documented types.
      guard listWidth == 0 else { return nil }
      switch part {
      case .command:
        head.append(command)
        size += 1
      case .fixed(let field):
        steps.append(.value(slots.count))
        head += [UInt8?](repeating: nil, count: field.size ?? 0)
        add(Slot(field, lengthWidth: 0), header: 0)
      case .counted(let field, let width, _):
        lastLength = size..<(size + width)
        if case .items(let items) = field.content {
          guard !items.contains(where: \.field.isList) else { return nil }
          listWidth = width
          steps += [.listLength, .items]
          size += width
          listStart = size
          for item in items { add(Slot(item), header: Item.headerSize) }
          if width == 4 { head += [0, 0, nil, nil, nil, 0] }
        } else {
          steps += [.length(slots.count), .value(slots.count)]
          let slot = Slot(field, lengthWidth: width)
          // Only the first length is at the same offset in each frame.
          if let usual = slot.usual, slots.allSatisfy({ $0.lengthWidth == 0 }) {
            head += [UInt8](bigEndian: UInt64(usual), width: width).map { $0 }
          }
          add(slot, header: width)
        }
      }
    }
    guard slots.contains(where: { $0.role == .token || $0.isJSON || $0.role == .status }), slots.count <= Self.mostSlots
    else {
      return nil
    }
    (catalog, self.command, self.slots, self.steps) = (Catalog([schema]), command, slots, steps)
    (self.listWidth, self.listStart, self.head) = (listWidth, listStart, head)
    (usualToken, usualPayload, self.lastLength) = (token, payload, lastLength)
  }

  /// Whether a frame begins here whose token and payload are where they usually are.
  func begins(at place: Int, in bytes: [UInt8]) -> Bool {
    guard bytes[place] == command, place + usualPayload < bytes.count, usualToken > 0,
      usualPayload >= usualToken + Evidence.tokenSize, bytes[place + usualPayload] == UInt8(ascii: "{")
    else { return false }
    return mayBegin(bytes[place...].prefix(head.count + 1))
      && Evidence.isToken(bytes, at: place + usualToken)
  }

  func slot(_ role: Field.Role) -> Int? { slots.firstIndex { $0.role == role } }

  var isList: Bool { listWidth > 0 }

  /// Whether the first bytes of something can begin such a frame. One without a command must begin with a time.
  func mayBegin(_ bytes: ArraySlice<UInt8>) -> Bool {
    if command == nil {
      guard bytes.count >= head.count, slots[0].role == .timestamp, let size = slots[0].size,
        Evidence.dates.contains(Int(bytes.prefix(size).bigEndianNumber))
      else { return false }
    }
    for (index, byte) in zip(head.indices, bytes) where head[index] ?? byte != byte { return false }
    return !isList || bytes.dropFirst(listStart).first.map { id in slots.contains { $0.item == id } } ?? true
  }
}

struct MeantValues: Sendable, Equatable {
  enum Value: Sendable, Equatable {
    case absent
    /// The value was there, but the bytes do not say what it was.
    case lost
    /// What is left of a number whose format loses bytes, or of one that is too narrow.
    case part([UInt8], NumberFormat)
    case number(Int)
    case bytes([UInt8])
  }

  /// The index of the form.
  let form: Int
  var values: [Value]
  /// The items as they follow each other.
  var order: [Int] = []

  /// The values. A number of which a part is left is the expected one, if that would be written with these bytes.
  func filled(_ form: FrameForm, after context: Description.Context) -> MeantValues {
    var filled = self
    for (index, slot) in form.slots.enumerated() {
      guard case .part(let bytes, let format) = values[index], let expected = context.expected(slot.role),
        format.write(expected, width: slot.size ?? 0, other: bytes.count) == bytes
      else { continue }
      filled.values[index] = .number(expected)
    }
    return filled
  }

  /// The bits that a number takes of which the bytes say only a part, or nothing.
  func bitsOfLost(_ slot: Int) -> Int {
    switch values[slot] {
    case .part(let bytes, .withoutZeros): 8 * bytes.count
    case .part, .lost: 12
    case .absent, .number, .bytes: 0
    }
  }

  /// Whether a value was there, but is not known.
  var hasLost: Bool { values.indices.contains { bitsOfLost($0) > 0 } }

  func number(_ slot: Int?) -> Int? {
    if let slot, case .number(let number) = values[slot] { number } else { nil }
  }

  func bytes(_ slot: Int?) -> [UInt8]? {
    if let slot, case .bytes(let bytes) = values[slot] { bytes } else { nil }
  }
}

/// A frame whose bytes are all as documented.
struct DocumentedFrame: Sendable {
  let end: Int
  fileprivate(set) var values: MeantValues
  /// Whether nothing in it is repeated, and its payload is a JSON object.
  fileprivate(set) var isWhole = true
  /// Whether its lengths divide it into fields and documented items.
  fileprivate(set) var isTiled = true
  /// Whether the next tuple of the feedback service may begin within it.
  fileprivate(set) var holdsTuple = false
  fileprivate var isUsual = true
  /// Whether each value is one that senders mean.
  fileprivate(set) var isOrdinary = true
  /// Whether its lengths divide it into fields and items, documented or not, and one shows that they are right: a token
  /// of 32 bytes, or a payload that is an object.
  fileprivate(set) var isDivided = false
  /// The bytes that no document explains.
  fileprivate(set) var unknown: [UInt8] = []
  /// The bits that its documented contents take.
  fileprivate var documentedBits = 0

  var isSound: Bool { isWhole && isUsual }
  /// Whether it is sound and ordinary, so that nothing in it is doubtful.
  var isPlain: Bool { isSound && isOrdinary }

  /// The bits that its contents take.
  var bits: Int { documentedBits + Evidence.bits(unknown) + (isSound ? 0 : 15) }

  /// The bits that its contents take in a stream.
  ///
  /// - Parameters:
  ///   - last: the unknown bytes of the frame before, if that is unsound, too: its sender writes all frames like that.
  ///   - isCopy: whether its own are elsewhere, too.
  func bits(after last: [UInt8]?, isCopy: Bool) -> Int {
    let all = Evidence.bits(unknown)
    let other = isCopy ? min(ForeignBytes.copy, all) : all
    // A number of another size is one of its writing, and no habit that leaves it as it is.
    guard let last, !isSound, isDivided, !values.hasLost else { return bits - all + other }
    let isSame = last.count == unknown.count
    return documentedBits + 1 + (isSame ? min(other, 8 * zip(last, unknown).count { $0 != $1 }) : other)
  }
}

extension FrameForm {
  /// The slot of a value; nil if it is not documented.
  func slot(of value: FieldRef) -> Int? {
    if value.item != FieldRef.none { return slots.count - catalog.items.count + Int(value.item) }
    return slots.indices.contains(Int(value.field)) ? Int(value.field) : nil
  }

  /// The frame at `start`, as its lengths say. Visits its leaves until `visit` returns false.
  func walk(_ bytes: [UInt8], from start: Int = 0, while visit: (FieldRef) -> Bool = { _ in false }) -> FrameRef {
    let frame = catalog.frame(at: start, in: bytes.span, of: catalog.schemas[0].role)
    catalog.walkFields(of: frame, in: bytes.span, while: visit)
    return frame
  }

  /// The frame of this form at `start`; nil if its lengths do not agree.
  func documented(_ form: Int, at start: Int, in bytes: [UInt8]) -> DocumentedFrame? {
    guard start < bytes.count, case let found = walk(bytes, from: start), found.condition == .complete else {
      return nil
    }
    var frame = DocumentedFrame(end: found.end, values: MeantValues(form: form, values: slots.map { _ in .absent }))
    var hasSpare = false
    catalog.forEachField(of: found, in: bytes.span) { leaf in
      guard leaf.kind == .value || leaf.kind == .gap else { return }
      let (slot, header) = (slot(of: leaf), isList && leaf.kind == .value ? Item.headerSize : 0)
      // An item that is repeated is an error of the sender, not of its writing.
      let isKnown = leaf.state != .overrun && slot.map { !frame.values.order.contains($0) } ?? false
      if let slot, isKnown {
        frame.values.values[slot] = value(slot, leaf.range, bytes)
        if isList { frame.values.order.append(slot) }
        // A number of another size is a fault of its own.
        if frame.values.values[slot] != .lost { return }
      } else {
        frame.isTiled = false
        if leaf.state == .overrun { hasSpare = true }
      }
      frame.unknown += bytes[(leaf.start - header)..<leaf.end]
    }
    let isMissing = isList && slots.indices.contains { slots[$0].isRequired && !frame.values.order.contains($0) }
    frame.isWhole = frame.isTiled && !isMissing
    for (slot, value) in zip(slots, frame.values.values) { judge(value, slot, &frame) }
    let token = frame.values.bytes(slot(.token)) ?? []
    let hasToken = token.count == Evidence.tokenSize && Evidence.isToken(token.span)
    frame.isDivided = hasPayload && frame.isWhole || hasToken && !hasSpare
    return frame
  }

  private func value(_ slot: Int, _ range: Range<Int>, _ bytes: [UInt8]) -> MeantValues.Value {
    guard let size = slots[slot].size else { return .bytes(Array(bytes[range])) }
    guard range.count == size else { return .lost }
    return bytes.number(range.lowerBound, size).map { .number($0) } ?? .lost
  }

  private func judge(_ value: MeantValues.Value, _ slot: Slot, _ frame: inout DocumentedFrame) {
    switch value {
    case .bytes(let value) where slot.isJSON:
      if !Evidence.isObject(value) { frame.isWhole = false }
      // White space is allowed in front, but a faulty sender rather put it there.
      let beginsWithSpace = value.first.map(Evidence.isSpace) ?? false
      if beginsWithSpace || Evidence.mayMeanAnother(text: value[...]) { frame.isOrdinary = false }
      let object = Evidence.objectEnd(value, 0) ?? 0
      let known = object == 0 || Evidence.mayBePadding(value[object...]) ? value.count : object
      frame.documentedBits += Evidence.bits(payload: Array(value[..<known]))
      frame.unknown += value[known...]
    case .bytes(let value):
      if !slot.isUsual(value) { frame.isUsual = false }
      if !slot.expectation.allows(value.count) { frame.isWhole = false }
      if slot.role == .token, command == nil, Evidence.holdsTuple(value.span) { frame.holdsTuple = true }
      if slot.role == .token, frame.holdsTuple || Evidence.mayMeanAnother(token: value) { frame.isOrdinary = false }
      frame.documentedBits += 8 * value.count
    case .number(let number):
      if [.expiry, .timestamp].contains(slot.role), Evidence.isFloat(number) { frame.isOrdinary = false }
      if !slot.isOrdinary(number) {
        frame.isOrdinary = false
        // The evidence of a time is counted with those before it.
        if slot.expectation.kind == .code { frame.documentedBits += slot.role == .priority ? 16 : 8 }
      }
      // Of an identifier that is too wide, an error response shows the zeros.
      let isWide = number == 0 && self.slot(.status) != nil
      if slot.role == .identifier, isWide || Evidence.mayMeanAnother(identifier: number) { frame.isOrdinary = false }
    case .lost, .part: frame.isWhole = false
    case .absent: break
    }
  }
}

extension [UInt8] {
  /// The number of `width` bytes at `start`, big-endian; nil if it is not all there.
  func number(_ start: Int, _ width: Int) -> Int? {
    width < 8 ? span.bigEndian(at: start, width: width).map { Int($0) } : nil
  }
}
