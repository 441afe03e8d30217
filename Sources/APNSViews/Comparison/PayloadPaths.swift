import APNSPayload
import Octets

/// Splits JSON into values with key paths, such as `payload.aps.badge` or `payload.x.0`.
///
/// Different values have different paths: a key that is empty, a number, or contains a dot or quote is quoted.
enum PayloadPaths {
  /// Longer paths are not compared, so that a hostile payload cannot make the output larger than the input squared.
  private static let longestPath = 200

  /// The values without members; nil if the text is not JSON or has a very long path.
  static func values(of name: String, _ text: Span<UInt8>) -> [RecordPart]? {
    var values: [RecordPart] = []
    var scanner = JSONScanner(0..<text.count)
    var path = name
    /// The open containers: the length of the path to each, and the index of the next element of an array.
    var open: [(path: Int, index: Int?, isEmpty: Bool, start: Int)] = []
    func enter(_ step: String) -> Bool {
      path += "." + step
      return path.utf8.count <= longestPath
    }
    func add(_ range: Range<Int>) {
      values.append(RecordPart(path, .json, [UInt8](copying: text.extracting(range))))
    }
    func leave() { if let last = open.last { path = String(path.utf8.prefix(last.path)) ?? path } }
    do throws(JSONError) {
      while let token = try scanner.next(in: text) {
        if token.kind == .endObject || token.kind == .endArray {
          let closed = open.removeLast()
          if closed.isEmpty { add(closed.start..<token.end) }
          leave()
          continue
        }
        if let last = open.indices.last {
          open[last].isEmpty = false
          if let index = open[last].index {
            open[last].index = index + 1
            guard enter(String(index)) else { return nil }
          }
        }
        switch token.kind {
        case .key:
          guard enter(step(of: token.range, in: text)) else { return nil }
        case .beginObject, .beginArray:
          open.append((path.utf8.count, token.kind == .beginArray ? 0 : nil, true, token.start))
        default:
          add(token.range)
          leave()
        }
      }
    } catch {
      return nil
    }
    return values
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
