import APNSDiagnosis
import APNSWire
import Foundation
import Octets
import TestSupport
import Testing

/// What is named and repaired in each faulty sample, pinned: `make golden` rewrites the table, so read its difference.
@Suite struct NameTests {
  /// A sample, the bug that its sender has, what is named, and whether the repair is what was meant.
  private struct Row {
    let sample: String
    let label: String
    let named: Set<String>
    var repair = "-"

    var line: String { [sample, label, named.sorted().joined(separator: ","), repair].joined(separator: "\t") }
  }

  /// A stream of six frames by one of the senders with 68 bugs, written by programs that share no code with the reader.
  private struct Sender: Decodable {
    let name: String
    /// What is to be named; nil where the bytes say too little.
    let cause: String?
    let stream: String
    /// What the sender meant; nil where that is another text than it wrote.
    let meant: String?
  }

  private static let file = Samples.folder.appending(path: "malformed/named.tsv")

  @Test func namesAreThoseOfTheTable() throws {
    let rows = try Self.rows()
    let seen = (["sample\tbug\tnamed\trepair"] + rows.map(\.line)).joined(separator: "\n") + "\n"
    if Samples.rewritesGoldens {
      try seen.write(to: Self.file, atomically: true, encoding: .utf8)
    } else {
      let written = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n")
      let differences = seen.split(separator: "\n").difference(from: written).map { "\($0)" }
      #expect(differences.isEmpty, "see the difference with make golden && git diff")
    }
  }

  /// Every cause is named in a sample of its bug, where no other is; but for those that describe bugs without a name,
  /// and those without a sample that shows them alone.
  @Test func everyCauseIsNamedAlone() throws {
    let rows = try Self.rows()
    for row in rows where row.label != "none" {
      let isKnown = RootCauses[row.label] != nil || Rules[row.label] != nil
      #expect(isKnown, "\(row.label) labels a sample, but is neither a cause nor a rule")
    }
    let alone = Set(rows.filter { $0.named == [$0.label] }.map(\.label))
    let unnamed: Set<RootCause> = [
      .commandAdded, .itemIDsShifted, .lengthOfPrevious, .tokenAsBase64,
      .tokenLengthToNUL, .bytesInside, .expiryUnit, .foreignBytes, .frameEncoding, .framesDivided, .itemHeaders,
      .lengthsFormat, .numberFormat, .payloadEncoding, .payloadPadding, .payloadSyntax, .tokenEncoding, .tokenSize,
      .zerosLeftOut,
    ]
    #expect(Set(RootCauses.all.map(\.id)).subtracting(alone) == Set(unnamed.map(\.id)))
  }

  private static func rows() throws -> [Row] {
    let zoo = try Zoo.streams(in: Samples.folder.appending(path: "malformed/zoo")).map { stream in
      row(
        stream.file, stream.isFaulty ? stream.name : "none", stream.bytes, nil,
        meant: stream.isFaulty ? stream.repaired : nil)
    }
    let all: [Sender] = Samples.lines(of: "malformed/senders.ndjson")
    #expect(all.count == 217)
    let senders = all.map { sender in
      row(
        sender.name, sender.cause ?? "none", [UInt8](hexDigits: Array(sender.stream.utf8)) ?? [], nil,
        meant: sender.meant.flatMap { [UInt8](hexDigits: Array($0.utf8)) })
    }
    #expect(ServiceTests.samples.count == 27)
    let services = ServiceTests.samples.map { sample in
      row(sample.name, sample.cause ?? "none", sample.bytes, sample.streamRole, meant: nil)
    }
    return zoo + senders + services
  }

  private static func row(
    _ sample: String, _ label: String, _ bytes: [UInt8], _ role: StreamRole?, meant: [UInt8]?
  ) -> Row {
    let causes = APNSDiagnosis.findings(in: bytes, role: role, by: .standard).compactMap(\.cause)
    var row = Row(sample: sample, label: label, named: Set(causes.map(\.id)))
    let repairs = causes.filter { $0.repaired != nil }
    if let meant, !repairs.isEmpty { row.repair = repaired(bytes, repairs) == meant ? "right" : "other" }
    return row
  }

  static func repaired(_ bytes: [UInt8], _ causes: [Cause]) -> [UInt8] {
    var repaired: [UInt8] = []
    var position = 0
    for cause in causes where cause.range.lowerBound >= position {
      repaired += bytes[position..<cause.range.lowerBound] + (cause.repaired ?? [])
      position = cause.range.upperBound
    }
    return repaired + bytes[position...]
  }
}
