import APNSDiagnosis
import APNSWire

/// One way to make a test case: a frame that is right in a special way, or one with exactly one rule broken.
public struct Mutator: Sendable {
  /// Stable, kebab-case: what is done, and to which field of which frame type.
  public let name: String
  /// What is done, in a few words.
  public let title: String
  /// The rule that it breaks; nil where the frame stays valid.
  public let rule: Rule.ID?
  /// The sender's bug that it runs forwards; nil where it is none.
  public let cause: RootCause.ID?
  /// The frame type that it changes.
  public let frameType: String
  /// Its cases are large, so that they come seldom.
  let isRare: Bool
  let apply: Apply

  /// Changes the frame on the bench; nil where that frame, or the edition, does not let it.
  typealias Apply = @Sendable (inout Bench) -> Change?

  init(
    _ name: String, _ title: String, rule: Rule.ID? = nil, cause: RootCause.ID? = nil, of schema: FrameSchema,
    isRare: Bool = false, apply: @escaping Apply
  ) {
    self.name = name + "-" + schema.name
    self.title = title
    self.rule = rule
    self.cause = cause
    self.frameType = schema.name
    self.isRare = isRare
    self.apply = apply
  }
}

/// What a mutator works on: the last frame of a stream.
struct Bench: Sendable {
  let catalog: Catalog
  var maker: FrameMaker
  var frame: PieceFrame
  /// A whole frame of the same role with nothing to remark on; nil where the role has no such type.
  let companion: FrameSchema?
  /// The frames before the one that is changed.
  var front: [PieceFrame] = []

  var edition: Edition { maker.edition }

  mutating func company() -> PieceFrame? { companion.map { maker.frame($0) } }

  /// The item last in its list, which is allowed; false where it is none, or is not there.
  mutating func moveLast(_ path: Piece.Path) -> Bool {
    guard path.count > 1, frame[path] != nil else { return false }
    return frame.edit(Array(path.dropLast())) { list in
      guard let index = list.pieces?.firstIndex(where: { $0.name == path.last }),
        let moved = list.pieces?.remove(at: index)
      else { return }
      list.pieces?.append(moved)
    }
  }
}

/// What a mutator did, and what has to come of it.
struct Change: Sendable {
  /// A sentence with the field and both values.
  var sentence: String
  /// Rules that are broken with it.
  var follows: [Rule.ID] = []
  /// In place of the frame's bytes as they are in pieces now.
  var bytes: [UInt8]?
  /// Behind the frame.
  var behind: [UInt8] = []
  /// What the rule weighs here, where that is not its own weight.
  var severity: Finding.Severity?
  /// Why the gateway refuses it, if not for the rule's usual reason.
  var refusal: Refusal?
  /// No frame stands before it.
  var isAlone = false
}

/// A piece that every frame of a type has: what mutators are derived from.
struct Target: Sendable {
  let schema: FrameSchema
  let path: Piece.Path
  let field: Field?
  let item: Item?
  let width: Int

  var isItem: Bool { item != nil }
  /// Kebab-case, for a mutator's name.
  var name: String { (path.last ?? "").replacing("_", with: "-") }
  var title: String { field?.name.title ?? path.last ?? "" }
  /// The length before it, in words.
  var lengthTitle: String { isItem ? "length of item \(item?.id.rawValue ?? 0) (\(title))" : "length of the \(title)" }

  static func all(of schema: FrameSchema) -> [Target] {
    schema.parts.flatMap { part -> [Target] in
      switch part {
      case .command:
        [Target(schema: schema, path: ["command"], field: nil, item: nil, width: 0)]
      case .fixed(let field):
        [Target(schema: schema, path: [field.name.member], field: field, item: nil, width: 0)]
      case .counted(let field, let width, _):
        [Target(schema: schema, path: [field.name.member], field: field, item: nil, width: width)]
          + inner(of: field, at: [field.name.member], schema)
      }
    }
  }

  private static func inner(of field: Field, at path: Piece.Path, _ schema: FrameSchema) -> [Target] {
    guard case .items(let items) = field.content else { return [] }
    return items.flatMap { item in
      let own = path + [item.name]
      return [Target(schema: schema, path: own, field: item.field, item: item, width: 2)]
        + inner(of: item.field, at: own, schema)
    }
  }
}
