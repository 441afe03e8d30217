import Octets

/// What a length may count in place of the bytes of its value.
struct LengthRule: Sendable {
  let id: ID
  /// What the length is: `one more than the size`.
  let words: String
  let price: Int
  /// The length that the rule gives; nil if it does not apply.
  let length: @Sendable (Measured) -> Int?

  struct Measured: Sendable {
    let subject: Deviation.Subject
    let declared: Int
    /// The size of the value as written, in bytes.
    let size: Int
    /// The width of the length in bytes.
    let width: Int
    /// The size before the value was encoded.
    var decoded = 0
    /// The size of the other counted value.
    var other: Int?
    /// The size of all items without their headers.
    var contents: Int?
    /// The value as written; empty if it is a list.
    var value: ArraySlice<UInt8> = []
  }

  enum ID {
    case oneMore, oneLess, twoLess, withItself, twice, half, bits, words, zero
    case characters, decoded, utf16, graphemes, other, threeMore, withHeader, contents, highest
    case longestPayload, lowByte, lowByteOfCharacters, usualToken, signed, upperHalf, toNUL
  }

  init(_ id: ID, _ words: String, _ price: Int, _ length: @escaping @Sendable (Measured) -> Int?) {
    (self.id, self.words, self.price, self.length) = (id, words, price, length)
  }

  /// Common mistakes are cheap, and come first; each rule says more than the length alone, which would take 8 bits a
  /// byte.
  static let all = [
    LengthRule(.oneMore, "one more than the size", 6) { $0.size + 1 },
    LengthRule(.withItself, "the size and the length's own bytes", 6) { $0.size + $0.width },
    LengthRule(.decoded, "the size before the value was encoded", 6) { $0.decoded > 0 ? $0.decoded : nil },
    LengthRule(.usualToken, "the size of most tokens", 6) { $0.subject == .tokenLength ? 32 : nil },
    LengthRule(.twice, "twice the size", 6) { 2 * $0.size },
    LengthRule(.characters, "the number of characters", 6) { $0.characters },
    LengthRule(.utf16, "the number of UTF-16 units", 6) { $0.utf16 },
    LengthRule(.oneLess, "one less than the size", 7) { $0.size - 1 },
    LengthRule(.half, "half the size, rounded down", 7) { $0.size / 2 },
    LengthRule(.bits, "the size in bits", 7) { 8 * $0.size },
    LengthRule(.zero, "", 7) { $0.size & 0xff == 0 ? nil : 0 },
    LengthRule(.graphemes, "the number of characters as people see them", 7) { $0.graphemes },
    LengthRule(.other, "the size of the other value", 7) { $0.other },
    LengthRule(.threeMore, "three more than the size", 7) { $0.size + 3 },
    LengthRule(.withHeader, "five more than the size", 7) { $0.size + 5 },
    LengthRule(.contents, "the size of the values without their headers", 7) { $0.contents },
    LengthRule(.signed, "the low byte of the size, widened as a signed number", 7) {
      $0.size & 0x80 == 0 ? nil : -1 << 8 & (1 << (8 * $0.width) - 1) | $0.size & 0xff
    },
    LengthRule(.twoLess, "two less than the size", 8) { $0.size - 2 },
    LengthRule(.words, "the size in words of 32 bits", 8) { $0.size / 4 },
    LengthRule(.highest, "the highest number", 8) { _ in 0xffff },
    LengthRule(.longestPayload, "the size of the longest payload", 8) { $0.subject == .payloadLength ? 256 : nil },
    LengthRule(.lowByte, "the low byte of the size", 8) { $0.size & 0xff },
    LengthRule(.upperHalf, "the size in the upper half of its bytes", 8) {
      $0.width == 4 ? $0.size << 16 : nil
    },
    LengthRule(.toNUL, "the size up to the first NUL", 8) {
      $0.beforeNUL > 0 && $0.beforeNUL < $0.size ? $0.beforeNUL : nil
    },
    LengthRule(.lowByteOfCharacters, "the low byte of the number of characters", 9) { $0.characters.map { $0 & 0xff } },
  ]

  /// The cheapest rule that gives all these lengths, as an index of ``all``; nil if none does.
  static func first(for misfits: [Measured]) -> Int? {
    misfits.isEmpty ? nil : all.firstIndex { rule in misfits.allSatisfy { rule.length($0) == $0.declared } }
  }

  /// Whether each of these lengths counts its value in another way, so that chance hardly gives it.
  static func countContents(_ misfits: [Measured]) -> Bool {
    misfits.allSatisfy { measured in
      all.contains { ofContents.contains($0.id) && $0.length(measured) == measured.declared }
    }
  }

  private static let ofContents: Set<ID> = [.characters, .decoded, .utf16, .graphemes, .lowByteOfCharacters]
}

