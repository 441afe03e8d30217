import APNSWire
import Octets

/// Writes frames as a faulty sender does: the tables by which faulty frames are read, run forwards.
package struct FaultyWriter: Sendable {
  private let form: FrameForm
  private let bank: DecoderBank

  /// Returns nil for a frame type that the search for causes does not know.
  package init?(_ schema: FrameSchema, inflate: Inflate? = nil) {
    guard let form = FrameForm(schema) else { return nil }
    (self.form, bank) = (form, DecoderBank(inflate: inflate))
  }

  /// A way to write frames: deviations from the documented one.
  package struct Writing: Sendable {
    let deviations: [Deviation]

    init(_ deviations: Deviation...) { self.deviations = deviations }
    init(_ deviations: [Deviation]) { self.deviations = deviations }

    /// The length of a payload as a certain number.
    package static func payloadLength(_ number: Int) -> Writing {
      Writing(.anyLength(.payloadLength), .constant(.payloadLength, number, width: 2))
    }

    /// Whether a length is not the size of its value.
    package var isAboutLengths: Bool { deviations.contains(where: \.isLength) }

    /// Both ways at once.
    package func and(_ other: Writing) -> Writing {
      Writing(deviations + other.deviations.filter { !deviations.contains($0) })
    }
  }

  /// The frame as a sender writes it. Returns nil if the frame has nothing that this sender writes in another way, if a
  /// value does not fit, or if the frame is not valid.
  package func write(_ frame: [UInt8], as writing: Writing) -> [UInt8]? {
    guard let document = form.documented(0, at: 0, in: frame), document.end == frame.count, document.isWhole else {
      return nil
    }
    let faulty = FaultyFrame(form: form, bank: bank, values: document.values, writing: writing)
    return faulty.bytes().flatMap { $0 == frame ? nil : $0 }
  }

  /// Whether any frame of the type shows this writing.
  package func applies(_ writing: Writing) -> Bool { writing.deviations.allSatisfy(applies) }

  private func applies(_ deviation: Deviation) -> Bool {
    switch deviation.dimension {
    case .command: form.command.map { Int($0) != deviation.detail } ?? false
    case .commandMissing, .paddingAfterCommand: form.command != nil && form.hasContents
    case .commandAdded: form.command == nil
    case .layout: Layout.Move(rawValue: deviation.detail)?.apply(form) != nil
    case .padding: form.command != nil
    case .itemNumbers, .itemWithoutHeader, .itemHeaderTwice: form.isList
    case .number, .lengthRule, .constant, .notAllLengths, .meaning, .value, .valuePadding, .coding:
      has(deviation.subject)
    case .division, .foreign, .cut, .inserted, .interleaved: false
    }
  }

  private func has(_ subject: Deviation.Subject) -> Bool {
    switch subject {
    case .frame: true
    case .frameLength, .itemLength: form.isList
    case .lengths, .tokenLength: form.slot(.token) != nil
    case .payloadLength: form.hasPayload
    default: form.slots.contains { $0.subject == subject }
    }
  }

  /// Every way with one deviation that bytes can show, by dimension. Of a token whose bytes are only rearranged nothing
  /// is seen, and of identifiers in decimal digits only where they end in 9.
  package var writings: [(dimension: String, writing: Writing)] {
    var all: [Deviation] = [.commandMissing, .commandAdded, .command(Deviation.digit), .command(9)]
    all += [1, 2, 3, 7].map { .padding($0) }
    all += Layout.Move.allCases.map { .layout($0) }
    for format in NumberFormat.allCases where format != .documented {
      for width in format.widths {
        all += [.number(.lengths, format, width: width), .number(.frameLength, format, width: width)]
        guard !format.isForLengthsOnly, format != .withoutZeros else { continue }
        for subject in [Deviation.Subject.identifier, .expiry, .priority]
        where subject != .identifier || format != .binaryCodedDecimal {
          all.append(.number(subject, format, width: width))
        }
      }
    }
    for subject in [Deviation.Subject.tokenLength, .payloadLength, .frameLength, .itemLength] {
      all += LengthRule.all.map { .length(subject, $0.id) } + [.anyLength(subject)]
    }
    all += DateMeaning.all.indices.map { .meaning(row: $0) }
    all += ValueFault.allCases.map { .value(.token, $0) } + [.payloadPadding(isCounted: true)]
    all += ItemNumbers.allCases.map { .itemNumbers($0) } + [.itemHeaderTwice]
    for (row, decoder) in bank.rows.enumerated() {
      for (use, subject) in [(Decoder.Uses.token, Deviation.Subject.token), (.payload, .payload), (.frames, .frame)]
      where decoder.uses.contains(use) && (use != .token || !decoder.traits.contains(.blind)) {
        all.append(.coding(subject, [row], price: decoder.price))
      }
    }
    return all.map { ("\($0.dimension) \($0.subject)", Writing($0)) }.filter { applies($0.1) }
  }
}

