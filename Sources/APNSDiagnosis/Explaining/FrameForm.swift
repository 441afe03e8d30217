import APNSWire
import Octets

/// A frame type as steps: what is written in which order. The reader of faulty frames moves them.
final class FrameForm: Sendable {
  /// A value of the frame. It is trivial, because the search reads it at each step.
  struct Slot: Sendable, BitwiseCopyable {
    let role: Field.Role
    /// The documented size of a number in bytes; nil for a counted value.
    let size: Int?
    /// The size in bytes that it usually has, and the sizes that it may have.
    let usual: Int?
    let least: Int
    let most: Int
    let isJSON: Bool
    /// The documented codes up to 255, one bit each; nil if any number is one.
    let codes: SIMD4<UInt64>?
    /// The width of its length in bytes; 0 if it has none.
    let lengthWidth: Int
    /// The number of the item, in a list.
    var item: UInt8?
    var isRequired = true

    @inline(never)
    init(_ field: Field, lengthWidth: Int) {
      self.lengthWidth = lengthWidth
      (role, size, usual, isJSON) = (field.role, field.size, field.usual, field.isJSON)
      (least, most) = (field.plausible?.lowerBound ?? 0, field.plausible?.upperBound ?? .max)
      codes = field.codes
    }

    @inline(never)
    init(_ item: Item) {
      self.init(item.field, lengthWidth: 2)
      (self.item, isRequired) = (item.id.rawValue, item.isRequired)
    }

    /// Whether a sender means this number.
    func isOrdinary(_ number: Int) -> Bool {
      switch role {
      case .expiry: Evidence.isOrdinary(number)
      case .timestamp: number != 0 && Evidence.isOrdinary(number)
      case .priority, .status:
        codes.map { 0...255 ~= number && $0[number >> 6] >> UInt64(number & 63) & 1 != 0 } ?? true
      default: true
      }
    }
  }

  enum Step: Sendable, Equatable {
    case length(Int)
    case value(Int)
    case listLength
    case items
  }

  let schema: FrameSchema
  let command: UInt8?
  let slots: [Slot]
  let steps: [Step]
  /// The width of the list's length in bytes.
  let listWidth: Int
  /// The bytes with which a frame begins, as far as they are the same in each.
  let head: [UInt8?]
  /// The offsets at which token and payload usually begin; 0 if there is none.
  let usualToken: Int
  let usualPayload: Int

  /// Returns nil for a frame type without contents that say where they end.
  init?(_ schema: FrameSchema) {
    let command = schema.command?.rawValue
    var (slots, steps, head, listWidth): ([Slot], [Step], [UInt8?], Int) = ([], [], [], 0)
    var (size, token, payload) = (0, 0, 0)
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
        if case .items(let items) = field.content {
          listWidth = width
          steps += [.listLength, .items]
          size += width
          for item in items { add(Slot(item), header: 3) }
          if width == 4 { head += [0, 0, nil, nil, nil, 0] }
        } else {
          steps += [.length(slots.count), .value(slots.count)]
          let slot = Slot(field, lengthWidth: width)
          if let usual = slot.usual, steps.count(where: { if case .length = $0 { true } else { false } }) == 1 {
            head += [UInt8](bigEndian: UInt64(usual), width: width).map { $0 }
          }
          add(slot, header: width)
        }
      }
    }
    guard slots.contains(where: { $0.role == .token || $0.isJSON || $0.role == .status }), slots.count < 64 else {
      return nil
    }
    (self.schema, self.command, self.slots, self.steps) = (schema, command, slots, steps)
    (self.listWidth, self.head) = (listWidth, head)
    (usualToken, usualPayload) = (token, payload)
  }

  /// Whether a frame begins here whose token and payload are where they usually are.
  func begins(at place: Int, in bytes: [UInt8]) -> Bool {
    guard bytes[place] == command, place + usualPayload < bytes.count, usualToken > 0,
      usualPayload >= usualToken + Evidence.tokenSize, bytes[place + usualPayload] == UInt8(ascii: "{")
    else { return false }
    return mayBegin(bytes[place...].prefix(head.count + 1))
      && Evidence.isToken(bytes[(place + usualToken)..<(place + usualToken + Evidence.tokenSize)])
  }

  func slot(_ role: Field.Role) -> Int? { slots.firstIndex { $0.role == role } }

  var isList: Bool { listWidth > 0 }

  /// Whether the first bytes of something can begin such a frame.
  func mayBegin(_ bytes: some Collection<UInt8>) -> Bool {
    guard command != nil else { return false }
    return zip(bytes, head).allSatisfy { byte, expected in expected == nil || expected == byte }
      && (!isList || bytes.dropFirst(1 + listWidth).first.map { id in slots.contains { $0.item == id } } ?? true)
  }
}

extension Field {
  fileprivate var codes: SIMD4<UInt64>? {
    guard case .integer(_, .code(let names, _)) = content else { return nil }
    var codes = SIMD4<UInt64>()
    for code in names.keys where code < 256 { codes[Int(code >> 6)] |= 1 << (code & 63) }
    return codes
  }
}

