import Octets

/// Changes one value in a JSON text. All other bytes stay unchanged: number spellings, the order of keys, and white
/// space.
public enum JSONEdit {
  /// Replaces the value at `path` with `value`, which must be JSON.
  ///
  /// - Parameters:
  ///   - path: keys, or indices of arrays in decimal. If only the last key is missing, it is added at the end of its
  ///     object.
  ///   - value: a JSON value.
  ///   - text: one JSON value.
  /// - Returns: the changed text; nil if `path` leads nowhere.
  /// - Throws: ``JSONError`` if `text` is not one JSON value.
  public static func setting(
    _ path: [String], to value: [UInt8], in text: [UInt8]
  ) throws(JSONError) -> [UInt8]? {
    let root = try JSONValue(text.span, range: 0..<text.count)
    guard let place = find(path[...], in: root) else { return nil }
    var edited = Array(text[..<place.range.lowerBound])
    if let key = place.newKey {
      edited += (place.isFirst ? [] : [UInt8(ascii: ",")]) + quoted(key) + [UInt8(ascii: ":")]
    }
    edited += value
    edited += text[place.range.upperBound...]
    return edited
  }

  /// The text as a JSON string, quotes included.
  public static func quoted(_ text: String) -> [UInt8] {
    var out: [UInt8] = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): out += [UInt8(ascii: "\\"), byte]
      case 0..<0x20: out += Array("\\u00\(byte.hexDigits)".utf8)
      default: out.append(byte)
      }
    }
    return out + [UInt8(ascii: "\"")]
  }

  private struct Target {
    var range: Range<Int>
    var newKey: String?
    var isFirst = false
  }

  // The recursion is bounded, because the scanner rejects deep nesting.
  private static func find(_ path: ArraySlice<String>, in value: JSONValue) -> Target? {
    guard let step = path.first else { return Target(range: value.range, newKey: nil) }
    let rest = path.dropFirst()
    switch value.content {
    case .object(let members):
      // Parsers use the last of repeated keys. Compares bytes, because `==` considers both spellings of é equal.
      if let member = members.last(where: { $0.key.utf8.elementsEqual(step.utf8) }) {
        return find(rest, in: member.value)
      }
      guard rest.isEmpty else { return nil }
      let end = value.range.upperBound - 1
      return Target(range: end..<end, newKey: step, isFirst: members.isEmpty)
    case .array(let values):
      guard let index = Int(step), values.indices.contains(index), String(index) == step else { return nil }
      return find(rest, in: values[index])
    default:
      return nil
    }
  }
}
