import Octets

/// The bugs that have no name of their own: each is described by the dimension in which the writing deviates.
extension RootCause {
  package static let lengthsFormat = dimension(
    "lengths-format", "lengths are written in another format", "The service reads other lengths and loses the frame.",
    "write lengths as binary numbers in network byte order, in two bytes, the frame length in four")

  package static let numberFormat = dimension(
    "number-format", "a number is written in another format", "The service reads another number, or refuses its size.",
    "write numbers as binary, in network byte order, in the documented number of bytes")

  package static let zerosLeftOut = dimension(
    "zeros-left-out", "zero bytes are left out", "The service reads each field from the wrong byte on.",
    "write bytes with their count, not as a text that ends at a NUL or loses it")

  package static let expiryUnit = dimension(
    "expiry-unit", "the expiry counts in another unit or from another date",
    "The service drops the notification at once, or stores it for years.", "write seconds since 1970, UTC")

  package static let tokenEncoding = dimension(
    "token-encoding", "the token is encoded", "The service reads the text as the token, and no device has that token.",
    "decode the token before sending, to its 32 bytes")

  package static let tokenSize = dimension(
    "token-size", "there are bytes too many or too few in the token",
    "The service reads another token, and no device has it.", "write the 32 bytes of the token and nothing else")

  package static let payloadEncoding = dimension(
    "payload-encoding", "the payload is encoded", "It is no JSON for the service, which refuses it.",
    "write the JSON text in UTF-8, unchanged and with nothing around it")

  package static let payloadSyntax = dimension(
    "payload-syntax", "the payload is JSON as another language writes it",
    "It is no JSON for the service, which refuses it.",
    "make the text with a JSON library: it closes each bracket, puts names and strings in straight double quotes, "
      + "escapes those inside, and writes no comments and no comma before a closing bracket")

  package static let payloadPadding = dimension(
    "payload-padding", "other bytes follow the JSON of the payload",
    "The service refuses the payload, or loses the next frame.",
    "write the JSON text and nothing after it")

  package static let frameEncoding = dimension(
    "frame-encoding", "complete frames are encoded", "The service reads the encoded bytes as frames.",
    "write the bytes of a frame as they are")

  package static let itemHeaders = dimension(
    "item-headers", "the item headers are written in another way", "The service finds no items in the frame.",
    "write the number of each item in one byte, 1 to 5, and then its length in two")

  package static let framesDivided = dimension(
    "frames-divided", "a frame does not hold one notification, with all of its items",
    "The service refuses a frame in which items are missing or appear twice.",
    "write one frame for each notification, with its own command and frame length")

  package static let foreignBytes = dimension(
    "foreign-bytes", "bytes that belong to no frame are written to the connection",
    "The service reads the first of them as a command, and closes the connection.",
    "find what else writes to this connection, or what is written around each frame")

  package static let bytesInside = dimension(
    "bytes-inside", "bytes that belong to no frame are inside a frame",
    "The service reads them as part of the frame, and loses its end.",
    "find what else writes to this connection while a frame is written")

  private static func dimension(_ id: String, _ title: String, _ why: String, _ fix: String) -> RootCause {
    RootCause(
      id, title, why: why, fix: fix, source: "inferred from the bytes: no other reading takes as few assumptions")
  }
}

extension Explanation {
  /// The bug that explains the piece; nil if it is not certain which.
  var cause: RootCause? {
    let rivals = rival.map { replacing($0).shows(bug) } ?? true
    switch piece.kind {
    case .documented: return nil
    // Without a next piece, a run goes on.
    case .foreign: return isCertain || isFollowed && next == nil ? bug : nil
    // Bytes that are lost are named where the next frame is intact.
    case .cut:
      let isCut = rivals || rival?.isCertain == false
      return isCut && next.map { $0.kind != .foreign } ?? false && piece.range.count > 8 ? bug : nil
    case .deviating, .inserted:
      let isFollowed = next.map { $0.kind != .foreign && $0.kind != .cut } ?? false
      return isCertain || rivals && isFollowed ? bug : nil
    case .decoded: return isCertain ? bug : nil
    case .interleaved: return rival == nil ? bug : nil
    }
  }

  /// What else it may be, as a sentence; nil if nothing is near.
  var doubt: String? {
    guard let rival, piece.kind != .documented || rival.kind != .documented else { return nil }
    let others = [piece, rival].map { replacing($0).evidence }
    guard Set(others).count > 1 else { return nil }
    return "the bytes do not decide between two readings: " + others.joined(separator: "; or: ")
  }

