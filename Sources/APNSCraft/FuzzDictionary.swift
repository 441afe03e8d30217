import APNSPayload
import APNSWire
import Octets

/// A dictionary for libFuzzer and AFL++ with tokens that random mutation rarely produces: headers, limits of numbers,
/// documented keys, and pieces that break JSON.
package struct FuzzDictionary {
  /// The entries, each with a unique value. Names need not be unique; `text` appends the index.
  package private(set) var words: [(name: String, bytes: [UInt8])] = []
  private var known: Set<[UInt8]> = []

  /// Builds the dictionary from the frame types of a catalog.
  package init(_ catalog: Catalog) {
    for schema in catalog.schemas { add(schema) }
    if catalog.fields.contains(where: \.isJSON) { addJSON() }
  }

  /// The file contents: one `name="value"` per line.
  package var text: String {
    words.enumerated().map { "\($1.name)_\($0)=\"\(Self.escaped($1.bytes))\"\n" }.joined()
  }

  private mutating func add(_ schema: FrameSchema) {
    if let command = schema.command { add("command", [command.rawValue]) }
    for path in schema.paths {
      guard let field = path.field else { continue }
      let width = path.lengthWidth
      if let item = path.item {
        // The item header: id and length.
        let size = UInt64(field.size ?? field.usual ?? 0)
        add(item.name.replacing("-", with: "_"), [item.id.rawValue] + [UInt8](bigEndian: size, width: width))
      } else if let length = path.lengthName?.member {
        if let usual = field.usual { add(length, [UInt8](bigEndian: UInt64(usual), width: width)) }
        addLimits(length, width)
      }
      guard case .integer(let size, let meaning) = field.content else { continue }
      if case .code(let names, _) = meaning {
        for code in names.keys.sorted() { add(field.name.member, [UInt8](bigEndian: code, width: size)) }
      } else {
        addLimits(field.name.member, size, and: [0, 1])
      }
    }
  }

  /// Adds some numbers, then the largest value, the largest signed value, and the smallest signed value.
  private mutating func addLimits(_ name: String, _ width: Int, and others: [UInt64] = []) {
    let most = UInt64.max >> UInt64(64 - width * 8)
    for bound in others + [most, most >> 1, (most >> 1) + 1] { add(name, [UInt8](bigEndian: bound, width: width)) }
  }

  private mutating func addJSON() {
    for key in PayloadKey.all { add("key", Array("\"\(key.name)\":".utf8)) }
    let texts = ["\\u00e9", "\\ud83c", "é", "🎉", "\u{feff}"]
    let pieces = ["{\"aps\":{", "}}", "[", "null", "true", "1e999", "-0"] + texts
    for piece in pieces.map({ Array($0.utf8) }) + [[0xff], [0]] { add("json", piece) }
  }

  /// Adds a value once. Names may contain only letters, digits and underscores.
  private mutating func add(_ name: String, _ bytes: [UInt8]) {
    guard known.insert(bytes).inserted else { return }
    let plain = name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    words.append((String(plain), bytes))
  }

  private static func escaped(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): "\\" + String(UnicodeScalar(byte))
      case 0x20..<0x7f: String(UnicodeScalar(byte))
      default: "\\x" + byte.hexDigits
      }
    }.joined()
  }
}
