import APNSWire
import Octets

extension Topics {
  /// Facts from Apple's documents that no bytes show, and the names of topics that they are about. They are the entries
  /// of `facts.txt`, which empty lines separate: the subjects, the text, and the source in the last line.
  package static let facts: [(subjects: [String], paragraph: Topic.Paragraph)] = {
    let text = String(decoding: PackageResources.facts_txt, as: UTF8.self)
      .replacing("{service-ended}", with: UTC.text(Catalog.serviceEnded).prefix(10))
    return text.split(separator: "\n\n").dropFirst().map { entry in
      let lines = entry.split(separator: "\n").map(String.init)
      let sentences = lines.dropFirst().dropLast().joined(separator: " ")
      return (
        lines[0].split(separator: ", ").map(String.init),
        Topic.Paragraph(label: "note", text: "\(sentences) (\(lines[lines.count - 1]))")
      )
    }
  }()
}
