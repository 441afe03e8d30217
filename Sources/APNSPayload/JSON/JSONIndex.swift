import Octets

/// The values of one JSON text by their places, in the order in which they begin. It keeps its storage, so that one text
/// after the other costs no allocation.
///
/// Most texts of a stream have the *form* of an earlier one: the same bytes around values of the same kinds. Those bytes
/// are compared then, and only strings and numbers are read; that they are well-formed follows.
public struct JSONIndex: Sendable {
  /// The first is the text's one value.
  public private(set) var values: [Value] = []
  /// The number of the text's form, less than ``formCount``; texts of one form have the same keys.
  public private(set) var form = 0
  /// The number meant another form, or none, before this text was read.
  public private(set) var isNewForm = true

  public static let formCount = rememberedForms + 1
  private static let rememberedForms = 32
  /// Of texts with more values no form is remembered.
  private static let mostValues = 256

  private var forms = [Form](repeating: Form(), count: rememberedForms)

  public init() {}

  public struct Value: Sendable, BitwiseCopyable {
    /// Of an object or array, that of its opening bracket.
    public let kind: JSONScanner.Kind
    /// Of a string: a backslash is in it.
    public fileprivate(set) var hasEscapes: Bool
    public let keyHasEscapes: Bool
    fileprivate var start: UInt32
    fileprivate var end: UInt32
    fileprivate var keyStart: UInt32
    fileprivate var keyEnd: UInt32
    /// While a container is open, the one around it.
    fileprivate var following: UInt32

    /// Brackets and quotes included.
    public var range: Range<Int> { Int(start)..<Int(end) }
    /// Quotes included; empty outside objects.
    public var keyRange: Range<Int> { Int(keyStart)..<Int(keyEnd) }
    /// Index of the first value that is not in this one.
    public var next: Int { Int(following) }

    fileprivate var isContainer: Bool { kind == .beginObject || kind == .beginArray }

    @inline(__always)
    fileprivate init(_ token: JSONScanner.Token, key: JSONScanner.Token?, following: UInt32) {
      kind = token.kind
      hasEscapes = token.hasEscapes
      keyHasEscapes = key?.hasEscapes ?? false
      start = UInt32(truncatingIfNeeded: token.start)
      end = UInt32(truncatingIfNeeded: token.end)
      keyStart = UInt32(truncatingIfNeeded: key?.start ?? 0)
      keyEnd = UInt32(truncatingIfNeeded: key?.end ?? 0)
      self.following = following
    }

    /// What precedes it is longer by `distance`, or shorter.
    @inline(__always)
    fileprivate mutating func move(by distance: UInt32) {
      start &+= distance
      end &+= distance
      keyStart &+= distance
      keyEnd &+= distance
    }
  }

  /// Reads a text in place of the one before.
  /// - Precondition: it is shorter than 4 GiB.
  public mutating func read(_ text: [UInt8]) throws(JSONError) {
    precondition(text.count < UInt32.max)
    let slot = Self.slot(of: text.span)
    values.removeAll(keepingCapacity: values.count < 1 << 16)
    if readLike(forms[slot], text.span) {
      (form, isNewForm) = (slot, false)
      forms[slot].credit = Form.mostCredit
      return
    }
    values.removeAll(keepingCapacity: true)
    (form, isNewForm) = (Self.rememberedForms, true)
    try readAll(text.span)
    // A form that most texts have outlasts a few others.
    forms[slot].credit -= 1
    guard forms[slot].credit < 0, values.count <= Self.mostValues, text.count < 1 << 14 else { return }
    forms[slot] = Form(text: text, values: values)
    form = slot
  }

  private mutating func readAll(_ text: Span<UInt8>) throws(JSONError) {
    var scanner = JSONScanner(0..<text.count)
    var key: JSONScanner.Token?
    var open: UInt32 = 0
    while let token = try scanner.next(in: text) {
      let index = UInt32(truncatingIfNeeded: values.count)
      switch token.kind {
      case .key:
        key = token
      case .beginObject, .beginArray:
        values.append(Value(token, key: key, following: open))
        open = index
        key = nil
      case .endObject, .endArray:
        let closed = Int(open)
        open = values[closed].following
        values[closed].end = UInt32(truncatingIfNeeded: token.end)
        values[closed].following = index
      case .string, .number, .true, .false, .null:
        values.append(Value(token, key: key, following: index + 1))
        key = nil
      }
    }
  }
}

// Forms.
extension JSONIndex {
  /// A text, for what it has apart from its strings and numbers.
  private struct Form: Sendable {
    var text: [UInt8] = []
    var values: [Value] = []
    /// How many texts of other forms it outlasts.
    var credit = 0

    static let mostCredit = 8
  }

  /// By a few bytes that differ between forms: in records, the type is there.
  private static func slot(of text: Span<UInt8>) -> Int {
    guard text.count >= 32 else { return 0 }
    let mixed = (text.word(at: 16) ^ text.word(at: 24) &* 3) &* 0x9e37_79b9_7f4a_7c15
    return Int(mixed >> 59)
  }

  /// Whether the text has that form; its values are then read.
  private mutating func readLike(_ form: Form, _ text: Span<UInt8>) -> Bool {
    guard !form.values.isEmpty else { return false }
    values.append(contentsOf: form.values)
    let formText = form.text.span
    var scanner = JSONScanner(0..<text.count)
    // The end of the last value in the form's text, and how much further it is in this text.
    var end = 0
    var shift = 0
    for index in values.indices {
      var value = values[index]
      let start = Int(value.start)
      let formEnd = Int(value.end)
      value.move(by: UInt32(truncatingIfNeeded: shift))
      if !value.isContainer {
        let (before, left) = (end..<start, text.count - end - shift)
        // Many values are the same in each text. The byte after one shows where it ends.
        let withNext = end..<(formEnd + 1)
        if left >= withNext.count, formEnd < formText.count, formText.isEqual(withNext, to: text, from: end + shift) {
          end = formEnd
        } else {
          guard left > before.count, formText.isEqual(before, to: text, from: end + shift),
            let token = try? scanner.scalar(at: start + shift, in: text), token.kind == value.kind
          else { return false }
          end = formEnd
          shift = token.end - formEnd
          value.end = UInt32(truncatingIfNeeded: token.end)
          value.hasEscapes = token.hasEscapes
        }
      }
      values[index] = value
    }
    guard text.count - end - shift == formText.count - end,
      formText.isEqual(end..<formText.count, to: text, from: end + shift)
    else { return false }
    // Inner containers come after outer ones.
    for index in values.indices.reversed() where values[index].isContainer {
      let last = values[index].next - 1
      let (new, old) = (values[last], form.values[last])
      values[index].end = form.values[index].end &+ (last == index ? new.start &- old.start : new.end &- old.end)
    }
    return true
  }
}