/// The values of a frame.
struct MeantValues: Sendable, Equatable {
  enum Value: Sendable, Equatable {
    case absent
    /// The value was there, but the bytes do not say what it was.
    case lost
    case number(Int)
    case bytes([UInt8])
  }

  /// The index of the form.
  let form: Int
  var values: [Value]
  /// The items as they follow each other.
  var order: [Int] = []

  init(_ form: Int, _ count: Int) {
    self.form = form
    values = [Value](repeating: .absent, count: count)
  }

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
  let values: MeantValues
  /// Whether nothing in it is repeated, and its payload is a JSON object.
  let isWhole: Bool
  /// Whether also its token has the usual size.
  let isSound: Bool
  /// Whether it is whole, and each value is one that senders mean.
  let isOrdinary: Bool
  /// Whether it is sound and ordinary, so that nothing in it is doubtful.
  var isPlain: Bool { isSound && isOrdinary }
  /// The bits that its contents take.
  let bits: Int
}

extension FrameForm {
  /// The frame of this form at `start`; nil if its lengths do not agree.
  func documented(_ form: Int, at start: Int, in bytes: [UInt8]) -> DocumentedFrame? {
    var frame = MeantValues(form, slots.count)
    var (index, isWhole, unknown) = (start, true, 0)
    if let command {
      guard start < bytes.count, bytes[start] == command else { return nil }
      index += 1
    }
    var length = 0
    for step in steps {
      switch step {
      case .listLength:
        guard let number = bytes.number(index, listWidth) else { return nil }
        (length, index) = (number, index + listWidth)
        guard index + length <= bytes.count else { return nil }
      case .items:
        let end = index + length
        while index < end {
          guard let size = bytes.number(index + 1, 2), index + 3 + size <= end else {
            // Spare bytes, or an item that claims more than the list has.
            (isWhole, unknown, index) = (false, unknown + end - index, end)
            break
          }
          let range = (index + 3)..<(index + 3 + size)
          if let slot = slots.firstIndex(where: { $0.item == bytes[index] }), !frame.order.contains(slot) {
            frame.values[slot] = value(slot, range, bytes)
            frame.order.append(slot)
            // A number of another size is a fault of its own.
            if frame.values[slot] == .lost { unknown += size + 2 }
          } else {
            // An item that is repeated is an error of the sender, not of its writing.
            (isWhole, unknown) = (false, unknown + size + 3)
          }
          index = range.upperBound
        }
        if slots.indices.contains(where: { slots[$0].isRequired && !frame.order.contains($0) }) { isWhole = false }
      case .length(let slot):
        guard let number = bytes.number(index, slots[slot].lengthWidth) else { return nil }
        (length, index) = (number, index + slots[slot].lengthWidth)
      case .value(let slot):
        let size = slots[slot].size ?? length
        guard index + size <= bytes.count else { return nil }
        frame.values[slot] = value(slot, index..<(index + size), bytes)
        index += size
      }
    }
    return judged(frame, start..<index, isWhole: isWhole, unknown: unknown)
  }

  private func value(_ slot: Int, _ range: Range<Int>, _ bytes: [UInt8]) -> MeantValues.Value {
    guard let size = slots[slot].size else { return .bytes(Array(bytes[range])) }
    guard range.count == size else { return .lost }
    return bytes.number(range.lowerBound, size).map { .number($0) } ?? .lost
  }

  private func judged(
    _ frame: MeantValues, _ range: Range<Int>, isWhole: Bool, unknown: Int
  ) -> DocumentedFrame {
    var (isOrdinary, isUsual, isWhole, bits) = (true, true, isWhole, 8 * unknown)
    for (index, slot) in slots.enumerated() {
      switch frame.values[index] {
      case .bytes(let value) where slot.isJSON:
        let isObject = Evidence.isObject(value)
        if !isObject { isWhole = false }
        if Evidence.mayMeanAnother(text: value) { isOrdinary = false }
        bits += Evidence.bits(payload: value)
      case .bytes(let value):
        if let usual = slot.usual, value.count != usual { isUsual = false }
        if !(slot.least...slot.most).contains(value.count) { isWhole = false }
        bits += 8 * value.count
      case .number(let number):
        if !slot.isOrdinary(number) {
          isOrdinary = false
          // The evidence of a time is counted with those before it.
          if slot.codes != nil { bits += 8 }
        }
        // Of an identifier that is too wide, an error response shows the zeros.
        if slot.role == .identifier, number == 0, self.slot(.status) != nil { isOrdinary = false }
        if slot.role == .identifier, Evidence.mayMeanAnother(identifier: number) { isOrdinary = false }
      case .lost: isWhole = false
      case .absent: break
      }
    }
    let isSound = isWhole && isUsual
    return DocumentedFrame(
      end: range.upperBound, values: frame, isWhole: isWhole, isSound: isSound, isOrdinary: isWhole && isOrdinary,
      bits: bits + (isSound ? 0 : 15))
  }
}

extension [UInt8] {
  /// The number of `width` bytes at `start`, big-endian; nil if it is not all there.
  func number(_ start: Int, _ width: Int) -> Int? {
    guard width < 8, start >= 0, start + width <= count else { return nil }
    var number = 0
    for index in start..<(start + width) { number = number << 8 | Int(self[index]) }
    return number
  }
}