extension FrameForm {
  /// The frame as documented; nil if a value is missing or does not fit.
  func write(_ values: MeantValues) -> [UInt8]? {
    FaultyFrame(form: self, bank: nil, values: values, writing: FaultyWriter.Writing()).bytes()
  }
}

/// One frame in a deviating writing, or in none.
private struct FaultyFrame {
  let form: FrameForm
  /// What encodes values; nil if nothing does.
  let bank: DecoderBank?
  let values: MeantValues
  let writing: FaultyWriter.Writing

  private func deviation(_ dimension: Deviation.Dimension, _ subject: Deviation.Subject? = nil) -> Deviation? {
    writing.deviations.first { $0.dimension == dimension && (subject == nil || $0.subject == subject) }
  }

  /// The bytes; nil if a value is missing or does not fit.
  func bytes() -> [UInt8]? {
    var out: [UInt8] = deviation(.commandAdded) == nil ? [] : [ErrorResponse.schema.command?.rawValue ?? 8]
    let steps = deviation(.layout).map { Layout.Move(rawValue: $0.detail)?.apply(form) } ?? form.steps
    guard let steps else { return nil }
    if let command = form.command, deviation(.commandMissing) == nil, !steps.contains(.command) {
      let written = deviation(.command)?.detail ?? Int(command)
      out.append(written == Deviation.digit ? command &+ 0x30 : UInt8(truncatingIfNeeded: written))
    }
    out += [UInt8](repeating: 0xcc, count: deviation(.paddingAfterCommand)?.detail ?? 0)
    out += [UInt8](repeating: 0, count: deviation(.padding)?.detail ?? 0)
    for step in steps {
      switch step {
      case .command: form.command.map { out.append($0) }
      case .length(let slot):
        guard let length = length(slot) else { return nil }
        out += length
      case .listLength:
        // Without headers, values follow in place of items.
        guard let list = steps.contains(.items) ? items() : joinedValues(), let length = listLength(list) else {
          return nil
        }
        out += length
      case .value(let slot):
        if form.isList, values.values[slot] == .absent { continue }
        guard let value = value(slot) else { return nil }
        out += value.bytes
      case .items:
        guard let items = items() else { return nil }
        out += items
      }
    }
    return encoded(out)
  }

  private func joinedValues() -> [UInt8]? {
    form.slots.indices.reduce(into: [UInt8]?([])) { list, slot in
      guard values.values[slot] != .absent else { return }
      list = value(slot).flatMap { value in list.map { $0 + value.bytes } }
    }
  }

  /// What happens to complete frames.
  private func encoded(_ frame: [UInt8]) -> [UInt8]? {
    if deviation(.value)?.detail == ValueFault.replacedAfterwards.rawValue {
      return Array(String(decoding: frame, as: UTF8.self).utf8)
    }
    if deviation(.number).map({ NumberFormat($0) }) == .withoutZeros { return frame.filter { $0 != 0 } }
    return coded(frame, .frame)
  }

  private func coded(_ bytes: [UInt8], _ subject: Deviation.Subject) -> [UInt8]? {
    guard let coding = deviation(.coding, subject) else { return bytes }
    return [coding.detail & 0xff, coding.detail >> 8].filter { $0 > 0 }.reduce(bytes) { bytes, row in
      bytes.flatMap { bank?.rows[row - 1].write($0) }
    }
  }

  // Values

  /// A value as written, and what its length says of it.
  private typealias Written = (bytes: [UInt8], counted: Int, decoded: Int)

