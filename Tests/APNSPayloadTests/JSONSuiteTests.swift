import APNSPayload
import Testing

/// The cases of the public JSON Parsing Test Suite (github.com/nst/JSONTestSuite), written again: what every parser must
/// take, what none may, and what RFC 8259 leaves to each.
@Suite struct JSONSuiteTests {
  @Test(
    arguments: [
      // Arrays
      "[[]   ]", #"[""]"#, "[]", #"["a"]"#, "[false]", #"[null, 1, "1", {}]"#, "[null]", "[1\n]", " [1]",
      "[1,null,null,null,2]", "[2] ", "[true]", " [] ", "[\"a\"]\n",
      // Numbers
      "[123e65]", "[0e+1]", "[0e1]", "[ 4]",
      "[-0.000000000000000000000000000000000000000000000000000000000000000000000000000001]", "[20e1]", "[-0]", "[-123]",
      "[-1]", "[1E22]", "[1E-2]", "[1E+2]", "[123e45]", "[123.456e78]", "[1e-2]", "[1e+2]", "[123]", "[123.456789]",
      // Objects
      #"{"asd":"sdf", "dfg":"fgh"}"#, #"{"asd":"sdf"}"#, #"{"a":"b","a":"c"}"#, #"{"a":"b","a":"b"}"#, "{}",
      #"{"":0}"#, #"{"foo\u0000bar": 42}"#, #"{ "min": -1.0e+28, "max": 1.0e+28 }"#,
      #"{"x":[{"id": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}], "id": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#,
      #"{"a":[]}"#, #"{"title":"\u041f\u043e\u043b\u0442\u043e\u0440\u0430 \u0417\u0435\u043c\u043b\u0435\u043a"}"#,
      "{\n\"a\": \"b\"\n}",
      // Strings
      #"["\u0060\u012a\u12AB"]"#, #"["\uD801\udc37"]"#, #"["\ud83d\ude39\ud83d\udc8d"]"#, #"["\"\\\/\b\f\n\r\t"]"#,
      #"["\\u0000"]"#, #"["\""]"#, #"["a/*b*/c/*d//e"]"#, #"["\\a"]"#, #"["\\n"]"#, #"["\u0012"]"#, #"["\uFFFF"]"#,
      #"["asd"]"#, #"[ "asd"]"#, #"["\uDBFF\uDFFF"]"#, #"["new\u00A0line"]"#, "[\"\u{10ffff}\"]", "[\"\u{ffff}\"]",
      #"["\u0000"]"#, #"["\u002c"]"#, "[\"π\"]", "[\"\u{1bfff}\"]", #"["asd "]"#, #"" ""#, #"["\uD834\uDd1e"]"#,
      #"["\u0821"]"#, #"["\u0123"]"#, "[\"\u{2028}\"]", "[\"\u{2029}\"]", #"["\u0061\u30af\u30EA\u30b9"]"#,
      #"["new\u000Aline"]"#, "[\"\u{7f}\"]", #"["\uA66D"]"#, #"["\u005C"]"#, "[\"⍂㈴⍂\"]", #"["\uDBFF\uDFFE"]"#,
      #"["\uD83F\uDFFE"]"#, #"["\u200B"]"#, #"["\u2064"]"#, #"["\uFDD0"]"#, #"["\uFFFE"]"#, #"["\u0022"]"#,
      "[\"€𝄞\"]", "[\"a\u{7f}a\"]",
      // Values that stand alone
      "false", "42", "-0.1", "null", #""asd""#, "true", #""""#,
    ] as [JSONText])
  func takes(_ text: JSONText) { #expect(text.error == nil) }

  @Test(
    arguments: [
      ("[1 true]", .missingComma, 3), (.text("[a?]", 0xe5), .notAValue, 1), (#"["": 1]"#, .missingComma, 3),
      (#"[""],"#, .extraBytes, 4), ("[,1]", .notAValue, 1), ("[1,,2]", .notAValue, 3), (#"["x",,]"#, .notAValue, 5),
      (#"["x"]]"#, .extraBytes, 5), (#"["",]"#, .trailingComma, 3), (#"["x""#, .unexpectedEnd, 4),
      ("[x", .notAValue, 1), ("[3[4]]", .missingComma, 2), (.text("[?]", 0xff), .notAValue, 1),
      ("[1:2]", .missingComma, 2), ("[,]", .notAValue, 1), ("[-]", .badNumber, 1), (#"[   , ""]"#, .notAValue, 4),
      ("[\"a\",\n4\n,1,", .unexpectedEnd, 11), ("[1,]", .trailingComma, 2), ("[1,,]", .notAValue, 3),
      ("[\"\u{0b}a\"\\f]", .controlCharacter, 2), ("[*]", .notAValue, 1), (#"[""#, .unexpectedEnd, 2),
      ("[1,", .unexpectedEnd, 3), ("[1,\n1\n,1", .unexpectedEnd, 8), ("[{}", .unexpectedEnd, 3),
    ] as [(JSONText, JSONError.Code, Int)])
  func refusesArray(_ text: JSONText, _ code: JSONError.Code, _ offset: Int) {
    #expect(text.error == JSONError(code, at: offset))
  }

  @Test(
    arguments: [
      ("[fals]", .notAValue, 1), ("[nul]", .notAValue, 1), ("[tru]", .notAValue, 1), ("[True]", .notAValue, 1),
      ("[++1234]", .notAValue, 1), ("[+1]", .notAValue, 1), ("[+Inf]", .notAValue, 1), ("[.-1]", .notAValue, 1),
      ("[.2e-3]", .notAValue, 1), ("[.123]", .notAValue, 1), ("[Inf]", .notAValue, 1), ("[NaN]", .notAValue, 1),
      ("[１]", .notAValue, 1), ("[Infinity]", .notAValue, 1),
      // A number that can't end where it does is wrong as a whole.
      ("[-01]", .badNumber, 1), ("[-2.]", .badNumber, 1), ("[-NaN]", .badNumber, 1), ("[0.3e+]", .badNumber, 1),
      ("[0.3e]", .badNumber, 1), ("[0.e1]", .badNumber, 1), ("[0E+]", .badNumber, 1), ("[0E]", .badNumber, 1),
      ("[0e+]", .badNumber, 1), ("[0e]", .badNumber, 1), ("[1.0e+]", .badNumber, 1), ("[1.0e-]", .badNumber, 1),
      ("[1.0e]", .badNumber, 1), ("[1eE2]", .badNumber, 1), ("[2.e+3]", .badNumber, 1), ("[2.e-3]", .badNumber, 1),
      ("[2.e3]", .badNumber, 1), ("[9.e+]", .badNumber, 1), ("[0e+-1]", .badNumber, 1), ("[-Infinity]", .badNumber, 1),
      ("[-foo]", .badNumber, 1), ("[- 1]", .badNumber, 1), ("[-012]", .badNumber, 1), ("[-.123]", .badNumber, 1),
      ("[1ea]", .badNumber, 1), (.text("[1e?]", 0xe5), .badNumber, 1), ("[1.]", .badNumber, 1),
      ("[012]", .badNumber, 1),
      // A number that can is followed by something else.
      ("[-1.0.]", .missingComma, 5), ("[0.1.2]", .missingComma, 4), ("[1 000.0]", .missingComma, 3),
      ("[1+2]", .missingComma, 2), ("[0x1]", .missingComma, 2), ("[0x42]", .missingComma, 2),
      ("[-123.123foo]", .missingComma, 9), (.text("[123?]", 0xe5), .missingComma, 4),
      (.text("[1e1?]", 0xe5), .missingComma, 4), (.text("[0?]\n", 0xe5), .missingComma, 2),
      ("[-1x]", .missingComma, 3), ("[1.2a-3]", .missingComma, 4), ("[1.8011670033376514H-308]", .missingComma, 19),
      ("123\0", .extraBytes, 3), ("2@", .extraBytes, 1),
    ] as [(JSONText, JSONError.Code, Int)])
  func refusesNumberOrLiteral(_ text: JSONText, _ code: JSONError.Code, _ offset: Int) {
    #expect(text.error == JSONError(code, at: offset))
  }

  @Test(
    arguments: [
      (#"["x", truth]"#, .notAValue, 6), ("{[: \"x\"}\n", .keyNotString, 1), (#"{"x", null}"#, .missingColon, 4),
      (#"{"x"::"b"}"#, .notAValue, 5), ("{🇨🇭}", .keyNotString, 1), (#"{"a":"a" 123}"#, .missingComma, 9),
      ("{key: 'value'}", .keyNotString, 1), (.text(#"{"?":"0",}"#, 0xb9), .notUTF8, 2), (#"{"a" b}"#, .missingColon, 5),
      (#"{:"b"}"#, .keyNotString, 1), (#"{"a" "b"}"#, .missingColon, 5), (#"{"a":"#, .unexpectedEnd, 5),
      (#"{"a""#, .unexpectedEnd, 4), ("{1:1}", .keyNotString, 1), ("{9999E9999:1}", .keyNotString, 1),
      ("{null:null,null:null}", .keyNotString, 1), (#"{"id":0,,,,,}"#, .keyNotString, 8), ("{'a':0}", .keyNotString, 1),
      (#"{"id":0,}"#, .trailingComma, 7), (#"{"a":"b"}/**/"#, .extraBytes, 9), (#"{"a":"b"}/**//"#, .extraBytes, 9),
      (#"{"a":"b"}//"#, .extraBytes, 9), (#"{"a":"b"}/"#, .extraBytes, 9), (#"{"a":"b",,"c":"d"}"#, .keyNotString, 9),
      (#"{a: "b"}"#, .keyNotString, 1), (#"{"a":"a"#, .unexpectedEnd, 7),
      (#"{ "foo" : "bar", "a" }"#, .missingColon, 21),
      (#"{"a":"b"}#"#, .extraBytes, 9), (#"{"a":"b"}#{}"#, .extraBytes, 9), (#"{"a":/*comment*/"b"}"#, .notAValue, 5),
      (#"{"a": true} "x""#, .extraBytes, 12), (#"{"x": true,"#, .unexpectedEnd, 11), (#"{"":"#, .unexpectedEnd, 4),
      ("{}}", .extraBytes, 2), ("{", .unexpectedEnd, 1), ("{]", .keyNotString, 1), ("{,", .keyNotString, 1),
      ("{[", .keyNotString, 1), (#"{"a"#, .unexpectedEnd, 3), ("{'a'", .keyNotString, 1),
      (#"{"asd":"asd""#, .unexpectedEnd, 12),
    ] as [(JSONText, JSONError.Code, Int)])
  func refusesObject(_ text: JSONText, _ code: JSONError.Code, _ offset: Int) {
    #expect(text.error == JSONError(code, at: offset))
  }

  @Test(
    arguments: [
      (#"["\uD800\"]"#, .unexpectedEnd, 11), (#"["\uD800\u"]"#, .badEscape, 8), (#"["\uD800\u1"]"#, .badEscape, 8),
      (#"["\uD800\u1x"]"#, .badEscape, 8), ("[é]", .notAValue, 1), ("[\"\\\0\"]", .badEscape, 2),
      (#"["\x00"]"#, .badEscape, 2), (#"["\\\"]"#, .unexpectedEnd, 7), ("[\"\\\t\"]", .badEscape, 2),
      ("[\"\\🌀\"]", .badEscape, 2), (#"["\"]"#, .unexpectedEnd, 5), (#"["\u00A"]"#, .badEscape, 2),
      (#"["\uD834\uDd"]"#, .badEscape, 8), (#"["\uD800\uD800\x"]"#, .badEscape, 14),
      (.text(#"["\u?"]"#, 0xe5), .badEscape, 2), (#"["\a"]"#, .badEscape, 2), (#"["\uqqqq"]"#, .badEscape, 2),
      (.text(#"["\?"]"#, 0xe5), .badEscape, 2), (#"[\u0020"asd"]"#, .notAValue, 1), (#"[\n]"#, .notAValue, 1),
      ("\"", .unexpectedEnd, 1), ("['single quote']", .notAValue, 1), ("abc", .notAValue, 0),
      (#"["\"#, .unexpectedEnd, 3), ("[\"a\0a\"]", .controlCharacter, 3), ("[\"new\nline\"]", .controlCharacter, 5),
      ("[\"\t\"]", .controlCharacter, 2), (#""\UA66D""#, .badEscape, 1), (#"""x"#, .extraBytes, 2),
      (#"["asd]"#, .unexpectedEnd, 6), (#"["\{["\{["\{["\{"#, .badEscape, 2), (#"[\u000A""]"#, .notAValue, 1),
      (#"["a"#, .unexpectedEnd, 3), (#"["a""#, .unexpectedEnd, 4),
    ] as [(JSONText, JSONError.Code, Int)])
  func refusesString(_ text: JSONText, _ code: JSONError.Code, _ offset: Int) {
    #expect(text.error == JSONError(code, at: offset))
  }

  @Test(
    arguments: [
      ("", .empty, 0), (" ", .empty, 1), ("[\u{2060}]", .notAValue, 1), ([0xef, 0xbb, 0xbf], .byteOrderMark, 0),
      ("<.>", .notAValue, 0), ("[<null>]", .notAValue, 1), ("[1]x", .extraBytes, 3), ("[1]]", .extraBytes, 3),
      ("aå", .notAValue, 0), ("å", .notAValue, 0), ("1]", .extraBytes, 1), ("[][]", .extraBytes, 2),
      ("]", .notAValue, 0), ([0xef, 0xbb, 0x7b, 0x7d], .notAValue, 0), ([0xe5], .notAValue, 0),
      ([0xe9], .notAValue, 0), ("[", .unexpectedEnd, 1), ("[\0]", .notAValue, 1), ("['", .notAValue, 1),
      ("[,", .notAValue, 1), ("[{", .unexpectedEnd, 2), ("*", .notAValue, 0), ("[1", .unexpectedEnd, 2),
      ("[ false, nul", .unexpectedEnd, 12), ("[ true, fals", .unexpectedEnd, 12), ("[ false, tru", .unexpectedEnd, 12),
      ("[\u{0c}]", .notAValue, 1), (JSONText(Array(repeating: 0x5b, count: 100_000)), .tooDeep, 512),
      (JSONText(Array(String(repeating: #"[{"":"#, count: 50_000).utf8)), .tooDeep, 1280),
    ] as [(JSONText, JSONError.Code, Int)])
  func refusesStructure(_ text: JSONText, _ code: JSONError.Code, _ offset: Int) {
    #expect(text.error == JSONError(code, at: offset))
  }
}

/// What RFC 8259 leaves open, and how it is decided here.
@Suite struct JSONOpenCaseTests {
  /// Section 6 lets a reader bound numbers. Nothing is computed with them here, so there is no bound to fall over.
  @Test(
    arguments: [
      "[123.456e-789]", "[0.4e00669999999999999999999999999999999999999999999999999999999999999999999999999999999969]",
      "[-1e+9999]", "[1.5e+9999]", "[-123123e100000]", "[123123e100000]", "[123e-10000000]",
      "[-123123123123123123123123123123]", "[100000000000000000000]",
      "[-237462374673276894279832749832423479823246327846]",
    ] as [JSONText])
  func takesNumbersOfAnySize(_ text: JSONText) { #expect(text.error == nil) }

  /// Section 8.2: the grammar has them, and what readers make of them differs. So it is no error, and the outline tells.
  @Test(
    arguments: [
      (#"{"\uDFAA":0}"#, 2..<8), (#"["\uDADA"]"#, 2..<8), (#"["\uD888\u1234"]"#, 2..<8), (#"["\uD800\n"]"#, 2..<8),
      (#"["\uDd1ea"]"#, 2..<8), (#"["\uD800\uD800\n"]"#, 2..<8), (#"["\ud800"]"#, 2..<8), (#"["\ud800abc"]"#, 2..<8),
      (#"["\uDd1e\uD834"]"#, 2..<8), (#"["\uDFAA"]"#, 2..<8),
    ] as [(JSONText, Range<Int>)])
  func takesAndTellsHalfPairs(_ text: JSONText, _ half: Range<Int>) {
    #expect(text.error == nil)
    var outline = PayloadOutline()
    outline.read(text.bytes.span, 0..<text.bytes.count)
    #expect(outline.text.loneSurrogate == half)
  }

  /// Section 8.1: between systems it is UTF-8, which RFC 3629 bounds.
  @Test(
    arguments: [
      (.text(#"["日ш?"]"#, 0xfa), 7), (.text(#"["?"]"#, 0xed, 0xa0, 0x80), 2), (.text(#"["?"]"#, 0xff), 2),
      (.text(#"["?"]"#, 0xe9), 2), (.text(#"["?"]"#, 0x81), 2), (.text(#"["?"]"#, 0xf4, 0xbf, 0xbf, 0xbf), 2),
      (.text(#"["?"]"#, 0xc0, 0xaf), 2), (.text(#"["?"]"#, 0xfc, 0x83, 0xbf, 0xbf, 0xbf, 0xbf), 2),
      (.text(#"["?"]"#, 0xfc, 0x80, 0x80, 0x80, 0x80, 0x80), 2), (.text(#"["?"]"#, 0xe0, 0xff), 2),
    ] as [(JSONText, Int)])
  func refusesWhatIsNotUTF8(_ text: JSONText, _ offset: Int) {
    #expect(text.error == JSONError(.notUTF8, at: offset))
  }

  /// Section 8.1 again; the first zero would be named otherwise, which helps nobody.
  @Test(
    arguments: [
      ([0xff, 0xfe, 0x5b, 0, 0x22, 0, 0xe9, 0, 0x22, 0, 0x5d, 0], .utf16LittleEndian),
      ([0, 0x5b, 0, 0x22, 0, 0xe9, 0, 0x22, 0, 0x5d], .utf16BigEndian),
      ([0x5b, 0, 0x22, 0, 0xe9, 0, 0x22, 0, 0x5d, 0], .utf16LittleEndian), ([0x7b, 0], .utf16LittleEndian),
      ([0, 0x7b], .utf16BigEndian), ([0xfe, 0xff], .utf16BigEndian), ([0xff, 0xfe], .utf16LittleEndian),
      ([0x20, 0, 0x7b, 0, 0x7d, 0], .utf16LittleEndian), ([0x37, 0, 0x38, 0], .utf16LittleEndian),
      ([0x5b, 0, 0, 0, 0x5d, 0, 0, 0], .utf32LittleEndian), ([0, 0, 0, 0x7b], .utf32BigEndian),
      ([0xff, 0xfe, 0, 0], .utf32LittleEndian), ([0, 0, 0xfe, 0xff], .utf32BigEndian),
    ] as [(JSONText, JSONError.Code)])
  func namesUTF16AndUTF32(_ text: JSONText, _ code: JSONError.Code) { #expect(text.error == JSONError(code, at: 0)) }

  @Test(
    arguments: [
      ([0x37, 0], .extraBytes, 1), ([0x37, 0, 0, 0], .extraBytes, 1), ("{}\0", .extraBytes, 2),
      ([0, 0, 0, 0x37], .notAValue, 0), ([0], .notAValue, 0), ("[\0]", .notAValue, 1), ("\"\0\"", .controlCharacter, 1),
    ] as [(JSONText, JSONError.Code, Int)])
  func takesNoOtherZeroForUTF16(_ text: JSONText, _ code: JSONError.Code, _ offset: Int) {
    #expect(text.error == JSONError(code, at: offset))
  }

  /// A parser may ignore a mark, and may refuse it; strict ones refuse.
  @Test func refusesAByteOrderMark() {
    #expect(JSONText("\u{feff}{}").error == JSONError(.byteOrderMark, at: 0))
  }

  /// A parser may bound depth.
  @Test func takesFiveHundredLevels() {
    let text = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
    #expect(JSONText(stringLiteral: text).error == nil)
  }

  /// Text cut inside a character is another mistake than text in another encoding.
  @Test(
    arguments: [
      (.text(#"{"a":"é?"#, 0xc3), .cutCharacter, 8), (.text(#""?"#, 0xe2), .cutCharacter, 1),
      (.text(#""?"#, 0xe2, 0x80), .cutCharacter, 1), (.text(#""?"#, 0xf0, 0x9f, 0x8e), .cutCharacter, 1),
      (.text(#""🎉?"#, 0xf0, 0x9f), .cutCharacter, 5), (.text(#"{"?"#, 0xf0), .cutCharacter, 2),
      (.text(#""?"#, 0xe0, 0x9f), .notUTF8, 1), (.text(#""?"#, 0xed, 0xa0), .notUTF8, 1),
      (.text(#""?"#, 0xf4, 0x90, 0x80), .notUTF8, 1), (.text(#""?"#, 0xc1), .notUTF8, 1),
      (.text(#""?"#, 0x80), .notUTF8, 1), (.text(#""?"#, 0xe2, 0x22), .notUTF8, 1), (#""é"#, .unexpectedEnd, 3),
    ] as [(JSONText, JSONError.Code, Int)])
  func tellsCutTextFromWrongText(_ text: JSONText, _ code: JSONError.Code, _ offset: Int) {
    #expect(text.error == JSONError(code, at: offset))
  }
}
