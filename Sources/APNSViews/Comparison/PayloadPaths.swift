import APNSPayload
import Octets

/// Splits JSON into values with key paths, such as `payload.aps.badge` or `payload.x.0`.
///
/// Different values have different paths: a key that is empty, a number, or contains a dot or quote is quoted.
enum PayloadPaths {
  /// Longer paths are not compared, so that a hostile payload cannot make the output larger than the input squared.
  private static let longestPath = 200

  /// The values without members; nil if the text is not JSON or has a very long path.
  static func values(of name: String, _ text: [UInt8]) -> [RecordPart]? {
    guard let root = try? JSONValue(text.span, range: text.indices) else { return nil }
    var values: [RecordPart] = []
    func add(_ value: JSONValue, _ path: String) -> Bool {
      guard path.utf8.count <= longestPath else { return false }
      let children: [(step: String, value: JSONValue)] =
        switch value.content {
        case .object(let members): members.map { (step(of: $0.keyRange, in: text.span), $0.value) }
        case .array(let elements): elements.enumerated().map { (String($0), $1) }
        case .string, .number, .bool, .null: []
        }
      if children.isEmpty { values.append(RecordPart(path, .json, Array(text[value.range]))) }
      return children.allSatisfy { add($0.value, path + "." + $0.step) }
    }
    return add(root, name) ? values : nil
  }

  /// The step to the value of a key.
  private static func step(of key: Range<Int>, in text: Span<UInt8>) -> String {
    guard let bytes = JSONValue.unescape(key, in: text) else {
      // Half of a surrogate pair: the source text.
      return String(decoding: key.map { text[$0] }, as: UTF8.self)
    }
    let name = String(decoding: bytes, as: UTF8.self)
    let isSimple = !bytes.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "\"") }
    if isSimple, !bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) { return name }
    return "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
