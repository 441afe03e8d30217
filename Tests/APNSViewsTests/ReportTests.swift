import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import Foundation
import TestSupport
import Testing

/// The page for some text, and what the page says about its records.
private struct Page: RecordSink {
  private(set) var view: ReportView
  private var lines: NDJSONView
  private var out = Output()
  private var ndjson = Output()
  private(set) var count = 0
  var wantsMore: Bool { true }

  init(_ text: String, limit: Int = ReportView.standardLimit, name: String = "x") throws {
    let inputs = [name]
    view = ReportView(.standard, inputs: inputs, limit: limit)
    lines = NDJSONView(.standard, inputs: inputs)
    var reader = TextReader(.standard)
    var dissector = Dissector(.standard, into: self)
    let bytes = Array(text.utf8)
    try reader.read(bytes.span, into: &dissector)
    try reader.finish(into: &dissector)
    dissector.finish()
    self = dissector.records
    view.finish(to: &out)
  }

  /// The page for streams of a provider, each on a connection.
  init(_ streams: [[UInt8]]) {
    view = ReportView(.standard, inputs: ["x"])
    lines = NDJSONView(.standard)
    var dissector = Dissector(.standard, policy: RolePolicy(role: .provider), into: self)
    for (connection, bytes) in streams.enumerated() {
      dissector.open(ByteStream(number: 2 * connection))
      dissector.append(bytes.span, from: .input(offset: 0), to: 2 * connection)
    }
    dissector.finish()
    self = dissector.records
    view.finish(to: &out)
  }

  /// The page for captures of one packet each, captured at these times in seconds.
  init(times: [Int]) {
    view = ReportView(.standard, inputs: times.map { "\($0)" })
    lines = NDJSONView(.standard)
    var dissector = Dissector(.standard, policy: RolePolicy(role: .provider), into: self)
    for (input, seconds) in times.enumerated() {
      dissector.begin(input: input)
      dissector.open(ByteStream(number: 0))
      let time = CaptureTime(seconds: seconds, nanoseconds: 0, digits: 6)
      let origin = Origin.packet(Origin.Packet(number: 1, time: time, input: input))
      dissector.append(ReportTests.bytes(ReportTests.good).span, from: origin, to: 0)
      dissector.finish()
    }
    self = dissector.records
    view.finish(to: &out)
  }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    count += 1
    view.show(record, bytes, to: &out)
    lines.show(record, bytes, to: &ndjson)
  }

  var html: String { String(decoding: out.bytes, as: UTF8.self) }
  /// What `dissect -T ndjson` writes.
  var expected: [NSDictionary] { get throws { try Self.objects(String(decoding: ndjson.bytes, as: UTF8.self)) } }
  var records: [NSDictionary] { get throws { try Self.objects(try data("records-data")) } }
  var report: NSDictionary {
    get throws {
      try #require(try JSONSerialization.jsonObject(with: Data(data("report-data").utf8)) as? NSDictionary)
    }
  }

  private func data(_ id: String) throws -> String {
    let start = try #require(html.range(of: "<script type=\"application/json\" id=\"\(id)\">"))
    let end = try #require(html.range(of: "</script>", range: start.upperBound..<html.endIndex))
    return String(html[start.upperBound..<end.lowerBound])
  }

  private static func objects(_ text: String) throws -> [NSDictionary] {
    try text.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary)
    }
  }
}

@Suite struct ReportTests {
  private static let samples: [URL] = ["frames", "malformed", "good", "text"].flatMap { folder in
    (try? Samples.files(in: folder, endingWith: ".hex")) ?? []
  }
  /// A frame of command 1 with this payload.
  fileprivate static func bytes(_ payload: [UInt8], identifier: UInt8 = 9) -> [UInt8] {
    let token = (0..<32).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
    return [1, 0, 0, 0, identifier, 0xff, 0, 0, 0, 0, 32] + token
      + [UInt8(payload.count >> 8), UInt8(payload.count & 255)] + payload
  }