extension LengthRule.Measured {
  /// Whether the value is text, whose characters a sender may have counted.
  private var isText: Bool { !value.isEmpty && value.span.isUTF8(0..<size) }
  fileprivate var characters: Int? { isText ? value.count { $0 & 0xc0 != 0x80 } : nil }
  fileprivate var utf16: Int? { isText ? value.reduce(0) { $0 + $1.utf16Count } : nil }
  /// The characters that a person sees, of which each may be several.
  fileprivate var graphemes: Int? {
    guard subject == .payloadLength, let characters, characters != size else { return nil }
    return String(decoding: value, as: UTF8.self).count
  }
  /// The line ends inside a payload that is not encoded.
  var lineEnds: Int {
    guard subject == .payloadLength, decoded == size else { return 0 }
    let text = value.drop(while: Evidence.isSpace).reversed().drop(while: Evidence.isSpace)
    return text.count { $0 == 0x0a || $0 == 0x0d }
  }
  /// The bytes of a token before its first NUL.
  fileprivate var beforeNUL: Int { subject == .tokenLength ? value.prefix { $0 != 0 }.count : 0 }
}

/// An order of the steps of a frame.
struct Layout: Sendable {
  let form: Int
  let steps: [FrameForm.Step]
  /// Nil for the documented order.
  let deviation: Deviation?

  /// A move of the steps. Each costs about as much as any deviation.
  enum Move: Int, Sendable, CaseIterable {
    case numbersExchanged, lengthsFirst, valuesExchanged, numbersLast, numbersBetween, tokenLengthAfterToken
    case itemsWithoutHeaders, fieldsForItems, noFrameLength, lengthBeforeCommand

    var row: (words: String, price: Int) {
      switch self {
      case .numbersExchanged: ("the expiry before the identifier", 9)
      case .lengthsFirst: ("all lengths before the values", 9)
      case .valuesExchanged: ("the payload before the token", 10)
      case .numbersLast: ("the numbers after the payload", 10)
      case .numbersBetween: ("the numbers after the token", 10)
      case .tokenLengthAfterToken: ("the token length after the token", 10)
      case .itemsWithoutHeaders: ("the values without their item headers", 9)
      case .fieldsForItems: ("the fields of command 1 in place of items", 10)
      case .noFrameLength: ("the items without a frame length", 10)
      case .lengthBeforeCommand: ("the frame length before the command", 10)
      }
    }

    /// The steps in the other order; nil if the form has nothing to move.
    func apply(_ form: FrameForm) -> [FrameForm.Step]? {
      let lengths = form.steps.filter { if case .length = $0 { true } else { false } }
      let first = form.steps.firstIndex { $0 == lengths.first } ?? 0
      let (numbers, counted) = (Array(form.steps[..<first]), form.steps[first...])
      let (token, payload) = (Array(counted.prefix(2)), Array(counted.dropFirst(2)))
      switch self {
      case .numbersExchanged:
        // Two numbers of the same size, the first values of the frame.
        guard !form.isList, form.slots.count > 1, let size = form.slots[0].size, size == form.slots[1].size
        else { return nil }
        return [form.steps[1], form.steps[0]] + form.steps[2...]
      case .lengthsFirst: return lengths.count > 1 ? numbers + lengths + counted.filter { !lengths.contains($0) } : nil
      case .valuesExchanged: return lengths.count == 2 ? numbers + payload + token : nil
      case .numbersLast: return numbers.isEmpty ? nil : counted + numbers
      case .numbersBetween: return lengths.count == 2 && !numbers.isEmpty ? token + numbers + payload : nil
      case .tokenLengthAfterToken: return lengths.count == 2 ? numbers + token.reversed() + payload : nil
      case .itemsWithoutHeaders: return form.isList ? [.listLength] + form.slots.indices.map { .value($0) } : nil
      case .fieldsForItems:
        let numbers = [form.slot(.identifier), form.slot(.expiry)].compactMap(\.self)
        let values = [form.slot(.token), form.slots.firstIndex(where: \.isJSON)].compactMap(\.self)
        guard form.isList, numbers.count + values.count == 4 else { return nil }
        return [.listLength] + numbers.map { .value($0) } + values.flatMap { [.length($0), .value($0)] }
      case .noFrameLength: return form.isList ? [.items] : nil
      case .lengthBeforeCommand: return form.isList ? [.listLength, .command, .items] : nil
      }
    }
  }

  static func all(of forms: [FrameForm]) -> [Layout] {
    forms.indices.map { Layout(form: $0, steps: forms[$0].steps, deviation: nil) }
      + Move.allCases.flatMap { move in
        forms.indices.compactMap { form in
          move.apply(forms[form]).map { Layout(form: form, steps: $0, deviation: .layout(move)) }
        }
      }
  }
}
