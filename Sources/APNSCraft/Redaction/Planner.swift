import APNSDiagnosis
import APNSInput
import APNSPayload
import APNSWire
import Octets

/// Plans the redaction of a stream: values of frames where the frame structure is certain, and all other bytes
/// individually.
struct RedactionPlanner: RecordSink {
  private let catalog: Catalog
  private let standIns: StandIns
  /// Identifiers that occur in error responses.
  private let answered: Set<UInt64>
  private(set) var edits: [Edit] = []
  private(set) var trace = FindingTrace()
  /// Number of captured bytes so far.
  private var count = 0

  init(_ catalog: Catalog, _ standIns: StandIns, answered: Set<UInt64>) {
    self.catalog = catalog
    self.standIns = standIns
    self.answered = answered
  }

  var wantsMore: Bool { true }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    trace.add(record)
    switch record.content {
    case .gap, .overlap: return
    case .unparsed: addOpaque(signatureSize(bytes)..<bytes.count, bytes)
    case .frame(let frame, _): add(frame, record, bytes)
    }
    count += bytes.count
  }

  private mutating func add(_ frame: FrameRef, _ record: Record, _ bytes: Span<UInt8>) {
    let certain = endOfCertain(record, frame, bytes)
    let isMixedUp = record.findings.contains {
      $0.cause.map { !Self.inPlace.contains(RootCause.ID(rawValue: $0.id)) } ?? false
    }
    let isDoubtful = isMixedUp || isFaulty(record) && !hasFittingLength(frame, bytes, certain)
    var rest: Int?
    catalog.forEachField(of: frame, in: bytes) { leaf in
      if rest != nil { return }
      if leaf.end > certain || leaf.kind == .gap || isMixedUp && isBeforeToken(leaf) {
        rest = leaf.start
      } else if leaf.kind == .value {
        add(leaf, bytes, isDoubtful: isDoubtful)
      }
    }
    if let rest { addOpaque(rest..<bytes.count, bytes) }
  }

  /// The end of the frame's certain part: the first finding that has a cause or is about a length.
  private func endOfCertain(_ record: Record, _ frame: FrameRef, _ bytes: Span<UInt8>) -> Int {
    if frame.condition == .overruled || frame.condition == .oversized { return 0 }
    var end = record.count
    for finding in record.findings {
      let isStructural = Self.structural.contains(Rule.ID(rawValue: finding.rule))
      let isCaused = finding.cause.map { !Self.harmless.contains(RootCause.ID(rawValue: $0.id)) } ?? false
      if isStructural || isCaused { end = min(end, finding.range.lowerBound - record.offset) }
      // An impossible length is not certain, but one of a list of items does not move the items. If the stream just
      // ends, the finding's range is empty.
      let length = finding.range.lowerBound - record.offset
      if record.isCut, finding.rule == Rule.ID.truncated.rawValue, !finding.range.isEmpty,
        !countsItems(lengthAt: length, frame, bytes)
      {
        end = min(end, finding.range.upperBound - record.offset)
      }
    }
    return end
  }

  private func countsItems(lengthAt start: Int, _ frame: FrameRef, _ bytes: Span<UInt8>) -> Bool {
    var counts = false
    catalog.forEachField(of: frame, in: bytes) { leaf in
      if leaf.start == start, leaf.kind == .length, case .items? = catalog.field(of: leaf)?.content { counts = true }
    }
    return counts
  }

  /// Whether a length in the certain part fits its value, which arbitrary bytes hardly ever do.
  private func hasFittingLength(_ frame: FrameRef, _ bytes: Span<UInt8>, _ certain: Int) -> Bool {
    var fits = false
    catalog.forEachField(of: frame, in: bytes) { leaf in
      guard leaf.kind == .value, leaf.state == .whole, leaf.count > 0, leaf.end <= certain else { return }
      switch catalog.field(of: leaf)?.content {
      case .octets, .text, .json: fits = true
      case .integer, .items, nil: break
      }
    }
    return fits
  }

  /// Whether the frame has structural errors without a known cause. Its fields may then be arbitrary bytes, such as
  /// part of a token. A frame cut by a hole in the capture is not faulty.
  private func isFaulty(_ record: Record) -> Bool {
    record.findings.contains {
      $0.cause == nil && $0.severity == .error
        && (Self.structural.contains(Rule.ID(rawValue: $0.rule)) || $0.rule == Rule.ID.truncated.rawValue
          || $0.rule == Rule.ID.payloadNotJSON.rawValue)
    }
  }

  /// Causes that leave all values correct.
  private static let harmless: Set<RootCause.ID> = [.batchRepeated, .tokenAsHexText]
  /// Causes that leave the values before the fault correct.
  private static let inPlace =
    harmless.union([
      .payloadLengthInCharacters, .lengthInOneByte, .lengthsSigned, .trailingNUL, .trailingNewline,
    ])

  private static let structural: Set<Rule.ID> = [
    .itemOverrun, .spareBytes, .feedbackShifted, .overruledLength,
  ]

  /// Whether the leaf is the length of a binary value such as the token, or an item header: with a cause that moves
  /// fields, nothing from there on is certain.
  private func isBeforeToken(_ leaf: FieldRef) -> Bool {
    if leaf.kind == .itemID { return true }
    guard leaf.kind == .length, let field = catalog.field(of: leaf), case .octets = field.content else { return false }
    return true
  }

  private mutating func add(_ leaf: FieldRef, _ bytes: Span<UInt8>, isDoubtful: Bool) {
    guard leaf.state != .overrun, let field = catalog.field(of: leaf) else { return addOpaque(leaf.range, bytes) }
    switch field.content {
    case .octets: add(leaf.range, standIns.token(leaf.range.map { bytes[$0] }), isOpaque: false)
    case .text: add(leaf.range, TextStandIn.of(bytes, leaf.range, standIns), isOpaque: false)
    case .json:
      var payload = PayloadStandIn(standIns)
      let end = payload.read(bytes, leaf.range)
      for edit in payload.edits { add(edit.range, edit.bytes, isOpaque: false) }
      addOpaque(end..<leaf.end, bytes)
    // Numbers are kept, because findings and error responses refer to them.
    case .integer(let size, _):
      guard leaf.count != size || isDoubtful, !(leaf.integer(in: bytes).map(answered.contains) ?? false) else { return }
      addOpaque(leaf.range, bytes)
    case .items: break
    }
  }

  /// The size of another protocol's signature at the beginning of bytes outside frames. It is kept: it is no one's.
  private func signatureSize(_ bytes: Span<UInt8>) -> Int {
    ProxyHeader.signatureSize(in: bytes)
      ?? (0..<min(bytes.count, 16)).first { ForeignProtocol.recognize(bytes.extracting(0..<$0)) != nil } ?? 0
  }

  /// Adds bytes whose structure is unknown. Payloads are recognised by their opening brace and tokens by a preceding
  /// length; all other bytes are replaced individually.
  private mutating func addOpaque(_ range: Range<Int>, _ bytes: Span<UInt8>) {
    var start = range.lowerBound
    var index = start
    while index < range.upperBound {
      if let size = tokenSize(at: index, range.upperBound, bytes) {
        addBytes(start..<index, bytes)
        let token = (index + 2)..<(index + 2 + size)
        add(token, standIns.token(token.map { bytes[$0] }), isOpaque: true)
        (index, start) = (token.upperBound, token.upperBound)
      } else if beginsObject(at: index, range.upperBound, bytes) {
        var payload = PayloadStandIn(standIns)
        let end = payload.readObject(bytes, from: index, limit: range.upperBound)
        addBytes(start..<index, bytes)
        for edit in payload.edits { add(edit.range, edit.bytes, isOpaque: true) }
        start = max(end, index + 1)
        index = start
      } else {
        index += 1
      }
    }
    addBytes(start..<range.upperBound, bytes)
  }

  private func tokenSize(at index: Int, _ end: Int, _ bytes: Span<UInt8>) -> Int? {
    guard index + 2 < end, bytes[index] == 0, bytes[index + 1] == 32 || bytes[index + 1] == 64,
      index + 2 + Int(bytes[index + 1]) <= end
    else { return nil }
    // A token that is too short for its length, and the payload after it.
    let size = Int(bytes[index + 1])
    return (index + 2..<index + 2 + size).contains { beginsObject(at: $0, end, bytes) } ? nil : size
  }

  private func beginsObject(at index: Int, _ end: Int, _ bytes: Span<UInt8>) -> Bool {
    guard index + 1 < end, bytes[index] == UInt8(ascii: "{") else { return false }
    return bytes[index + 1] == UInt8(ascii: "\"") || bytes[index + 1] == 0x20 || bytes[index + 1] == 0x0a
  }

  private mutating func addBytes(_ range: Range<Int>, _ bytes: Span<UInt8>) {
    // Printable text is mostly the rest of a payload, in which rules count characters.
    if isText(range, bytes) {
      return add(range, TextStandIn.of(bytes, range, standIns, keepsWords: true), isOpaque: true)
    }
    // In small edits, so that the bytes that findings depend on are located quickly.
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 256) {
      let piece = start..<min(start + 256, range.upperBound)
      add(piece, standIns.bytes(piece.map { bytes[$0] }), isOpaque: true)
    }
  }

  /// Whether the bytes are printable UTF-8, apart from three bytes, such as those of characters that were cut.
  private func isText(_ range: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    var (index, damaged) = (range.lowerBound, 0)
    while index < range.upperBound, damaged < 4 {
      guard bytes[index] >= 0x20 || [0x09, 0x0a, 0x0d].contains(bytes[index]) else { return false }
      let count = bytes.lengthOfCharacter(at: index, end: range.upperBound)
      if count == 0 { damaged += 1 }
      index += max(count, 1)
    }
    return damaged < 4
  }

  private mutating func add(_ range: Range<Int>, _ other: [UInt8], isOpaque: Bool) {
    guard !range.isEmpty else { return }
    edits.append(
      Edit(range: (range.lowerBound + count)..<(range.upperBound + count), bytes: other, isOpaque: isOpaque))
  }
}
