import APNSDiagnosis
import APNSWire
import TestSupport
import Testing

/// Device tokens that are none.
@Suite struct TokenTests {
  private static let digits = goodToken.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  private static let grouped = stride(from: 0, to: 64, by: 8).map { digits.dropFirst($0).prefix(8) }
    .joined(separator: " ")

  /// Token, and the one thing that is said of it in the editions of 2013 and 2017.
  static let tokens: [(String, [UInt8], String?, String?)] = [
    ("good", goodToken, nil, nil),
    ("64 digits", Array(digits.utf8), "token-as-hex-text 5", "token-as-hex-text 8"),
    ("64 capitals", Array(digits.uppercased().utf8), "token-as-hex-text 5", "token-as-hex-text 8"),
    ("65 digits", Array((digits + "0").utf8), "token-as-hex-text 5", "token-as-hex-text 8"),
    ("64 digits and a line end", Array((digits + "\n").utf8), "token-as-hex-text 5", "token-as-hex-text 8"),
    ("64 digits and a NUL", Array((digits + "\0").utf8), "token-as-hex-text 5", "token-as-hex-text 8"),
    (
      "two lines", Array((digits.prefix(32) + "\n" + digits.suffix(32)).utf8), "token-as-description 5",
      "token-as-description 8"
    ),
    ("62 digits", Array(digits.dropLast(2).utf8), "token-as-hex-text 5", "token-as-hex-text 8"),
    ("128 digits", Array((digits + digits).utf8), "token-as-hex-text 5", "token-as-hex-text 5"),
    ("half of them", Array(digits.prefix(32).utf8), "token-as-hex-text", "token-as-hex-text"),
    ("described", Array("<\(grouped)>".utf8), "token-as-description 5", "token-as-description 8"),
    ("grouped", Array(grouped.utf8), "token-as-description 5", "token-as-description 8"),
    ("described and cut", Array("<\(grouped)>".utf8.prefix(32)), "token-as-description 8", "token-as-description 8"),
    ("null", Array("(null)".utf8), "token-as-description 5", "token-as-description 8"),
    ("nothing described", Array("<>".utf8), "token-as-description 5", "token-as-description 8"),
    (
      "newer description", Array("{length = 32, bytes = 0xfc13adff 785122b4 ... 7c991de8 f01c9fa3 }".utf8),
      "token-as-description 5", "token-as-description 8"
    ),
    ("zeros", [UInt8](repeating: 0, count: 32), "token-all-zero 8", "token-all-zero 8"),
    ("40 zeros", [UInt8](repeating: 0, count: 40), "token-all-zero 5", "token-all-zero 8"),
    ("8 zeros behind", goodToken.prefix(24) + [UInt8](repeating: 0, count: 8), "token-padded", "token-padded"),
    ("7 zeros behind", goodToken.prefix(25) + [UInt8](repeating: 0, count: 7), nil, nil),
    ("filled up to 100", goodToken + [UInt8](repeating: 0, count: 68), "token-length 5", "token-padded"),
    ("short", Array(goodToken.prefix(9)), "token-length 5", nil),
    ("empty", [], "empty-token 2", "empty-token 2"),
    // Text, but too little of it to say so.
    ("14 digits", Array(digits.prefix(14).utf8), "token-length 5", nil),
  ]

  @Test(arguments: tokens) func oneThingIsSaid(_ name: String, _ token: [UInt8], _ old: String?, _ new: String?) {
    for (edition, expected) in [(Edition.year2013, old), (.year2017, new)] {
      let found = findings(in: enhanced(7, 1_384_819_200, token), edition: edition)
      #expect(found.map(label) == (expected.map { [$0] } ?? []), "\(edition)")
      #expect(found.allSatisfy { ($0.severity == .error) == ($0.answer != nil) })
    }
  }

  private func label(_ finding: Finding) -> String {
    if case .status(let code)? = finding.answer { return "\(finding.rule) \(code)" }
    return finding.rule
  }

  @Test func theMeantTokenIsSaid() {
    for text in [Self.digits, Self.digits.uppercased(), "<\(Self.grouped)>"] {
      let found = findings(in: notification(7, 1_384_819_200, Array(text.utf8)))
      #expect(found.first?.message.contains(Self.digits) == true)
    }
  }

  /// A service that writes such a token refuses nothing.
  @Test func whatTheServiceWritesIsNoError() {
    for (_, token, _, _) in Self.tokens {
      let found = findings(in: feedback(1_384_732_800, token), role: .feedback)
      #expect(found.allSatisfy { $0.severity < .error && $0.answer == nil })
    }
  }

  /// Real tokens are random.
  @Test func randomTokensAreGood() {
    var random = SeededGenerator(seed: runSeed)
    var stream = JudgedStream()
    for identifier in 1...100_000 { stream.append(enhanced(identifier, 1_384_819_200, random.bytes(32))) }
    let found = stream.finish()
    #expect(found == [], "APNSCOPE_SEED=\(runSeed)")
  }
}
