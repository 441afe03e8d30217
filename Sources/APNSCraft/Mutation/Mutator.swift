import APNSDiagnosis
import APNSWire
import Octets

/// One way to make a test case: a frame that is right in a special way, or one with exactly one rule broken.
public struct Mutator: Sendable {
  /// Stable, kebab-case: what is done, and to which field of which frame type.
  public let name: String
  /// What is done, in a few words.
  public let title: String
  /// The rule that it breaks; nil where the frame stays valid, and where a sender's bug breaks what it may.
  public let rule: Rule.ID?
  /// The sender's bug that it runs forwards; nil where it is none.
  public let cause: RootCause.ID?
  /// The frame type that it changes.
  public let frameType: String
  /// Its cases are large, so that they come seldom.
  let isRare: Bool
  let apply: Apply

  /// Changes the frame on the bench; nil where that frame, or the edition, does not let it. Throws if it
  /// cannot be built.
  typealias Apply = @Sendable (inout Bench) throws -> Change?

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

  /// A sender's bug.
  init(_ name: String, _ cause: RootCause, of schema: FrameSchema, apply: @escaping Apply) {
    self.init(name, cause.title, cause: RootCause.ID(rawValue: cause.id), of: schema, apply: apply)
  }

  /// What its cases are counted under: the rule, or else the bug; empty for valid ones.
  var group: String { rule?.rawValue ?? cause?.rawValue ?? "" }
}

/// What a mutator works on: the last frame of a stream.
struct Bench: Sendable {
  let catalog: Catalog
  var maker: FrameMaker
  var frame: FrameDraft
  /// A whole frame of the same role with nothing to remark on; nil where the role has no such type.
  let companion: FrameSchema?
  /// The frames before the one that is changed.
  var front: [FrameDraft] = []

  var edition: Edition { maker.edition }

  mutating func company() -> FrameDraft? { companion.map { maker.frame($0) } }

  /// The bytes of two companions; nil where the role has no such type.
  mutating func twoFrames() throws -> [UInt8]? {
    guard let one = company(), let other = company() else { return nil }
    return try one.bytes() + other.bytes()
  }

  /// Replaces a value, and says so; nil if there is none.
  mutating func replace(_ path: FieldPath, by value: [UInt8]) -> String? {
    guard let old = frame.size(of: path) else { return nil }
    frame[path] = .octets(value)
    return "the \(path.title) of \(old) bytes was replaced by one of \(value.count)"
  }

  /// Writes a length that is not the value's size, and says so; nil if there is no value.
  mutating func lie(about path: FieldPath, _ told: UInt64) -> String? {
    guard let size = frame.size(of: path), frame.setLength(of: path, to: told) else { return nil }
    return "the \(path.lengthTitle) was changed from \(size) to \(told)"
  }

  /// Moves the item to the end of its list, which is allowed; false if there is no such item.
  mutating func moveLast(_ path: FieldPath) -> Bool {
    guard let list = path.list, var items = frame[items: list],
      let index = items.firstIndex(where: { $0.id == path.items.last })
    else { return false }
    items.append(items.remove(at: index))
    frame[items: list] = items
    return true
  }
}

/// What a mutator did, and what has to come of it.
struct Change: Sendable {
  /// A sentence with the field and both values.
  var sentence: String
  /// Rules that are broken with it.
  var follows: [Rule.ID] = []
  /// In place of the frame's bytes.
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

// A path in the words of mutators.
extension FieldPath {
  /// Kebab-case, for a mutator's name.
  var name: String { (item?.name ?? field?.name.member ?? "").replacing("_", with: "-") }
  var title: String { field?.name.title ?? "" }
  /// The length before it, in words.
  var lengthTitle: String { isItem ? "length of \(itemTitle)" : "length of the \(title)" }
  var itemTitle: String { "item \(item?.id.rawValue ?? 0) (\(title))" }
  var highestLength: UInt64 { UInt64.max >> UInt64(64 - max(lengthWidth, 1) * 8) }
  /// The size as a little-endian length says it.
  func byteSwapped(_ size: Int) -> UInt64 { UInt64(size).byteSwapped >> UInt64(64 - lengthWidth * 8) }
}

extension FrameSchema {
  /// The first value of that role.
  func path(of role: Field.Role) -> FieldPath? { paths.first { $0.field?.role == role } }
}

extension [UInt8] {
  /// Up to eight bytes as a number; nil where they are not there.
  func number(at start: Int, width: Int) -> Int? {
    guard start >= 0, width <= 7, start + width <= count else { return nil }
    return span.number(at: start, width: width)
  }
}