  private func value(_ slot: Int) -> Written? {
    switch values.values[slot] {
    case .absent, .lost, .part: return nil
    case .number(let number):
      return self.number(slot, number).map { ($0, $0.count, form.slots[slot].size ?? $0.count) }
    case .bytes(let bytes):
      let subject = form.slots[slot].subject
      guard let coded = coded(bytes, subject), let written = damaged(coded, subject) else { return nil }
      return (written.bytes, written.counted, bytes.count)
    }
  }

  private func damaged(_ bytes: [UInt8], _ subject: Deviation.Subject) -> (bytes: [UInt8], counted: Int)? {
    if subject == .payload, deviation(.valuePadding) != nil { return (bytes + [0], bytes.count + 1) }
    guard let fault = deviation(.value, subject), let kind = ValueFault(rawValue: fault.detail) else {
      return (bytes, bytes.count)
    }
    return kind.row.write(bytes).map { ($0, kind.isUncounted ? bytes.count : $0.count) }
  }

  private func number(_ slot: Int, _ number: Int) -> [UInt8]? {
    let (size, subject) = (form.slots[slot].size ?? 0, form.slots[slot].subject)
    var number = number
    if subject == .expiry, let meaning = deviation(.meaning) {
      guard let written = DateMeaning.all[meaning.detail].number(number) else { return nil }
      number = written
    }
    return write(number, size, subject)
  }

  private func write(_ number: Int, _ width: Int, _ subject: Deviation.Subject) -> [UInt8]? {
    let deviation = deviation(.number, subject)
    let format = deviation.flatMap { NumberFormat($0) }
    guard let deviation, let format, format != .withoutZeros else {
      return NumberFormat.documented.write(number, width: width, other: width)
    }
    return format.write(number, width: width, other: deviation.detail & 0xff)
  }

  // Lengths

  private func length(_ slot: Int) -> [UInt8]? {
    guard let value = value(slot) else { return nil }
    let role = form.slots[slot]
    var measured = LengthRule.Measured(
      subject: role.lengthSubject, declared: value.counted, size: value.bytes.count, width: role.lengthWidth,
      decoded: value.decoded, value: value.bytes[...])
    let other = role.role == .token ? form.slots.firstIndex(where: \.isJSON) : form.slot(.token)
    measured.other = other.flatMap { self.value($0)?.bytes.count }
    // If only some lengths are written in another way, the first one is not.
    let isDocumented = deviation(.notAllLengths) != nil && slot == values.order.first ?? 0
    return wrong(measured).flatMap { write($0, role.lengthWidth, isDocumented ? role.lengthSubject : .lengths) }
  }

  private func listLength(_ list: [UInt8]) -> [UInt8]? {
    let written = values.order.compactMap { value($0) }
    var measured = LengthRule.Measured(
      subject: .frameLength, declared: list.count, size: list.count, width: form.listWidth,
      decoded: written.reduce(list.count) { $0 + $1.decoded - $1.bytes.count }, value: list[...])
    measured.contents = written.reduce(0) { $0 + $1.bytes.count }
    return wrong(measured).flatMap { write($0, form.listWidth, .frameLength) }
  }

  /// What the sender writes as the length; nil if the rule says the same, or nothing.
  private func wrong(_ measured: LengthRule.Measured) -> Int? {
    if let rule = deviation(.lengthRule, measured.subject) {
      return LengthRule.all[rule.detail].length(measured).flatMap { $0 == measured.size ? nil : $0 }
    }
    // The length itself follows the deviation, if it is a certain one.
    let constant = writing.deviations.last { $0.dimension == .constant && $0.subject == measured.subject }
    guard let constant else { return measured.declared }
    let number = constant.detail > 0 ? constant.detail - 1 : measured.size / 2 + 1
    return number == measured.size ? nil : number
  }

  // Items

  private func items() -> [UInt8]? {
    let way = deviation(.itemNumbers).flatMap { ItemNumbers(rawValue: $0.detail) }
    var out: [UInt8] = []
    for slot in values.order {
      guard let item = form.slots[slot].item, let length = length(slot), let value = value(slot) else { return nil }
      let number = way?.row.write([item]) ?? [item]
      let header = way == .afterLength ? length + number : number + length
      out += (deviation(.itemHeaderTwice) == nil ? header : header + header) + value.bytes
    }
    return out
  }
}
