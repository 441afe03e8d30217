import Octets

/// What a length may count in place of the bytes of its value.
struct LengthRule: Sendable {
  let id: ID
  /// What the length is: `one more than the size`.
  let words: String
  let price: Int
  /// The length that the rule gives; nil if it does not apply.
  let length: @Sendable (Measured) -> Int?

  /// A value and its length.
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

  enum ID: CaseIterable {
    case oneMore, oneLess, twoLess, withItself, twice, half, bits, words, zero
    case characters, decoded, utf16, graphemes, other, threeMore, withHeader, contents, highest
    case longestPayload, lowByte, lowByteOfCharacters, usualToken, signed, upperHalf, toNUL
  }

  init(_ id: ID, _ words: String, _ price: Int, _ length: @escaping @Sendable (Measured) -> Int?) {
    (self.id, self.words, self.price, self.length) = (id, words, price, length)
  }

  /// Common mistakes are cheap; each rule says more than the length alone, which would take 8 bits a byte.
  static let all = [
    LengthRule(.oneMore, "one more than the size", 6) { $0.size + 1 },
    LengthRule(.oneLess, "one less than the size", 7) { $0.size - 1 },
    LengthRule(.twoLess, "two less than the size", 8) { $0.size - 2 },
    LengthRule(.withItself, "the size and the length's own bytes", 6) { $0.size + $0.width },
    LengthRule(.decoded, "the size before the value was encoded", 6) { $0.decoded > 0 ? $0.decoded : nil },
    LengthRule(.usualToken, "the size of most tokens", 6) { $0.subject == .tokenLength ? 32 : nil },
    LengthRule(.twice, "twice the size", 6) { 2 * $0.size },
    LengthRule(.half, "half the size, rounded down", 7) { $0.size / 2 },
    LengthRule(.bits, "the size in bits", 7) { 8 * $0.size },
    LengthRule(.words, "the size in words of 32 bits", 8) { $0.size / 4 },
    LengthRule(.zero, "", 7) { $0.size & 0xff == 0 ? nil : 0 },
    LengthRule(.characters, "the number of characters", 6) { $0.characters },
    LengthRule(.utf16, "the number of UTF-16 units", 6) { $0.utf16 },
    LengthRule(.graphemes, "the number of characters as people see them", 7) { $0.graphemes },
    LengthRule(.other, "the size of the other value", 7) { $0.other },
    LengthRule(.threeMore, "three more than the size", 7) { $0.size + 3 },
    LengthRule(.withHeader, "five more than the size", 7) { $0.size + 5 },
    LengthRule(.contents, "the size of the values without their headers", 7) { $0.contents },
    LengthRule(.highest, "the highest number", 8) { _ in 0xffff },
    LengthRule(.longestPayload, "the size of the longest payload", 8) { $0.subject == .payloadLength ? 256 : nil },
    LengthRule(.lowByte, "the low byte of the size", 8) { $0.size & 0xff },
    LengthRule(.lowByteOfCharacters, "the low byte of the number of characters", 9) { $0.characters.map { $0 & 0xff } },
    LengthRule(.signed, "the low byte of the size, widened as a signed number", 7) {
      $0.size & 0x80 == 0 ? nil : -1 << 8 & (1 << (8 * $0.width) - 1) | $0.size & 0xff
    },
    LengthRule(.upperHalf, "the size in the upper half of its bytes", 8) {
      $0.width == 4 ? $0.size << 16 : nil
    },
    LengthRule(.toNUL, "the size up to the first NUL", 8) {
      $0.beforeNUL > 0 && $0.beforeNUL < $0.size ? $0.beforeNUL : nil
    },
  ]

  /// The cheapest rule that gives all these lengths, as an index of ``all``; nil if none does.
  static func first(for misfits: [Measured]) -> Int? {
    misfits.isEmpty
      ? nil : byPrice.first { row in misfits.allSatisfy { all[row].length($0) == $0.declared } }
  }

  /// Whether each of these lengths counts its value in another way, so that chance hardly gives it.
  static func countContents(_ misfits: [Measured]) -> Bool {
    misfits.allSatisfy { measured in
      all.contains { ofContents.contains($0.id) && $0.length(measured) == measured.declared }
    }
  }

  private static let ofContents: Set<ID> = [.characters, .decoded, .utf16, .graphemes, .lowByteOfCharacters]
  private static let byPrice = all.indices.sorted { (all[$0].price, $0) < (all[$1].price, $1) }
}

