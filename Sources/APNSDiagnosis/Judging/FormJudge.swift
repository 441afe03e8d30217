import APNSPayload
import APNSWire
import Octets

/// Judges frames by their form. The form of a frame is what remains without its values.
///
/// All rules judge the first frame of a form, and their findings are remembered as a verdict. In later frames of the
/// form, only the values are checked, by functions that the rules use too. If all values are ordinary, the verdict
/// applies. Otherwise the rules judge the frame.
struct FormJudge {
  private let layouts: FrameLayouts
  private let inspector: Inspector
  private var facts: FrameFacts
  private var forms = PayloadForms()
  private var outline = PayloadOutline()
  private var remembered = [(form: Form, result: Result)?](repeating: nil, count: Form.slots)
  var verdicts = Verdicts()
  /// Whether no rule depends on more than the form and the values.
  private let isUsable: Bool

  /// The verdict on a form, as an index of ``Verdicts``, and whether frames of this form omit items.
  private typealias Result = (verdict: Int, omitsItems: Bool)

  /// Everything in a frame with ordinary values that the rules can depend on.
  private struct Form: Equatable, BitwiseCopyable {
    /// The form of the payload, the frame type, the priority, and whether there are escapes.
    private let values: UInt64
    /// Which items there are, and their order.
    private let order: UInt64

    @inline(__always)
    init(_ reading: PayloadForms.Reading, schema: UInt8, priority: UInt8, order: UInt64) {
      values = UInt64(reading.form) << 32 | UInt64(schema) << 16 | UInt64(priority) << 8 | (reading.hasEscapes ? 1 : 0)
      self.order = order
    }

    var schema: UInt8 { UInt8(truncatingIfNeeded: values >> 16) }

    /// The verdict is in this slot or in the adjacent one.
    @inline(__always)
    var slot: Int {
      let mixed = (values &+ order &* 0xff51_afd7_ed55_8ccd) &* 0x9e37_79b9_7f4a_7c15
      return Int(mixed >> 52)
    }

    static let slots = 1 << 12
  }

  init(_ definitions: Definitions, _ inspector: Inspector) {
    let edition = inspector.policy.edition
    layouts = FrameLayouts(definitions.catalog, edition)
    self.inspector = inspector
    facts = FrameFacts(definitions.catalog, edition)
    facts.role = .provider
    isUsable = definitions.families.allSatisfy { $0.dependence == .form }
  }

  /// The provider's frame at `start`, captured at `time` in seconds since 1970. Returns nil if the rules themselves
  /// must judge it, because its layout or a value is not ordinary.
  @inline(__always)
  mutating func frame(at start: Int, in bytes: Span<UInt8>, time: Int?) -> JudgedFrame? {
    guard isUsable, let frame = layouts.frame(at: start, in: bytes) else { return nil }
    let identifier = frame[.identifier].isEmpty ? nil : bytes.uint32(at: frame[.identifier].lowerBound)
    let expiry = frame[.expiry].isEmpty ? nil : bytes.uint32(at: frame[.expiry].lowerBound)
    let (priority, token) = (frame[.priority], frame[.token])
    // The cheapest check comes first.
    guard identifier != 0, expiry.map({ Expiry(Int($0), sent: time).isOrdinary }) ?? true,
      priority.isEmpty || isDocumentedPriority(bytes[priority.lowerBound]),
      TokenShape(of: token, in: bytes).isOrdinary(token.count), let result = result(on: frame, from: start, bytes)
    else { return nil }
    return JudgedFrame(
      count: frame.end - start, identifier: identifier, expiry: expiry,
      mark: RepeatedRun.mark(of: bytes.extracting(start..<frame.end)), verdict: result.verdict, schema: frame.schema,
      omitsItems: result.omitsItems)
  }
}

/// The result of ``FormJudge`` for one frame.
struct JudgedFrame: BitwiseCopyable {
  let count: Int
  let identifier: UInt32?
  let expiry: UInt32?
  /// The hash for ``RepeatedRun``.
  let mark: UInt32
  /// The verdict of the rules about single frames, as an index of ``Verdicts``.
  let verdict: Int
  let schema: UInt8
  let omitsItems: Bool
}

// MARK: - Forms

extension FormJudge {
  @inline(__always)
  private mutating func result(on frame: FrameValues, from start: Int, _ bytes: Span<UInt8>) -> Result? {
    let (payload, priority) = (frame[.payload], frame[.priority])
    guard !payload.isEmpty, ordinaryPayloads.contains(payload.count),
      let reading = forms.read(bytes, payload) ?? newReading(payload, bytes)
    else { return nil }
    let form = Form(
      reading, schema: frame.schema, priority: priority.isEmpty ? 0 : bytes[priority.lowerBound], order: frame.order)
    var slot = form.slot
    if remembered[slot]?.form != form { slot ^= 1 }
    if let known = remembered[slot], known.form == form { return known.result }
    return judge(form, start..<frame.end, bytes)
  }

  @inline(never)
  private mutating func newReading(_ payload: Range<Int>, _ bytes: Span<UInt8>) -> PayloadForms.Reading? {
    // Framing doubts all other payloads.
    guard bytes[payload.lowerBound] == UInt8(ascii: "{"), bytes[payload.upperBound - 1] == UInt8(ascii: "}"),
      forms.wantsToLearn()
    else { return nil }
    outline.read(bytes, payload)
    return outline.error == nil ? forms.learn(outline, bytes, payload) : nil
  }

  /// Judges the first frame of a form by all rules, as if no frame preceded it. Findings that depend on earlier frames
  /// are not remembered.
  @inline(never)
  private mutating func judge(_ form: Form, _ range: Range<Int>, _ bytes: Span<UInt8>) -> Result? {
    let bytes = bytes.extracting(range)
    facts.read(FrameRef(start: 0, end: bytes.count, schema: form.schema, condition: .complete), bytes)
    guard facts.isSound, !facts.isSuspicious else { return nil }
    guard let verdict = verdicts.index(of: inspector.findings(on: facts, bytes)) else { return nil }
    // Of the two entries, the older one is replaced.
    remembered[form.slot ^ 1] = remembered[form.slot]
    let result = (verdict, facts.omitsItems)
    remembered[form.slot] = (form, result)
    return result
  }
}
