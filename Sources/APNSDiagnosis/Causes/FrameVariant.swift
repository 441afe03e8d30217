import APNSWire

/// A frame type as the format defines it, or as one bug distorts it.
final class FrameVariant: Sendable {
  /// The index of the bug; nil for the correct format.
  let cause: Int?
  let words: String
  let writing: Writing
  let slip: FrameReader.Slipping
  /// The properties of each field that the reader needs, in the order of the writing's fields.
  let fields: [Shape]
  /// The list of its items, if it has any.
  let list: FieldPath?
  /// The first byte of a frame; nil if it may be any byte.
  private let first: UInt8?
  /// The width of the payload's length if the payload follows a token of any size; nil if something else may follow.
  let lengthAfterToken: Int?

  struct Shape: BitwiseCopyable {
    let role: Field.Role
    let isJSON: Bool
    /// The item's id as this variant writes it; nil for a field of the frame itself.
    let id: UInt8?
    let size: Int?
    /// The size in the format, which may differ from the size here.
    let standardSize: Int?
    let usual: Int?
    let lengthWidth: Int
    let isVerbatim: Bool
    let countsDecoded: Bool
    let hasRest: Bool

    fileprivate init(_ field: Writing.WrittenField, _ items: Writing.ItemForm) {
      role = field.field.role
      isJSON = field.field.isJSON
      id = field.item.map { $0.rawValue &+ items.shift }
      size = field.size
      standardSize = field.field.size
      usual = field.field.usual
      lengthWidth = field.lengthWidth
      isVerbatim = field.coding.isVerbatim
      countsDecoded = field.countsDecoded
      hasRest = field.rest != .nothing
    }
  }

  init(_ writing: Writing, cause: Int?, _ words: String = "", slip: FrameReader.Slipping = .none) {
    self.writing = writing
    self.cause = cause
    self.words = words
    self.slip = slip
    let fields = writing.fields.map { Shape($0, writing.items) }
    self.fields = fields
    list = writing.schema.lists.first
    let steps = writing.steps
    lengthAfterToken =
      steps.indices.dropLast(2).lazy.compactMap { index -> Int? in
        guard case .value(let token) = steps[index], fields[token].role == .token,
          case .length(let payload) = steps[index + 1], steps[index + 2] == .value(payload), fields[payload].isJSON
        else { return nil }
        return fields[payload].lengthWidth
      }.first
    let isFirst = slip == .none && writing.steps.first == .command
    first = isFirst ? writing.schema.command.flatMap { writing.command.byte(for: $0.rawValue) } : nil
  }

  func mayBegin(with byte: UInt8) -> Bool { first == nil || first == byte }

  /// The index of the first field with this role.
  func index(of role: Field.Role) -> Int? { fields.firstIndex { $0.role == role } }

  var isOwn: Bool { cause == nil }
}
