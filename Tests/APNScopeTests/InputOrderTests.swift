import TestSupport
import Testing

/// The order in which inputs are read.
@Suite struct InputOrderTests {
  private let scratch: Scratch

  /// Captures `b`, `a` and `c` of one packet each, in the order of their times; one without packets; and text.
  init() throws {
    scratch = try Scratch()
    _ = try scratch.run(
      """
      capture() {
        echo '{"type":"error-response","status":8,"identifier":7,"stream":'$1',"time":"2013-11-19T00:0'$1':00Z"}' |
          apnscope encode -T pcap -w $2
      }
      capture 1 b; capture 3 a; capture 5 c; head -c 24 a >empty; echo 0808000004d2 >text
      """)
  }

  /// The report has each file, also those without frames.
  private func order(_ inputs: String) throws -> [String] {
    let report = try scratch.run("apnscope check -q -T junit \(inputs)")
    return report.matches(of: /<testcase [^>]* file="([^"]*)"/).map { String($0.1) }
  }

  @Test func capturesInARowAreSortedByTime() throws {
    defer { scratch.remove() }
    #expect(try order("c a b") == ["b", "a", "c"])
    // A file without a time keeps its position, and no capture is moved across it.
    #expect(try order("c a text b") == ["a", "c", "text", "b"])
    #expect(try order("c empty a b") == ["c", "empty", "b", "a"])
    let records = try scratch.run("apnscope -q -T ndjson c a text b")
    #expect(records.matches(of: /"file":"([^"]*)"/).map { String($0.1) } == ["a", "c", "text", "b"], "\(records)")
  }

  @Test func capturesOfAFolderComeFirst() throws {
    defer { scratch.remove() }
    _ = try scratch.run("mkdir -p d/inner; mv b d/inner/z; mv c empty d; cp text d/0; cp text d/.hidden")
    #expect(try order("d") == ["d/inner/z", "d/c", "d/empty", "d/0"])
  }
}
