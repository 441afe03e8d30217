import APNSDiagnosis
import APNSViews
import APNSWire
import TestSupport
import Testing

@testable import apnscope

/// The summary at the end of a run.
@Suite struct TriageTests {
  private static let good: [UInt8] = [8, 8, 0, 0, 0, 7]

  private func triage(_ bytes: [UInt8], of name: String = "stream.bin", role: StreamRole = .gateway) -> Triage {
    var triage = Triage()
    for record in Shown(bytes, as: RawView(), role: role).records { triage.count(record, known: 0, of: name) }
    return triage
  }

  private func said(_ triage: Triage, _ format: ViewFormat = .line) -> [String] {
    triage.lines(flags: ["--role", "gateway"], selection: [], format: format, wanted: nil)
  }

  @Test func aStreamWithoutFaultsNeedsNoLine() {
    let triage = triage(Self.good + Self.good)
    #expect(triage.worst ?? .note == .note)
    #expect(said(triage).isEmpty)
  }

  /// An error further on comes before a warning.
  @Test func theWorstComesFirst() {
    let emptyToken: [UInt8] = [0x52, 0x8a, 0xff, 0, 0, 0]
    #expect(triage(emptyToken, role: .feedback).worst == .warning)
    let triage = triage(emptyToken + [0x52], role: .feedback)
    #expect(triage.worst == .error)
    let lines = said(triage)
    #expect(lines.count == 3 && lines[1].hasPrefix("first: #2 at 0x7: truncated"), "\(lines)")
  }

  /// The command to run next quotes the file's name for a shell, so that it can be pasted.
  @Test func theNextCommandIsQuoted() {
    let lines = said(triage(Self.good + [8, 8, 0], of: "it's $HOME.bin"))
    #expect(
      lines.last == "next: apnscope --role gateway -Y 'number == 2' \(shellWord("it's $HOME.bin"))", "\(lines)")
  }

  /// Each ends with a command that needs nothing but a shell.
  @Test(arguments: ["-", "--hex", ""])
  func whatCannotBeReadAgainIsExplained(input: String) {
    let lines = said(triage([8, 8, 0], of: input))
    #expect(lines.last == "next: apnscope explain truncated", "\(lines)")
  }

  /// A cause is named instead of the finding that it explains, and repaired.
  @Test func aCauseComesFirst() throws {
    let file = "malformed/zoo/0000-payload-length-in-characters.bin"
    let lines = said(triage(try Samples.bytes(Samples.folder.appending(path: file)), of: "it.bin", role: .provider))
    #expect(lines.count == 3 && lines[1].contains(": payload-length-in-characters, "), "\(lines)")
    #expect(lines.last == "next: apnscope --role gateway --repair it.repaired.bin it.bin", "\(lines)")
  }

  @Test func findingsAreCounted() {
    let counts = triage(Self.good + [8, 8, 0]).counts(hidesNotes: true, baseline: nil, wanted: nil)
    #expect(counts == ["2 frames: 1 error", "next: apnscope explain truncated"])
  }
}
