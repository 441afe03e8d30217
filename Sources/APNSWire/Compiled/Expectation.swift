import Octets

/// The role and the plausible contents of a field, as trivial values: it is consulted wherever a frame might begin.
package struct Expectation: BitwiseCopyable, Sendable {
  package let role: Field.Role
  package let kind: Kind
  /// The least size in bytes that a real sender could have written.
  let least: Int
  private let most: Int
  /// The usual size in bytes; nil if there is none.
  package let usual: Int?
  /// The size in bytes of a number; nil for other content.
  package let size: Int?
  /// The documented values of a code below 256, one bit each.
  private var codes = InlineArray<4, UInt64>(repeating: 0)

  package enum Kind: UInt8, BitwiseCopyable, Sendable { case json, date, code, other }

  package init(_ field: Field) {
    (least, most) = (field.plausible?.lowerBound ?? 0, field.plausible?.upperBound ?? .max)
    (role, usual, size) = (field.role, field.usual, field.size)
    switch field.content {
    case .json: kind = .json
    case .integer(_, .unixSeconds): kind = .date
    // Larger codes do not fit into the bits: all of their values are plausible.
    case .integer(_, .code(let names, _)) where names.keys.allSatisfy({ $0 < 256 }):
      kind = .code
      for code in names.keys { codes[Int(code >> 6)] |= 1 << (code & 63) }
    default: kind = .other
    }
  }

  /// Whether a real sender could have written a value of this size in bytes.
  package func allows(_ size: Int) -> Bool { size >= least && size <= most }

  /// Whether a value of this size in bytes is longer than a real sender could have written.
  func exceeds(_ size: Int) -> Bool { size > most }

  package var isJSON: Bool { kind == .json }

  /// Whether a code has this documented value; true for other numbers.
  package func isDocumented(_ value: UInt64) -> Bool {
    kind != .code || value < 256 && codes[Int(value >> 6)] & 1 << (value & 63) != 0
  }

  /// Whether a real sender could have written this value, or this beginning of a value that is cut.
  func isPlausible(_ leaf: FieldRef, in bytes: Span<UInt8>) -> Bool {
    guard allows(leaf.declared) else { return false }
    switch kind {
    case .json:
      guard leaf.count > 0 else { return true }
      let opens = bytes[leaf.start] == UInt8(ascii: "{")
      guard opens, leaf.state == .cut || bytes[leaf.end - 1] == UInt8(ascii: "}") else { return false }
      // Every frame has a zero byte in its lengths, so a payload that contains one has swallowed another frame.
      return bytes.first(0, in: leaf.range) == nil
    case .code: return leaf.integer(in: bytes).map(isDocumented) ?? true
    case .date, .other:
      return true
    }
  }
}
