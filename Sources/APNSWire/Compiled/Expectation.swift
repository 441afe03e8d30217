/// What is usual and plausible in a field, as trivial values: asked at every place where a frame may begin.
package struct Expectation: BitwiseCopyable, Sendable {
  let kind: Kind
  private let least: Int
  private let most: Int
  /// Negative where there is none.
  private let usual: Int
  /// Of a number; else negative.
  private let size: Int
  /// Of a code: the documented values below 256, a bit for each.
  private var codes = InlineArray<4, UInt64>(repeating: 0)

  enum Kind: UInt8, BitwiseCopyable, Sendable { case json, date, code, other }

  package init(_ field: Field) {
    (least, most) = (field.plausible?.lowerBound ?? 0, field.plausible?.upperBound ?? .max)
    usual = field.usual ?? -1
    size = field.size ?? -1
    switch field.content {
    case .json: kind = .json
    case .integer(_, .unixSeconds): kind = .date
    // Greater numbers would need the names themselves: any is plausible then.
    case .integer(_, .code(let names, _)) where names.keys.allSatisfy({ $0 < 256 }):
      kind = .code
      for code in names.keys { codes[Int(code >> 6)] |= 1 << (code & 63) }
    default: kind = .other
    }
  }

  /// A value of so many bytes may be one that a real sender wrote.
  func allows(_ size: Int) -> Bool { size >= least && size <= most }

  /// So many bytes are what its content takes.
  package func fits(_ size: Int) -> Bool { self.size < 0 || self.size == size }

  /// Bytes that a value of a plausible frame has.
  package var sizes: ClosedRange<Int> { size < 0 ? least...most : size...size }

  package var isJSON: Bool { kind == .json }

  /// Whether a real sender may have written this value; of one that is cut, what there is of it.
  func isPlausible(_ leaf: FieldRef, in bytes: Span<UInt8>) -> Bool {
    guard allows(leaf.declared) else { return false }
    switch kind {
    case .json:
      guard leaf.count > 0 else { return true }
      let opens = bytes[leaf.start] == UInt8(ascii: "{")
      guard opens, leaf.state == .cut || bytes[leaf.end - 1] == UInt8(ascii: "}") else { return false }
      // Every frame has a zero byte among its lengths: a payload with one has swallowed another frame.
      return !bytes.extracting(leaf.range).hasZero
    case .code:
      guard let value = leaf.integer(in: bytes) else { return true }
      return value < 256 && codes[Int(value >> 6)] & 1 << (value & 63) != 0
    case .date, .other:
      return true
    }
  }

  /// The size that is declared, where it is not the usual one.
  func unusualSize(of leaf: FieldRef) -> Int? { usual >= 0 && leaf.declared != usual ? leaf.declared : nil }
}

extension Span<UInt8> {
  /// All are looked at, without a branch: hardly any text has one.
  fileprivate var hasZero: Bool {
    var least = UInt8.max
    for index in indices { least = Swift.min(least, self[index]) }
    return least == 0
  }
}
