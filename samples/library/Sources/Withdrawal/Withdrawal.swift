// MARK: Schema
import APNSWire

/// Command 32: the provider withdraws a notification that is still queued.
///
///      0         1            5       6                7         7+C
///     +---------+------------+-------+----------------+---------+
///     | command | identifier | scope | comment length | comment |
///     |   32    |            |       |       C        | C bytes |
///     +---------+------------+-------+----------------+---------+
///          1          4          1           1             C
public enum Withdrawal {
  public static let schema = FrameSchema(
    "withdrawal", title: "Withdrawal", role: .provider, command: 32,
    parts: [
      .fixed(.identifier),
      .fixed(
        Field(
          "scope", "scope",
          .integer(bytes: 1, .code([1: "one device", 2: "all devices"], named: true)))),
      .counted(Field("comment", "comment", .text, plausible: 0...80), by: .uint8),
    ],
    reference: "our gateway's manual, chapter 4")
}

// MARK: Catalog
/// The frame types that Apple documented, and ours.
public let catalog = Catalog.standard.adding(Withdrawal.schema)

// MARK: Framing
/// The names of the frame types in a provider's bytes; nil for bytes that belong to no frame.
public func frameTypes(in bytes: Span<UInt8>) -> [String?] {
  var framer = Framer(catalog, role: .provider)
  var types: [String?] = []
  var position = 0
  while let frame = framer.next(at: position, in: bytes, isFinal: true) {
    types.append(catalog.schema(of: frame)?.name)
    position = frame.end
  }
  return types
}

// MARK: Fields
/// The values of the first frame: the member name of each, and the range of its bytes.
public func values(in bytes: Span<UInt8>) -> [(name: String, range: Range<Int>)] {
  let frame = catalog.frame(at: 0, in: bytes, of: .provider)
  var values: [(name: String, range: Range<Int>)] = []
  catalog.forEachField(of: frame, in: bytes) { leaf in
    guard leaf.kind == .value, let field = catalog.field(of: leaf) else { return }
    values.append((field.name.member, leaf.range))
  }
  return values
}

// MARK: Encoding
/// A withdrawal; the length of the comment is computed.
public func withdrawal(
  of identifier: UInt32, scope: UInt8, comment: String
) throws(EncodeError) -> [UInt8] {
  var draft = FrameDraft(Withdrawal.schema)
  draft.values["identifier"] = .integer(UInt64(identifier))
  draft.values["scope"] = .integer(UInt64(scope))
  draft.values["comment"] = .octets(Array(comment.utf8))
  return try draft.bytes()
}