extension LengthRule.Measured {
  /// Measures a value as written. Its size before it was encoded is `decoded`.
  init(_ subject: Deviation.Subject, declared: Int, width: Int, of value: ArraySlice<UInt8>, decoded: Int) {
    self.init(subject: subject, declared: declared, size: value.count, width: width, decoded: decoded, value: value)
  }

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
  struct Move: Sendable {
    enum ID: CaseIterable {
      case numbersExchanged, lengthsFirst, valuesExchanged, numbersLast, numbersBetween, tokenLengthAfterToken
      case tokenFirst, itemsWithoutHeaders, fieldsForItems, noFrameLength, lengthBeforeCommand
    }

    let id: ID
    let words: String
    let price: Int
    /// Nil if the form has nothing to move.
    let apply: @Sendable (FrameForm) -> [FrameForm.Step]?

    static let all = [
      Move(id: .numbersExchanged, words: "the expiry before the identifier", price: 9) { form in
        // Two numbers of the same size, the first values of the frame.
        guard !form.isList, form.slots.count > 1, let size = form.slots[0].size, size == form.slots[1].size
        else { return nil }
        var steps = form.steps
        steps.swapAt(0, 1)
        return steps
      },
      Move(id: .lengthsFirst, words: "all lengths before the values", price: 9) { form in
        let lengths = form.lengths
        guard lengths.count > 1, let first = form.steps.firstIndex(of: lengths[0]) else { return nil }
        var steps = form.steps.filter { !lengths.contains($0) }
        steps.insert(contentsOf: lengths, at: first)
        return steps
      },
      Move(id: .valuesExchanged, words: "the payload before the token", price: 10) { form in
        let lengths = form.lengths
        guard lengths.count == 2, let first = form.steps.firstIndex(of: lengths[0]) else { return nil }
        var steps = form.steps
        steps.removeSubrange(first..<(first + 2))
        steps += form.steps[first..<(first + 2)]
        return steps
      },
      Move(id: .numbersLast, words: "the numbers after the payload", price: 10) { form in
        guard !form.lengths.isEmpty, let first = form.steps.firstIndex(of: form.lengths[0]), first > 0 else {
          return nil
        }
        var steps = form.steps
        steps.removeFirst(first)
        steps += form.steps[..<first]
        return steps
      },
      Move(id: .numbersBetween, words: "the numbers after the token", price: 10) { form in
        let lengths = form.lengths
        guard lengths.count == 2, let first = form.steps.firstIndex(of: lengths[0]), first > 0 else { return nil }
        let end = first + 2
        return Array(form.steps[first..<end] + form.steps[..<first] + form.steps[end...])
      },
      Move(id: .tokenLengthAfterToken, words: "the token length after the token", price: 10) { form in
        guard let first = form.lengths.first.flatMap({ form.steps.firstIndex(of: $0) }), form.lengths.count == 2
        else { return nil }
        var steps = form.steps
        steps.swapAt(first, first + 1)
        return steps
      },
      Move(id: .tokenFirst, words: "the token before the number", price: 10) { form in
        // Frames that have no command and end with the token.
        let lengths = form.lengths
        guard form.command == nil, lengths.count == 1, let first = form.steps.firstIndex(of: lengths[0]), first > 0
        else { return nil }
        return Array(form.steps[first...] + form.steps[..<first])
      },
      Move(id: .itemsWithoutHeaders, words: "the values without their item headers", price: 9) { form in
        form.isList ? [.listLength] + form.slots.indices.map { .value($0) } : nil
      },
      Move(id: .fieldsForItems, words: "the fields of command 1 in place of items", price: 10) { form in
        let numbers = [form.slot(.identifier), form.slot(.expiry)].compactMap(\.self)
        let values = [form.slot(.token), form.slots.firstIndex(where: \.isJSON)].compactMap(\.self)
        guard form.isList, numbers.count + values.count == 4 else { return nil }
        return [.listLength] + numbers.map { .value($0) } + values.flatMap { [.length($0), .value($0)] }
      },
      Move(id: .noFrameLength, words: "the items without a frame length", price: 10) { form in
        form.isList ? [.items] : nil
      },
      Move(id: .lengthBeforeCommand, words: "the frame length before the command", price: 10) { form in
        form.isList ? [.listLength, .command, .items] : nil
      },
    ]
  }

  private static func moved(_ forms: [FrameForm], by move: Int) -> [Layout] {
    let deviation = Deviation.layout(Move.all[move].id)
    return forms.indices.compactMap { form in
      let steps = Move.all[move].apply(forms[form])
      return steps.map { Layout(form: form, steps: $0, deviation: deviation) }
    }
  }

  static func all(of forms: [FrameForm]) -> [Layout] {
    forms.indices.map { Layout(form: $0, steps: forms[$0].steps, deviation: nil) }
      + Move.all.indices.flatMap { moved(forms, by: $0) }
  }
}

extension FrameForm {
  fileprivate var lengths: [Step] { steps.filter { if case .length = $0 { true } else { false } } }
}