  private var bytes: ArraySlice<UInt8> { window.bytes[piece.range] }

  /// The form of what was meant, if it has items.
  private var listForm: FrameForm? { window.forms.first { $0.isList && $0.command == piece.meant.first } }

  /// The bug that shows such deviations.
  private var bug: RootCause? { piece.deviations.first.flatMap { bug($0) } }

  private func shows(_ bug: RootCause?) -> Bool { piece.deviations.contains { self.bug($0) == bug } }

  private func bug(_ deviation: Deviation) -> RootCause? {
    switch deviation.dimension {
    case .command: return command(deviation.detail)
    case .commandMissing: return recurs ? .commandMissing : .byteLost
    case .commandAdded: return .commandAdded
    case .padding where zeros(deviation) == 1 && afterPayload.first == 0: return .trailingNUL
    case .paddingAfterCommand, .padding: return .structPadding
    case .layout: return RootCauses[deviation] ?? .fieldsOutOfOrder
    case .number where piece.deviations.leaveOutZeros: return .zerosLeftOut
    case .number:
      // Once, a byte that was lost writes the same, unless the length of an item counts it.
      let isOneByte =
        deviation == .number(.lengths, .wide, width: 1)
        ? !piece.isCertain || piece.meant.count == bytes.count + 1
        : piece.deviations.count == 1
          && (NumberFormat(deviation) == .withoutZeros
            || deviation == .number(deviation.subject, .wide, width: 3) && listForm == nil)
      return !recurs && isOneByte ? .byteLost : deviation.causeOfNumber
    case .lengthRule, .constant: return length(deviation)
    case .notAllLengths: return .lengthsFormat
    case .meaning: return .expiryUnit
    case .value: return value(deviation)
    case .valuePadding: return padding
    case .coding: return coding(deviation)
    case .itemNumbers: return RootCauses[deviation] ?? .itemHeaders
    case .itemWithoutHeader: return .itemHeadersMissing
    case .itemHeaderTwice: return .itemHeaders
    case .division: return .framesDivided
    case .foreign: return foreign?.cause ?? .foreignBytes
    case .cut: return isOneByteShort ? .byteLost : .bytesMissing
    case .inserted: return piece.inside?.count == 1 ? .byteAdded : .bytesInside
    case .interleaved: return .writersInterleaved
    }
  }

  /// Whether the frame, as its lengths say, ends one byte after the next frame begins.
  private var isOneByteShort: Bool {
    let end = piece.range.upperBound
    let frame = window.bytes[piece.range] + window.bytes[end...].prefix(1)
    let whole = Window(Array(frame), window.forms, window.bank, isEnd: true)
    return whole.documented(at: 0)?.end == frame.count
  }

  private func command(_ written: Int) -> RootCause {
    let commands = window.forms.compactMap { $0.command.map(Int.init) }
    guard commands.contains(written) else {
      return written == Deviation.digit ? .commandAsDigit : .commandUnknown
    }
    return written == 0 && piece.meant.first == 1 ? .enhancedFieldsAfterCommand0 : .commandOfAnotherType
  }

  private func length(_ deviation: Deviation) -> RootCause {
    let misfit = piece.misfits.first { $0.isExplained(by: deviation) }
    if deviation.subject == .payloadLength, let last = before.payloadSize, misfit?.declared == last,
      deviation.dimension == .constant
    {
      return .lengthOfPrevious
    }
    switch deviation {
    case .length(.payloadLength, .oneMore) where !recurs: return .byteLost
    case .length(.payloadLength, .oneLess) where !recurs: return .byteAdded
    case .length(.itemLength, .threeMore) where misfit?.size != 1: return .lengthWrong
    case .length(.frameLength, .signed), .length(.tokenLength, .signed): return .lengthsSigned
    default: return RootCauses[deviation] ?? .lengthWrong
    }
  }

  private func value(_ deviation: Deviation) -> RootCause {
    switch ValueFault(rawValue: deviation.detail) {
    case .byteLost: .byteLost
    case .bytesLost: .bytesMissing
    case .byteAdded: .byteAdded
    case .bytesAdded: .bytesInside
    case .replacedAfterwards: .streamThroughString
    case .textAround: deviation.subject == .payload ? .payloadEncoding : .tokenEncoding
    default: RootCauses[deviation] ?? (deviation.subject == .payload ? .payloadPadding : .tokenSize)
    }
  }

