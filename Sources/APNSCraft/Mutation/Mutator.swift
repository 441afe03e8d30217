import APNSDiagnosis
import APNSWire
import Octets

/// One way to make a test case: a valid variant of a frame, or a frame with exactly one rule broken.
public struct Mutator: Sendable {
  /// A stable kebab-case name: the change, the field and the frame type.
  public let name: String
  /// The change in a few words.
  package let title: String
  /// The rule that it breaks; nil if the frame stays valid, or if it writes a sender's bug, which may break any rule.
  public let rule: Rule?
  /// The sender's bug that it writes; nil if there is none.
  public let cause: RootCause?
  /// The frame type that it changes.
  package let frameType: String
  let apply: Apply

  /// Changes the frame of the context. Returns nil if the frame or the edition does not permit the change. Throws if
  /// the frame cannot be built.
  typealias Apply = @Sendable (inout MutationContext) throws -> Change?

  init(
    _ name: String, _ title: String, rule: Rule? = nil, cause: RootCause? = nil, of schema: FrameSchema,
    apply: @escaping Apply
  ) {
    self.name = name + "-" + schema.name
    self.title = title
    self.rule = rule
    self.cause = cause
    self.frameType = schema.name
    self.apply = apply
  }

  /// A mutator of one field, whose name follows in its name.
  @inline(never)
  init(
    _ name: String, _ title: String, rule: Rule? = nil, of target: FieldPath, apply: @escaping Apply
  ) {
    self.init("\(name)-\(target.name)", title, rule: rule, of: target.schema, apply: apply)
  }

  /// The rule or bug that its cases count towards, or `valid`.
  var group: String { rule?.id ?? cause?.id ?? "valid" }
  var isValid: Bool { rule == nil && cause == nil }
  /// Whether its cases should be rare, because they are large.
  var isRare: Bool { rule == .oversizedFrame }
}

/// What a mutator works on: a frame, and the means to make others.
struct MutationContext: Sendable {
  let definitions: Definitions
  var maker: FrameMaker
  var frame: FrameDraft
  /// A frame type of the same role that can be used without findings; nil if there is none.
  let companion: FrameSchema?
  /// The frames before the changed one.
  var precedingFrames: [FrameDraft] = []

  var edition: Edition { maker.edition }
  var catalog: Catalog { definitions.catalog }

  /// Makes an unchanged frame; nil if the role has no type for it.
  mutating func companionFrame() -> FrameDraft? { companion.map { maker.frame($0) } }

  /// The bytes of two unchanged frames; nil if the role has no type for them.
  mutating func twoFrames() throws -> [UInt8]? {
    guard let one = companionFrame(), let other = companionFrame() else { return nil }
    return try one.bytes() + other.bytes()
  }

  /// A change whose label is what dissecting the stream finds; nil unless a finding is the wanted one.
  func dissected(
    _ sentence: String, _ bytes: [UInt8], isFirst: Bool = false, where isOwn: (Finding) -> Bool
  ) throws -> Change? {
    let before = isFirst ? [] : try precedingFrames.flatMap { try $0.bytes() }
    let found = findings(in: before + bytes, role: frame.schema.role, edition: edition, by: definitions)
    guard let own = found.first(where: isOwn) else { return nil }
    return Change(sentence: sentence, bytes: bytes, isFirst: isFirst, findings: [own] + found)
  }

  /// Writes a false length. Returns a sentence about it, or nil if there is no such value.
  mutating func falsify(about path: FieldPath, _ claimed: UInt64) -> String? {
    guard let size = frame.size(of: path), frame.setLength(of: path, to: claimed) else { return nil }
    return "the \(path.lengthTitle) was changed from \(size) to \(claimed)"
  }
}

/// A mutator's change and its expected consequences.
struct Change: Sendable {
  /// A sentence that names the field and both values.
  var sentence: String
  /// Other rules that are broken as a consequence.
  var follows: [Rule] = []
  /// The changed bytes, if they cannot be built from the frame.
  var bytes: [UInt8]?
  /// The severity of the rule in this case, if it differs from the default.
  var severity: Finding.Severity?
  /// Why the gateway refuses the frame, if it is not the rule's usual reason.
  var refusal: Refusal?
  /// Whether no other frames may precede it.
  var isFirst = false
  /// What dissecting finds, the finding that the case is about first; empty if the mutator knows the label.
  var findings: [Finding] = []
}

extension FrameDraft {
  /// Writes a value, or removes it if it is nil. Returns the change in words; nil if the value was the same.
  mutating func change(_ path: FieldPath, to value: FieldDraft?) -> String? {
    let old = self
    guard old[path] != value else { return nil }
    self[path] = value
    if case (.integer(let old)?, .integer(let new)?) = (old[path], value) {
      return "the \(path.title) was changed from \(old) to \(new)"
    }
    guard let oldSize = old.size(of: path) else { return "\(path.itemTitle) was added" }
    guard let size = size(of: path) else { return "\(path.itemTitle) was removed" }
    return "the \(path.title) of \(plural(oldSize, "byte")) was replaced by one of \(size)"
  }
}

extension FieldPath {
  /// The field in kebab-case, for a mutator's name.
  var name: String { (item?.name ?? field?.name.member ?? "").replacing("_", with: "-") }
  var title: String { field?.name.title ?? "" }
  /// The length field of the value, in words.
  var lengthTitle: String { isItem ? "length of \(itemTitle)" : "length of the \(title)" }
  var itemTitle: String { "item \(item?.id.rawValue ?? 0) (\(title))" }
  var highestLength: UInt64 { UInt64.max >> UInt64(64 - max(lengthWidth, 1) * 8) }
}

extension FrameSchema {
  /// The first value with this role. Other JSON may serve as a payload.
  func path(of role: Field.Role) -> FieldPath? {
    paths.first { $0.field?.role == role } ?? (role == .payload ? paths.first { $0.field?.isJSON == true } : nil)
  }
}
