import APNSPayload
import TestSupport
import Testing

@Suite struct JSONIndexTests {
  /// A text whose form is known has the same values as for an index that knows no form, and the same error.
  @Test func readsKnownFormsLikeUnknownOnes() {
    var index = Self.emptyIndex
    var known: [[String]: Int] = [:]
    for run in 0..<20_000 {
      let seed = runSeed &+ UInt64(run)
      var random = RandomStream(seed: seed)
      var text = Array(Self.records.randomElement(using: &random.generator)!.utf8)
      text = random.generator.chance(30) ? random.mutated(text) : Self.filled(text, &random.generator)
      var other = Self.emptyIndex
      let comment: Comment = "APNSCOPE_SEED=\(seed) \(String(decoding: text, as: UTF8.self))"
      let result = Self.read(text, &index)
      #expect(result == Self.read(text, &other), comment)
      if case .success(let values) = result { known[values.map { String($0.prefix(2)) }, default: 0] += 1 }
    }
    #expect(known.values.count { $0 > 100 } >= Self.records.count)
  }

  private static var emptyIndex: JSONIndex {
    JSONIndex { key in (UInt16(key.count), key.count == 5) }
  }

  private static func read(_ text: [UInt8], _ index: inout JSONIndex) -> Result<[String], JSONError> {
    do throws(JSONError) {
      try index.read(text)
      return .success(
        index.values.map { value in
          "\(value.kind.rawValue) \(value.range) \(value.key) \(value.keyOffset) \(value.next) \(value.hasEscapes)"
        })
    } catch { return .failure(error) }
  }

  /// Each `#` becomes a number, and each `$` the characters of a string.
  private static let records = [
    #"{"a":#,"bc":"$","def":"$"}"#, #"{"a":#,"items":[{"a":#,"bc":"$"},{"def":"$","a":#}],"bcdf":[#,"$",{}]}"#,
    #"{"items":[],"bc":null}"#, #" {"bc" : "$", "items":[ {"items":[{"a":"$"}]} ],"a":{"a":{"bc":#}} } "#, "[#]",
  ]

  private static func filled(_ record: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    record.flatMap { byte -> [UInt8] in
      switch byte {
      case UInt8(ascii: "#"): Array(["0", "-1.5e3", "true", "1234567890"].randomElement(using: &generator)!.utf8)
      case UInt8(ascii: "$"):
        Array(["", "Привет", #"a\"b"#, #"\ud83c\udf89"#, "a much longer text"].randomElement(using: &generator)!.utf8)
      default: [byte]
      }
    }
  }
}