  /// The zero bytes of a padding: in a list, each item may have its own.
  private func zeros(_ padding: Deviation) -> Int {
    piece.isCertain && piece.deviations.count == 1 ? bytes.count - piece.meant.count : padding.detail
  }

  /// What follows the payload.
  private var padding: RootCause {
    let rest = afterPayload
    if rest.isEmpty { return .payloadPadding }
    if rest.allSatisfy({ $0 == 0 }) { return .trailingNUL }
    return rest.allSatisfy { $0 == 0x0a || $0 == 0x0d } ? .trailingNewline : .payloadPadding
  }

  /// The NULs and white space after the payload.
  private var afterPayload: ArraySlice<UInt8> {
    let own = Array(bytes)
    let end = own.indices.lazy.compactMap { Evidence.objectEnd(own, $0) }.first
    return own[(end ?? own.count)...].prefix { $0 == 0 || Evidence.isSpace($0) }
  }

  private func coding(_ deviation: Deviation) -> RootCause {
    let row = (deviation.detail > 255 ? deviation.detail >> 8 : deviation.detail) - 1
    switch Deviation.coding(deviation.subject, [row], price: 0) {
    case .coding(.payload, .stringLiteral) where !Array(bytes).holds(Array("b'{".utf8)): return .payloadEncoding
    case .coding(.payload, .relaxedJSON): return .payloadSyntax
    case let outer:
      let other: [Deviation.Subject: RootCause] = [.token: .tokenEncoding, .payload: .payloadEncoding]
      return RootCauses[outer] ?? other[deviation.subject] ?? .frameEncoding
    }
  }

  /// The bug that writes such bytes between frames, and what they are.
  private var foreign: (cause: RootCause, words: String)? {
    let frame = next.map(\.range) ?? piece.range.upperBound..<piece.range.upperBound
    let all = window.bytes
    let isZeros = bytes.count < 8 && bytes.allSatisfy { $0 == 0 }
    if before.form == nil, recurs, isZeros, !frame.isEmpty, all[frame.lowerBound] == 0,
      window.forms.contains(where: { $0.command == 0 })
    {
      return (.structPadding, "\(plural(bytes.count, "zero byte")), as padding after the command leaves them")
    }
    if bytes.count > ForeignBytes.shortestStart, window.beginsAgain(piece.range) {
      return (.bytesMissing, piece.words)
    }
    if piece.deviations.first?.detail == ForeignBytes.again { return (.foreignBytes, piece.words) }
    for cause in RootCauses.all {
      for case .between(_, let followsFrame, let match) in cause.effects where before.form != nil || !followsFrame {
        if let words = match(piece.range, frame, all.span) { return (cause, words) }
      }
    }
    return bytes.count == 1 ? (.byteAdded, "one extra byte, \(hex(bytes[piece.range.lowerBound]))") : nil
  }

  /// The offset in the piece of the first byte that was meant to be another. A frame length that is another only
  /// because values have other sizes does not count. Nil if it is not known what was meant.
  var change: Int? {
    guard isCertain else { return nil }
    let isWrong = piece.deviations.contains { $0.subject == .frameLength }
    let length = listForm.flatMap { isWrong ? nil : $0.listStart - $0.listWidth..<$0.listStart } ?? 0..<0
    return zip(bytes, piece.meant).enumerated().first { !length.contains($0) && $1.0 != $1.1 }?.offset
  }

