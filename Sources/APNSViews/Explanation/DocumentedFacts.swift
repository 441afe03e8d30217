import APNSWire
import Octets

/// A fact from Apple's documents that no bytes show, with its source. `explain` prints it with each of its subjects.
struct DocumentedFact: Sendable {
  /// Names of topics, such as `item 4`.
  let subjects: [String]
  let text: String
  let source: String

  /// The entries of `facts.txt`, which empty lines separate.
  static let all: [DocumentedFact] = {
    let text = String(decoding: PackageResources.facts_txt, as: UTF8.self)
      .replacing("{service-ended}", with: UTC.text(Catalog.serviceEnded).prefix(10))
    return text.split(separator: "\n\n").dropFirst().map { entry in
      let lines = entry.split(separator: "\n").map(String.init)
      return DocumentedFact(
        subjects: lines[0].split(separator: ", ").map(String.init),
        text: lines.dropFirst().dropLast().joined(separator: " "), source: lines[lines.count - 1])
    }
  }()

  var paragraph: Topic.Paragraph { Topic.Paragraph(label: "note", text: "\(text) (\(source))") }
}

extension Topics {
  package static var factCount: Int { DocumentedFact.all.count }

  /// The subjects of facts that are not topics; for tests.
  package static func unknownSubjects(in topics: [Topic]) -> [String] {
    DocumentedFact.all.flatMap(\.subjects).filter { subject in !topics.contains { $0.name == subject } }
  }
}
