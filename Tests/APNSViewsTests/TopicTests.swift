import APNSDiagnosis
import APNSPayload
import APNSViews
import APNSWire
import Testing

/// What `explain` prints, for every topic.
@Suite struct TopicTests {
  private let topics = Topics(.standard)

  @Test(arguments: [60, 80, 120]) func everyTopicIsWholeAndFits(_ width: Int) {
    for topic in topics.all {
      #expect(!topic.title.isEmpty && !topic.name.isEmpty && !topic.paragraphs.isEmpty, "\(topic.name)")
      for paragraph in topic.paragraphs {
        #expect(!paragraph.label.isEmpty, "\(topic.name)")
        #expect(paragraph.text.contains { $0.isLetter || $0.isNumber }, "\(topic.name): \(paragraph.label)")
        #expect(!paragraph.text.contains("  ") && !paragraph.text.hasPrefix(" ") && !paragraph.text.hasPrefix(";"))
        #expect(!paragraph.text.contains("\n"), "\(topic.name): \(paragraph.label)")
      }
      var out = Output()
      topic.write(terminal: Terminal(width: width), to: &out)
      let verbatim = topic.paragraphs.filter { $0.label == "see" }.map(\.text)
      for line in String(decoding: out.bytes, as: UTF8.self).split(separator: "\n") {
        #expect(line.count <= width || verbatim.contains { line.hasSuffix($0) }, "\(line)")
      }
    }
  }

  @Test func everyTopicHasASource() {
    for topic in topics.all where topic.kind != .service && topic.kind != .edition {
      #expect(topic.paragraphs.contains { $0.label == "source" }, "\(topic.name)")
    }
  }

  @Test func everySpellingFindsTheTopic() {
    for topic in topics.all {
      let name = topic.name
      let spellings = [
        name, name.uppercased(), " \(name) ", "\"\(name)\"", "\(name):",
        name.replacing(" ", with: "_"), name.replacing(".", with: " "), name.replacing("-", with: "_"),
      ]
      for spelling in spellings {
        let found = topics.named(spelling)
        #expect(found.contains { $0.name == name && $0.kind == topic.kind }, "\(spelling)")
      }
    }
  }

  @Test func everyAliasFindsTheTopic() {
    let names = Set(topics.all.map { TopicName($0.name) })
    for topic in topics.all {
      for alias in topic.aliases where !names.contains(TopicName(alias)) {
        #expect(topics.named(alias).contains { $0.name == topic.name }, "\(alias)")
        #expect(topics.named(alias.uppercased()).contains { $0.name == topic.name }, "\(alias)")
      }
    }
  }

  @Test(arguments: [
    ("status 0x08", ["status 8"]), ("0x80", ["status 128"]), ("STATUS 008", ["status 8"]),
    ("Invalid token", ["status 8"]),
    ("item2", ["item 2"]), ("Item 0x02", ["item 2"]), ("0x08", ["status 8", "command 8"]),
    ("2", ["status 2", "command 2", "item 2"]), ("MDM", ["mdm"]),
    ("content_available", ["aps.content-available"]), ("payload.aps.thread-id", ["aps.thread-id"]),
    ("error response", ["command 8"]), ("frame_length", ["command 2"]),
    ("timestamp", ["feedback-tuple"]),
    ("token", ["item 1"]), ("port 2196", ["feedback service"]), ("status -1", []),
    ("status-1", ["status 1"]),
    ("nosuch", []), (String(repeating: "8", count: 100_000), []), ("", []),
  ]) func findsBySpelling(_ name: String, _ expected: [String]) {
    #expect(Set(topics.named(name).map(\.name)) == Set(expected), "\(name.prefix(40))")
  }

  /// A number that no document defines leads to those that are defined.
  @Test(arguments: [
    ("status 99", "status 99"), ("STATUS 0x63", "status 99"), ("status99", "status 99"), ("status -1", "status -1"),
    ("status 254", "status 254"), ("item 9", "item 9"), ("command 77", "command 77"),
  ])
  func listsTheDocumentedNumbers(_ name: String, _ normal: String) throws {
    #expect(topics.named(name).isEmpty)
    let sentence = try #require(topics.undocumented(name))
    let kind = normal.split(separator: " ")[0]
    let known = topics.all.filter { $0.name.hasPrefix("\(kind) ") }.map { $0.name.dropFirst(kind.count + 1) }
    #expect(sentence.contains(normal) && !known.isEmpty)
    let listed = Set(sentence.split { !$0.isNumber }.dropFirst())
    #expect(listed == Set(known), "\(sentence)")
  }

  @Test(arguments: ["status 8", "99", "edition 2014", "nosuch 7", "status", "status eight", ""])
  func otherNamesAreNoNumbers(_ name: String) { #expect(topics.undocumented(name) == nil) }

  /// A misspelt subject would drop the fact without a word.
  @Test func everyFactIsShown() {
    let notes = topics.all.flatMap(\.paragraphs).filter { $0.label == "note" }
    #expect(Set(notes.map(\.text)).count == Topics.facts.count)
    #expect(Set(Topics.facts.flatMap(\.subjects)).subtracting(topics.all.map(\.name)).isEmpty)
  }

  @Test func editionsListTheirOwnKeys() {
    let keys = topics.named("edition 2009").first?.paragraphs.first { $0.label == "keys" }?.text ?? ""
    #expect(keys.contains("aps.alert") && !keys.contains("mdm") && !keys.contains("url-args"))
  }

  @Test func longQuotesAreAbridged() {
    #expect(abridged("file x: no such file") == "file x: no such file")
    #expect(abridged(String(repeating: "x", count: 100_000)).utf8.count < 300)
    #expect(abridged(String(repeating: "x ", count: 100_000)).utf8.count < 1300)
  }
}