  /// What the bytes show, as a sentence.
  var evidence: String {
    let (count, bank) = (plural(bytes.count, "byte"), window.bank)
    let deviations = piece.deviations.filter { $0.dimension != .constant || $0.detail == 0 }
    let other = deviations.first { $0.dimension == .notAllLengths }
    let some = other.map { $0.subject == .lengths ? "some lengths" : "the \($0.subject.rawValue)" }
    let words = deviations.enumerated().map { index, deviation in
      let subjects = deviations.filter { $0.saysSame(as: deviation) }.map { same in
        same.isFormatOfLengths && (some != nil || deviations.count(where: \.isFormatOfLengths) > 1)
          ? some ?? "some lengths" : "the \(name(of: same.subject))"
      }
      // Each habit is said once.
      let isHabit = [.number, .value].contains(deviation.dimension)
      guard !isHabit || !deviations[..<index].contains(where: deviation.saysSame) else { return "" }
      return piece.misfits.first { $0.isExplained(by: deviation) }?.words
        ?? deviation.words(
          bank, subjects.joined(separator: " and "), meant: piece.isCertain ? piece.meant.first : nil,
          zeros: zeros(deviation))
    }.filter { !$0.isEmpty }.joined(separator: " and ")
    if !deviations.isEmpty, deviations.allSatisfy(\.isLength) {
      return piece.misfits.map { $0.sentence(by: deviations) }.joined(separator: "; ") + follow
    }
    return switch piece.kind {
    case .documented where deviations.isEmpty: "as its lengths say, the frame has \(count)" + follow
    case .documented, .deviating: "with \(words), the \(count) are a complete frame" + follow
    case .decoded:
      (deviations.contains { $0.dimension == .division } ? "with \(words)" : "decoded (\(words))")
        + ", the \(count) are complete frames of \(plural(piece.meant.count, "byte"))" + follow
    case .interleaved: "put back together from their pieces, the \(count) are complete frames" + follow
    case .foreign:
      (isLast ? "the last frame is followed by" : precedesFrame ? "the next frame comes after" : "the bytes begin with")
        + " " + (foreign?.words ?? piece.words)
    case .cut:
      "\(isLast ? "the stream ends" : "the next frame begins") after \(sizeOfCut) of this one"
    case .inserted: "without \(plural(piece.inside?.count ?? 0, "byte")), the frame is complete" + follow
    }
  }

  /// `58 of at least 70 bytes`: what is there of a frame that is cut, and its size as far as its lengths say.
  private var sizeOfCut: String {
    let own = Array(bytes)
    let form = window.forms.first { $0.command == own.first && !$0.isList }
    guard let missing = form?.walk(own).needed, 1...Evidence.longestPayload ~= missing else {
      return plural(own.count, "byte")
    }
    return "\(own.count) of at least \(plural(own.count + missing, "byte"))"
  }

  /// The time of a feedback tuple is no expiry.
  private func name(of subject: Deviation.Subject) -> String {
    let isTime = subject == .expiry && window.forms.contains { $0.slot(.timestamp) != nil }
    return isTime ? "timestamp" : subject.rawValue
  }

  private var precedesFrame: Bool { next.map { $0.kind != .foreign } ?? (piece.range.upperBound < window.bytes.count) }

  private var isLast: Bool { window.isEnd && piece.range.upperBound == window.bytes.count }

  private var follow: String {
    guard let next else { return isLast ? "; the stream ends exactly there" : "" }
    return next.kind == .documented && next.isCertain ? "; the next frame is complete then" : ""
  }

  /// The changes to make in the sender, of which each deviation may need its own.
  var fix: String {
    var fixes: [String] = []
    for deviation in piece.deviations where !deviation.isPartOfAnother {
      if let fix = bug(deviation)?.fix, !fixes.contains(fix) { fixes.append(fix) }
    }
    return [correction, fixes.joined(separator: "; ")].compactMap(\.self).joined(separator: " ")
  }

  /// What to write in place of a wrong length: `write 00 3e as the payload length;`.
  private var correction: String? {
    let isFrameLength = piece.deviations.contains { $0.dimension == .number && $0.subject == .frameLength }
    if isCertain, isFrameLength, let form = listForm {
      let size = wireBytes(piece.meant.count - form.listStart, width: form.listWidth)
      return "write \(size) as the frame length;"
    }
    guard isCertain, !piece.misfits.isEmpty, piece.deviations.allSatisfy(\.isLength) else { return nil }
    let lengths = piece.misfits.map { "\(wireBytes($0.size, width: $0.width)) as the \($0.subject.rawValue)" }
    return "write \(lengths.joined(separator: " and "));"
  }
}

extension LengthRule.Measured {
  /// Whether the deviation is about this length, and its rule gives it.
  fileprivate func isExplained(by deviation: Deviation) -> Bool {
    deviation.isLength && deviation.subject == subject
      && (deviation.dimension == .constant || LengthRule.all[deviation.detail].length(self) == declared)
  }

  fileprivate var words: String { "\(declared) as the \(subject.rawValue) in place of \(size)" }

