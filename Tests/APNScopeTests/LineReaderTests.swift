import TestSupport
import Testing

@testable import apnscope

@Suite struct LineReaderTests {
  private func lines(of bytes: [UInt8]) throws -> [[UInt8]] {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write(bytes, to: "lines")
    var reader = try LineReader(scratch.path("lines"))
    var lines: [[UInt8]] = []
    while let line = try reader.next() {
      lines.append(line)
      #expect(reader.number == lines.count)
    }
    return lines
  }

  /// The standard library splits; only an empty piece after the last line end is no line.
  private func split(_ bytes: [UInt8]) -> [[UInt8]] {
    var lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false).map(Array.init)
    if lines.last?.isEmpty ?? false { lines.removeLast() }
    return lines
  }

  @Test(arguments: ["", "\n", "\n\n", "a", "a\n", "a\n\nb", "a\r\nb\r\n"]) func splitsAtLineEnds(_ text: String) throws
  {
    #expect(try lines(of: Array(text.utf8)) == split(Array(text.utf8)))
  }

  /// Lines that end just where the memory for reading does, and some that are longer than it.
  @Test func anyLengthsWillDo() throws {
    var generator = SeededGenerator(seed: runSeed)
    for _ in 0..<12 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let size = (1 << Int.random(in: 0...20, using: &generator)) + Int.random(in: -2...2, using: &generator)
        bytes += generator.bytes(max(size, 0)).map { $0 == 0x0a ? 0 : $0 } + [0x0a]
      }
      if generator.chance(50) { bytes.removeLast() }
      #expect(try lines(of: bytes) == split(bytes), "APNSCOPE_SEED=\(runSeed)")
    }
  }

  @Test func aLineThatIsTooLongIsNamed() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write([0x61, 0x0a] + [UInt8](repeating: 0x62, count: 34 << 20), to: "long")
    var reader = try LineReader(scratch.path("long"))
    _ = try reader.next()
    var failure: Failure?
    do throws(Failure) { _ = try reader.next() } catch { failure = error }
    #expect(failure?.status == .unreadable)
    #expect(failure?.sentence.contains("line 2") == true)
  }

  @Test(arguments: ["", "missing"]) func whatIsNoFileIsAnError(_ name: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    var failure: Failure?
    do throws(Failure) { _ = try LineReader(scratch.path(name)) } catch { failure = error }
    #expect(failure?.status == .unreadable)
  }
}
