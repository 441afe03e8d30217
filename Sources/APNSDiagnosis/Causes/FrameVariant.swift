import APNSWire

/// A frame type as the format has it, or as one bug writes it.
final class FrameVariant: Sendable {
  /// nil for the format's own.
  let cause: Int?
  let words: String
  let writing: Writing
  let slip: FrameReader.Slipping
  /// What a reader asks of each field, in the order of the writing's.
  let fields: [Shape]
  /// Of its items, if it has any.
  let list: FieldPath?
  /// nil where it may be any.
  private let first: UInt8?
  /// Of the payload that follows a token of any size, the width of its length; nil if something else may follow.
  let lengthAfterToken: Int?

  struct Shape: BitwiseCopyable {
    let role: Field.Role
    let isJSON: Bool
    /// Of an item as this variant writes it; nil for a field of the frame itself.
    let id: UInt8?
    let size: Int?
    /// In the format, not as it is written here.
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

  /// The first field of that role.
  func index(of role: Field.Role) -> Int? { fields.firstIndex { $0.role == role } }

  var isOwn: Bool { cause == nil }
}
