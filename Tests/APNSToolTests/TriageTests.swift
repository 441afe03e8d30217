import APNSDiagnosis
import APNSTool
import APNSViews
import APNSWire
import TestSupport
import Testing

/// The last line of a run.
@Suite struct TriageTests {
  private static let good: [UInt8] = [8, 8, 0, 0, 0, 7]

  private func triage(_ bytes: [UInt8], of name: String = "stream.bin", role: StreamRole = .gateway) -> Triage {
    var triage = Triage()
    for record in Shown(bytes, as: RawView(), role: role).records { triage.count(record, known: 0, of: name) }
    return triage
  }

  private func said(_ triage: Triage, _ format: ViewFormat = .line) -> String? {
    triage.line(flags: ["--role", "gateway"], selection: [], format: format, wanted: nil)
  }

  @Test func aStreamWithoutFaultsNeedsNoLine() {
    let triage = triage(Self.good + Self.good)
    #expect(triage.worst ?? .note == .note)
    #expect(said(triage) == nil)
  }

  /// An error further on comes before a warning.
  @Test func theWorstComesFirst() throws {
    let emptyToken: [UInt8] = [0x52, 0x8a, 0xff, 0, 0, 0]
    #expect(triage(emptyToken, role: .feedback).worst == .warning)
    let triage = triage(emptyToken + [0x52], role: .feedback)
    #expect(triage.worst == .error)
    let line = try #require(said(triage))
    #expect(line.contains("first: #2 at 0x7: truncated"), "\(line)")
  }

  /// The command to run next names the file as a shell takes it.
  @Test func theNextCommandIsQuoted() throws {
    let line = try #require(said(triage([8, 8, 0], of: "it's $HOME.bin")))
    let command = try #require(line.split(separator: "next: ").last)
    #expect(command.hasPrefix("apnscope --role gateway"), "\(command)")
    #expect(command.hasSuffix(shellWord("it's $HOME.bin")), "\(command)")
  }

  @Test func whatCannotBeReadAgainIsNotNamed() throws {
    let line = try #require(said(triage([8, 8, 0], of: "-")))
    #expect(line.contains("next: the same command with -T tree"), "\(line)")
  }

  @Test func findingsAreCounted() throws {
    let counts = triage(Self.good + [8, 8, 0]).counts(hidesNotes: true, baseline: nil, wanted: nil)
    #expect(counts?.hasPrefix("2 frames: 1 error") == true, "\(counts ?? "")")
  }
}
