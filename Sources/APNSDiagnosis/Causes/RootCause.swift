/// A known bug of senders as data: what it does, its effect, where it was observed, and how to fix it. Its effects on
/// the bytes are functions, with which it is produced on purpose.
public struct RootCause: Sendable, Hashable {
  /// The stable name in kebab case.
  public let id: String
  /// The sender's mistake, in a few words.
  package let title: String
  /// The consequences of the bug.
  package let why: String
  /// The change to make in the sender.
  public let fix: String
  /// The document that the sender violates, where the bug was observed, or what it is inferred from.
  public let source: String
  /// The possible effects. Most bugs have one.
  package let effects: [Effect]

  /// The effect of a bug on the bytes.
  package enum Effect: Sendable {
    /// Frames are written in one of these ways.
    case writing([FaultyWriter.Writing])
    /// The payload length is that of the frame before.
    case lengthOfPrevious
    /// Bytes that belong to no frame precede a frame, such as `example` for a frame of some size. They belong to the
    /// preceding frame if they can only follow one. `match` describes the bytes of a range: `a byte order mark`, or
    /// returns nil; `frame` is the next frame.
    case between(
      _ example: @Sendable (_ size: Int) -> [UInt8], followsFrame: Bool = false,
      match: @Sendable (_ range: Range<Int>, _ frame: Range<Int>, _ bytes: Span<UInt8>) -> String?)
    /// One byte is missing or extra.
    case byte(isLost: Bool)
    /// The end of a frame is missing.
    case cut
    /// Pieces of two frames alternate.
    case interleaving
  }

  package init(
    _ id: String, _ title: String, why: String, fix: String, source: String, _ effects: Effect...
  ) {
    self.id = id
    self.title = title
    self.why = why
    self.fix = fix
    self.source = source
    self.effects = effects
  }

  /// Creates a bug that is one of these deviations.
  init(
    _ id: String, _ title: String, why: String, fix: String, source: String, deviations: [Deviation]
  ) {
    self.init(id, title, why: why, fix: fix, source: source, .writing(deviations.map { FaultyWriter.Writing($0) }))
  }

  public static func == (one: RootCause, other: RootCause) -> Bool { one.id == other.id }
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The registry of known sender bugs. To add one, write a row in the file of its family and name it here.
package enum RootCauses {
  package static let all: [RootCause] = [
    .payloadLengthInCharacters, .lengthInOneByte, .lengthsLittleEndian, .lengthsSigned, .tokenLengthConstant,
    .tokenLengthOfHexText, .tokenLengthToNUL, .lengthIncludesItself, .lengthsSwapped, .lengthOfPrevious,
    .lengthOneTooLarge, .frameLengthWithoutHeaders, .frameLengthWithHeader, .frameLengthInHalf, .priorityLengthFour,
    .lengthWrong, .fieldsOutOfOrder, .lengthMissing, .lengthsTooWide, .lengthsTooNarrow, .frameLengthWrongWidth,
    .structPadding, .numberTooWide, .numberTooNarrow, .fieldMissing, .itemHeadersMissing, .itemIDsShifted, .trailingNUL,
    .trailingNewline, .staleBytes, .enhancedFieldsAfterCommand0, .commandOfAnotherType, .commandAsDigit,
    .commandUnknown, .commandMissing, .commandAdded, .tokenAsHexText, .tokenAsDecimalList, .tokenAsBase64,
    .tokenReadAsBase64, .tokenThroughLatin1, .tokenThroughString, .numberAsText, .payloadInLatin1,
    .payloadPercentEncoded, .payloadAsPythonBytes, .streamThroughLatin1, .streamThroughString, .streamWithCRLF,
    .streamSwappedInPairs, .byteOrderMark, .lengthPrefix, .zerosBetween, .textBetween, .tlsRecordBetween,
    .socksGreeting, .byteLost, .byteAdded, .bytesMissing, .writersInterleaved, .lengthsFormat, .numberFormat,
    .zerosLeftOut, .expiryUnit, .tokenEncoding, .tokenSize, .payloadEncoding, .payloadSyntax, .payloadPadding,
    .frameEncoding, .itemHeaders, .framesDivided, .foreignBytes, .bytesInside,
  ]

  /// The bugs by what they write: the first deviation of each way to write frames, and others of its dimension.
  private static let byDeviation: [Deviation: RootCause] = all.reduce(into: [:]) { causes, cause in
    for case .writing(let writings) in cause.effects {
      for deviations in writings.map(\.deviations) {
        for own in deviations where own.dimension == deviations[0].dimension { causes[own] = causes[own] ?? cause }
      }
    }
  }

  /// The bug that writes in this way; nil if it has no name of its own.
  static subscript(deviation: Deviation) -> RootCause? { byDeviation[deviation] }

  /// The bug with this ``RootCause/id``; nil if there is none.
  package static subscript(id: String) -> RootCause? { all.first { $0.id == id } }
}
