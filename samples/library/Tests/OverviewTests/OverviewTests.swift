import APNSCraft
import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import Foundation
import Overviews
import Testing

/// What the examples on the overview pages return.
@Suite struct OverviewTests {
  static let batch: [UInt8] = [
    1, 0, 0, 4, 210, 0, 0, 0, 9, 0, 1, 0xaa, 0, 2, 0x7b, 0x7d, 2, 0, 0, 0, 7, 3, 0, 4, 0, 0, 0, 7, 0,
  ]

  @Test func wire() { #expect(identifiers(in: Self.batch.span) == [1234, 7]) }

  @Test func payload() {
    #expect(unknownKeys(in: Array(#"{"aps":{"alert":"Hi","Badge":1}}"#.utf8)) == [#""Badge""#])
  }

  @Test func input() throws {
    #expect(try bytes(in: "00000000: 0808 0000 04d2  ......\n") == [8, 8, 0, 0, 4, 210])
    #expect(throws: ReadError.self) { try bytes(in: "080") }
  }

  @Test func capture() throws {
    let samples = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let file = try FileHandle(forReadingFrom: samples.appending(path: "captures/push-session.pcap"))
    #expect(try frameCount(ofCapture: file.fileDescriptor) == 5)
  }

  @Test func diagnosis() {
    #expect(report(on: Self.batch).contains("token-length"))
  }

  @Test func query() throws {
    #expect(try offsets(of: "identifier == 7", in: Self.batch) == [16])
    #expect(throws: FilterError.self) { try offsets(of: "identifier ==", in: Self.batch) }
  }

  @Test func views() {
    #expect(text(of: Self.batch, in: LineView(.standard)).contains("identifier 1234"))
  }

  @Test func craft() {
    let cases = testCases(100, seed: 1)
    #expect(cases.contains { $0.label.verdict == .accept } && cases.contains { $0.label.verdict == .reject })
    #expect(reproducer(of: .unknownCommand, in: Self.batch + [9, 9]).count < Self.batch.count)
  }
}