  /// A frame of command 2 with items of this id.
  private static func bytes(items count: Int, _ id: UInt8, _ data: [UInt8]) -> [UInt8] {
    let items = repeatElement([id, UInt8(data.count >> 8), UInt8(data.count & 255)] + data, count: count).joined()
    return [2] + (0..<4).map { UInt8(truncatingIfNeeded: items.count >> (24 - 8 * $0)) } + items
  }

  fileprivate static let good = Array("{\"aps\":{\"alert\":\"Hi\"}}".utf8)

  /// The frame of command 1 as hex text.
  private static func frame(_ payload: [UInt8], identifier: UInt8 = 9) -> String {
    bytes(payload, identifier: identifier).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private static let hostile = [
    "</script><script>alert(1)</script>", "<!--", "<img src=x onerror=alert(1)>", "]]>",
    "\u{202e}\u{2066}\u{2028}\u{0}",
    "\u{1b}[31m\u{9b}\u{7f}", "&lt;\"'`", "\\u003c/script>",
  ]

  @Test func thereAreSamples() { #expect(Self.samples.count > 10) }

  @Test(arguments: samples) func containsRecordsOfDissect(_ file: URL) throws {
    let page = try Page(String(contentsOf: file, encoding: .utf8))
    try #require(page.count > 0)
    #expect(try page.records.map { $0["record"] as? NSDictionary } == page.expected)
  }

  /// The script finds the fields in the bytes, with the frame types of the catalog.
  @Test(arguments: samples) func containsBytesAndTypes(_ file: URL) throws {
    let page = try Page(String(contentsOf: file, encoding: .utf8))
    let types = try #require(try page.report["frames"] as? [NSDictionary])
    #expect(types.map { $0["name"] as? String } == Catalog.standard.schemas.map(\.name))
    for (entry, record) in zip(try page.records, try page.expected) {
      #expect((entry["hex"] as? String)?.utf8.count == (record["length"] as? Int ?? 0) * 2)
    }
  }

  @Test(arguments: hostile) func escapesEverything(_ text: String) throws {
    let harmless = try Page(Self.frame(Array("harmless".utf8)))
    for payload in [text, "{\"aps\":{\"alert\":\"\(text)\"},\"\(text)\":1}"] {
      let page = try Page(Self.frame(Array(payload.utf8)), name: text)
      for mark in ["<script", "</script", "<!--", "<img", "]]>"] {
        let (seen, expected) = (page.html.ranges(of: mark), harmless.html.ranges(of: mark))
        #expect(seen.count == expected.count, "\(mark)")
      }
      let record = try #require(try page.records.first?["record"] as? NSDictionary)
      #expect(record["payload"] as? String == payload)
      for scalar in page.html.unicodeScalars where scalar != "\n" {
        #expect(![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory))
      }
    }
  }

  @Test func samePageForSameInput() throws {
    let text = Self.hostile.map { Self.frame(Array($0.utf8)) }.joined(separator: "\n")
    #expect(try Page(text).html == Page(text).html)
  }

  @Test func keepsRecordsWithFindings() throws {
    let good = (1...10).map { Self.frame(Self.good, identifier: $0) }
    let page = try Page((good + [Self.frame([0x7b], identifier: 11)]).joined(), limit: 3)
    try #require(page.count == 11)
    #expect(try page.records.map { $0["number"] as? Int } == [1, 2, 11])
    #expect(try page.report["records"] as? Int == 11 && page.report["embedded"] as? Int == 3)
    let sentence = "the page contains 3 of 11 records, the most severe findings first; the charts count all of them"
    #expect(page.view.omission == sentence && page.html.contains(sentence))
  }

  @Test(arguments: [(16, [UInt8](repeating: 0x3c, count: 60_000)), (8_000, [])])
  func largeRecordsLeaveSpaceForOthers(_ items: Int, _ data: [UInt8]) throws {
    let large = Array(repeating: Self.bytes(items: items, 2, data), count: 4)
    let small = Array(repeating: Self.bytes([0x7b]), count: 100)
    let page = Page([Array((large + small).joined())])
    try #require(page.count == 104)
    let records = try page.records
    try #require(records.count == 104)
    for (record, expected) in zip(records, try page.expected) {
      let object = try #require(record["record"] as? NSDictionary)
      let isLarge = expected["command"] as? Int == 2
      #expect(record["left_out"] as? String == (isLarge ? "values" : nil))
      #expect((object["items"] ?? object["payload"] == nil) == isLarge)
      for name in ["type", "offset", "length", "findings"] {
        #expect(object[name] as? NSObject == expected[name] as? NSObject, "\(name)")
      }
    }
  }

  @Test func keepsRecordsIfReplacingThemIsNotEnough() throws {
    let large = Self.bytes(Array(repeating: 0x3c, count: 60_000))
    let small = Self.bytes(Self.good)
    let page = Page([Array(([small, small] + Array(repeating: large, count: 60)).joined())])
    let numbers = try page.records.map { $0["number"] as? Int ?? 0 }
    #expect(numbers.starts(with: [1, 2]) && numbers.count < 62, "\(numbers)")
  }

  @Test func keepsConnectionsWithErrors() throws {
    let (good, bad) = (Self.bytes(Self.good), Self.bytes([0x7b]))
    let page = Page(Array(repeating: good, count: 66_000) + Array(repeating: bad, count: 10))
    let rows = try #require(try page.report["connections"] as? [NSDictionary])
    #expect(rows.count == 5000 && rows.suffix(10).allSatisfy { $0["errors"] as? Int ?? 0 > 0 })
    #expect(rows.first?["connection"] as? Int == 0)
    let sentence = try #require(page.view.omission)
    #expect(
      sentence.contains("5,000 of 66,010 inputs and 20,000 of 66,010 records") && page.html.contains(sentence))
  }

  /// Years lie between two captures, and a second between two others.
  @Test func breaksTheTimeLineBetweenInputs() throws {
    let page = Page(times: [1_700_000_001, 1_400_000_000, 1_700_000_000])
    let periods = try #require(try page.report["periods"] as? [[String: Int]])
    #expect(
      periods == [
        ["first": 1_400_000_000_000, "last": 1_400_000_000_000],
        ["first": 1_700_000_000_000, "last": 1_700_000_001_000],
      ])
    #expect(
      page.html.ranges(of: "<rect class=\"break\"").count == 1 && page.html.contains("in 2 periods that lie apart"))
    #expect(page.html.contains("from 2014-05-13 16:53:20 UTC, 2023-11-14 22:13:20 UTC, at most 1 in 50 ms"))
  }

  @Test func countsFindingsWithoutScripts() throws {
    let payload = Array(#"{"aps":{"badge":"1"}}"#.utf8)
    let page = Page([(1...201).flatMap { Self.bytes(payload, identifier: $0) }])
    #expect(page.html.contains("  201 times"))
  }

  @Test func isWrittenForNothing() throws {
    let page = try Page("")
    #expect(try page.records.isEmpty && page.html.contains("There is nothing to report"))
  }

  /// The policy allows the page's own script and styles, and nothing else.
  @Test(arguments: [("script", "report.js"), ("style", "report.css")])
  func policyAllows(_ name: String, _ file: String) throws {
    let folder = Samples.folder.deletingLastPathComponent().appending(path: "Sources/APNSViews/Page")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["sha256sum", folder.appending(path: file).path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let digits = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self).prefix(64)
    process.waitUntilExit()
    var (digest, rest) = (Data(), digits)
    while let byte = UInt8(rest.prefix(2), radix: 16) {
      digest.append(byte)
      rest = rest.dropFirst(2)
    }
    let hash = "sha256-" + digest.base64EncodedString()
    let html = try Page("").html
    #expect(digest.count == 32 && html.contains("\(name)-src '\(hash)'"), "write \(hash) to ContentPolicy.swift")
    #expect(html.contains("content=\"default-src 'none'; "))
  }
}