  /// `the payload has 32 bytes, and its length says 26: the number of characters`.
  fileprivate func sentence(by deviations: [Deviation]) -> String {
    let rule = deviations.first { $0.subject == subject && $0.dimension == .lengthRule }
    let value =
      switch subject {
      case .tokenLength: "the device token has"
      case .payloadLength: "the payload has"
      case .frameLength: "the items have"
      default: "the value has"
      }
    let says = subject == .frameLength ? "the frame length says" : "its length says"
    return "\(value) \(plural(size, "byte")), and \(says) \(declared)"
      + (rule.map { LengthRule.all[$0.detail].words }.map { $0.isEmpty ? "" : ": \($0)" } ?? "")
  }
}

extension [Deviation] {
  /// Whether numbers are narrow in different ways, so that their zeros rather than their widths are missing.
  fileprivate var leaveOutZeros: Bool {
    let formats = filter { $0.dimension == .number }.map(\.detail)
    return Set(formats).count > 1 && formats.allSatisfy { $0 >> 8 == NumberFormat.wide.rawValue && $0 & 0xff < 4 }
  }
}

extension Deviation {
  /// Whether it says more about another deviation.
  fileprivate var isPartOfAnother: Bool { dimension == .notAllLengths || dimension == .constant && detail > 0 }

  fileprivate var causeOfNumber: RootCause {
    let (format, width) = (NumberFormat(self) ?? .documented, detail & 0xff)
    if let cause = RootCauses[self] { return cause }
    switch (subject, format) {
    case (_, .withoutZeros): return .zerosLeftOut
    case (.lengths, .wideLittleEndian), (.frameLength, .wideLittleEndian): return .lengthsLittleEndian
    case (.lengths, _), (.frameLength, _): return .lengthsFormat
    case (_, .wide), (_, .wideLittleEndian):
      return width > 4 || subject == .priority || subject == .otherNumber ? .numberTooWide : .numberTooNarrow
    case (_, .digits), (_, .digitsInField), (_, .digitsAndSeparator), (_, .hexDigits), (_, .escapes), (_, .dateText):
      return .numberAsText
    case (_, .beforeZeros): return .numberTooWide
    case (_, .missing): return .fieldMissing
    default: return .numberFormat
    }
  }

  /// What the sender writes, as the object of a sentence: `lengths with the lowest byte first`.
  ///
  /// - Parameters:
  ///   - meant: the command that was meant, if it is known.
  ///   - zeros: how many zero bytes a padding has in all fields.
  fileprivate func words(_ bank: DecoderBank, _ subjects: String, meant: UInt8?, zeros: Int) -> String {
    switch dimension {
    case .command:
      detail == Deviation.digit
        ? "the command as an ASCII digit"
        : "command \(detail)" + (meant.map { " in place of command \($0)" } ?? "")
    case .paddingAfterCommand: "\(plural(detail, "byte")) of padding after the command"
    case .commandMissing: "no command"
    case .commandAdded: "a byte before the frame"
    case .layout: Layout.Move(rawValue: detail)?.row.words ?? ""
    case .padding: "\(plural(zeros, "zero byte")) before \(zeros == detail ? "a field" : "fields")"
    case .number:
      "\(subjects) "
        + (NumberFormat(self)?.row.words(plural(detail & 0xff, "byte")) ?? "")
    case .lengthRule: "\(LengthRule.all[detail].words) as the \(subject.rawValue)"
    case .constant: detail == 0 ? "a wrong \(subject.rawValue)" : "\(detail - 1) as the \(subject.rawValue)"
    case .meaning: "\(subjects) \(DateMeaning.all[detail].words)"
    case .value: ValueFault(rawValue: detail)?.row.words(subjects) ?? ""
    case .valuePadding: "other bytes after the payload"
    case .coding:
      (subject == .frame ? "" : "the \(subject.rawValue) as ")
        + [detail >> 8, detail & 0xff].filter { $0 > 0 }.map { bank.rows[$0 - 1].title }.joined(separator: ", then ")
    case .itemNumbers: ItemNumbers(rawValue: detail)?.row.words("") ?? ""
    case .itemWithoutHeader: "an item without its header"
    case .itemHeaderTwice: "an item header twice"
    case .division: detail > 0 ? "each item in a frame of its own" : "the items of several notifications in one frame"
    case .notAllLengths, .foreign, .cut, .inserted, .interleaved: ""
    }
  }
}
