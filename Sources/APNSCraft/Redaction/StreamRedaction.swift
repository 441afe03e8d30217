import APNSDiagnosis
import APNSPayload
import APNSWire
import Octets

/// Redacts a stream record by record: values of frames as far as their structure is certain, and all other bytes one by
/// one.
struct StreamRedaction: RecordSink {
  private let catalog: Catalog
  private let standIns: StandIns
  /// The captured bytes of the records so far, redacted.
  private(set) var redacted: [UInt8] = []
  /// The offset of the record in `redacted`.
  private var start = 0
  /// Whether the stream begins here, or after a sound frame, so that the next frame begins where it seems to.
  private var followsSound = true

  init(_ catalog: Catalog, _ standIns: StandIns) {
    self.catalog = catalog
    self.standIns = standIns
  }

  var wantsMore: Bool { true }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    switch record.content {
    case .gap: followsSound = false
    case .overlap: break
    case .unparsed:
      begin(bytes)
      if let header = ProxyHeader.start(in: bytes), header.isBinary {
        // Addresses look like lengths.
        replace(header.size..<bytes.count, standIns.token((header.size..<bytes.count).map { bytes[$0] }))
      } else {
        redactUnknown(signatureSize(bytes)..<bytes.count, bytes)
      }
      followsSound = false
    case .frame(let frame, _):
      begin(bytes)
      redact(frame, record, bytes)
    }
  }

  private mutating func begin(_ bytes: Span<UInt8>) {
    start = redacted.count
    redacted.append(contentsOf: bytes)
  }

  private mutating func replace(_ range: Range<Int>, _ other: [UInt8]) {
    redacted.replaceSubrange((start + range.lowerBound)..<(start + range.upperBound), with: other)
  }

  /// The size of another protocol's signature at the beginning of bytes outside frames. It is kept: it is not private.
  private func signatureSize(_ bytes: Span<UInt8>) -> Int {
    ProxyHeader.start(in: bytes)?.size
      ?? (0..<min(bytes.count, 16)).first { ForeignProtocol.recognize(bytes.extracting(0..<$0)) != nil } ?? 0
  }
}

// MARK: - Frames

extension StreamRedaction {
  private mutating func redact(_ frame: FrameRef, _ record: Record, _ bytes: Span<UInt8>) {
    let damage = Damage(record, frame)
    let isDoubtful = damage.isMixedUp || damage.isFaulty && !followsSound
    followsSound = damage.end == record.count && !damage.isFaulty
    var (end, rest) = (damage.end, nil as Int?)
    catalog.forEachField(of: frame, in: bytes) { leaf in
      guard rest == nil else { return }
      let content = catalog.field(of: leaf)?.content
      // An impossible length is not certain, but the length of a list does not move its items, if it may be one.
      if leaf.kind == .length, leaf.start == damage.length {
        let isList = catalog.field(of: leaf)?.isList == true
        if !isList { end = min(end, leaf.end) } else if leaf.integer(in: bytes) ?? 0 > 0xffff { end = leaf.start }
      }
      var isBeforeToken = leaf.kind == .itemID
      if case .octets? = content, leaf.kind == .length { isBeforeToken = true }
      if leaf.end > end || leaf.kind == .gap || damage.isMixedUp && isBeforeToken {
        rest = leaf.start
      } else if leaf.kind == .value, leaf.count > 0 {
        redact(leaf, content, bytes, isDoubtful: isDoubtful)
      }
    }
    if let rest { redactUnknown(rest..<bytes.count, bytes) }
  }

  private mutating func redact(_ leaf: FieldRef, _ content: Field.Content?, _ bytes: Span<UInt8>, isDoubtful: Bool) {
    guard leaf.state != .overrun, let content else { return redactUnknown(leaf.range, bytes) }
    switch content {
    case .octets: replace(leaf.range, standIns.token(leaf.range.map { bytes[$0] }))
    case .text: replace(leaf.range, standIns.text(bytes, leaf.range))
    case .json:
      let payload = PayloadRedaction(bytes, leaf.range, standIns)
      replace(leaf.start..<payload.end, payload.redacted)
      redactUnknown(payload.end..<leaf.end, bytes)
    // Numbers are kept, because findings and error responses refer to them.
    case .integer(let size, _): if leaf.count != size || isDoubtful { redactUnknown(leaf.range, bytes) }
    // Only one that is cut is a value.
    case .items: redactUnknown(leaf.range, bytes)
    }
  }
}

/// What findings say about the structure of a frame.
private struct Damage {
  /// The end of the certain part: the first finding that has a cause or is about the structure.
  var end: Int
  /// The offset of the length that the stream is too short for.
  var length: Int?
  /// Whether a cause may have moved fields.
  var isMixedUp = false
  /// Whether there are structural errors without a known cause. The fields may then be arbitrary bytes, such as a part
  /// of a token. A frame cut by a hole in the capture is not faulty.
  var isFaulty = false

  init(_ record: Record, _ frame: FrameRef) {
    end = frame.condition == .overruled || frame.condition == .oversized ? 0 : record.count
    for finding in record.findings {
      let cause = finding.cause?.id
      let start = finding.range.lowerBound - record.offset
      let isStructural = Self.structural.contains(finding.rule)
      if isStructural || cause.map({ !Self.harmless.contains($0) }) ?? false { end = min(end, start) }
      // If the stream just ends, the finding's range is empty.
      if record.isCut, finding.rule == Rule.truncated.id, !finding.range.isEmpty { length = start }
      isMixedUp = isMixedUp || cause.map { !Self.inPlace.contains($0) } ?? false
      let isAboutFrame = isStructural || Self.lengthMayBeWrong.contains(finding.rule)
      isFaulty = isFaulty || cause == nil && finding.severity == .error && isAboutFrame
    }
  }

  /// Causes that leave all values correct.
  private static let harmless: Set = [RootCause.tokenAsHexText.id]
  /// Causes that leave the values before the fault correct.
  private static let inPlace = harmless.union(
    ([
      .payloadLengthInCharacters, .lengthInOneByte, .lengthsSigned, .trailingNUL, .trailingNewline, .payloadInLatin1,
      .payloadPercentEncoded, .payloadAsPythonBytes, .payloadSyntax, .payloadEncoding, .payloadPadding, .tokenAsBase64,
      .tokenAsDecimalList, .tokenReadAsBase64, .tokenThroughLatin1, .tokenEncoding, .tokenSize,
    ] as [RootCause])
    .map(\.id))
  /// Errors by which a frame may have a part of the next one, or of the one before.
  private static let lengthMayBeWrong = Set(
    ([.truncated, .payloadNotJSON, .jsonTerminated, .jsonCut, .tokenLength, .emptyToken] as [Rule]).map(\.id))
  private static let structural = Set(
    ([.itemOverrun, .spareBytes, .feedbackShifted, .overruledLength] as [Rule]).map(\.id))
}

// MARK: - Bytes of unknown structure

extension StreamRedaction {
  /// Redacts bytes whose structure is unknown. Payloads are recognised by their opening brace, tokens by a preceding
  /// length, identifiers and expiries by their item header; all other bytes are replaced one by one.
  private mutating func redactUnknown(_ range: Range<Int>, _ bytes: Span<UInt8>) {
    var start = range.lowerBound
    for index in range where index >= start {
      if let size = bytes.tokenSize(at: index, range.upperBound) {
        redactBytes(start..<index, bytes)
        start = index + 2 + size
        replace((index + 2)..<start, standIns.token((index + 2..<start).map { bytes[$0] }))
      } else if bytes.beginsObject(at: index, range.upperBound) {
        let payload = PayloadRedaction(bytes, index..<range.upperBound, standIns, stopsAfterValue: true)
        // What precedes it may be its length.
        let length = index - 2
        let hasLength = length >= start && (bytes[length] < 0x20 || bytes[length + 1] < 0x20)
        redactBytes(start..<(hasLength ? length : index), bytes)
        start = max(payload.end, index + 1)
        if payload.end > index { replace(index..<payload.end, payload.redacted) }
      } else if bytes.isNumberItem(at: index, range.upperBound) {
        redactBytes(start..<index, bytes)
        start = index + 7
      }
    }
    redactBytes(start..<range.upperBound, bytes)
  }

  private mutating func redactBytes(_ range: Range<Int>, _ bytes: Span<UInt8>) {
    guard !range.isEmpty else { return }
    // Printable text is mostly the rest of a payload, in which rules count characters.
    replace(range, bytes.isText(range) ? standIns.text(bytes, range) : standIns.bytes(range.map { bytes[$0] }))
  }
}

extension Span<UInt8> {
  /// The size of the token whose length is at `index`.
  fileprivate func tokenSize(at index: Int, _ end: Int) -> Int? {
    guard index + 2 < end, self[index] == 0, self[index + 1] == 32 || self[index + 1] == 64 else { return nil }
    let token = (index + 2)..<(index + 2 + Int(self[index + 1]))
    // A payload inside means that the token is too short for its length.
    return token.upperBound > end || token.contains { beginsObject(at: $0, end) } ? nil : token.count
  }

  fileprivate func beginsObject(at index: Int, _ end: Int) -> Bool {
    index + 1 < end && self[index] == UInt8(ascii: "{") && [UInt8(ascii: "\""), 0x20, 0x0a].contains(self[index + 1])
  }

  /// Whether the item of an identifier or expiry begins at `index`: its number, its length, and four bytes.
  fileprivate func isNumberItem(at index: Int, _ end: Int) -> Bool {
    index + 7 <= end && (self[index] == 3 || self[index] == 4) && self[index + 1] == 0 && self[index + 2] == 4
  }

  /// Whether the bytes are printable UTF-8, apart from three bytes, such as those of characters that were cut.
  fileprivate func isText(_ range: Range<Int>) -> Bool {
    var (index, damaged) = (range.lowerBound, 0)
    while index < range.upperBound, damaged < 4 {
      guard self[index] >= 0x20 || [0x09, 0x0a, 0x0d].contains(self[index]) else { return false }
      let count = lengthOfCharacter(at: index, end: range.upperBound)
      if count == 0 { damaged += 1 }
      index += Swift.max(count, 1)
    }
    return damaged < 4
  }
}
