import APNSViews
import Foundation
import TestSupport
import Testing

/// Commands that are printed for pasting.
@Suite struct ShellWordTests {
  /// A shell is asked, with as many random words as fit into one call.
  @Test func aShellTakesEachWordBack() throws {
    var generator = SeededGenerator(seed: runSeed)
    let characters = Array("ab/._-=+:,'\"\\ $`!*?[]{}()<>|&;#~%\t\n\u{1b}é😀")
    var words = ["", "-", "it's", "$(reboot)", "`reboot`", "a b", "\\", "'"]
    for _ in 0..<300 {
      let count = Int.random(in: 1...12, using: &generator)
      words.append(String((0..<count).map { _ in characters.randomElement(using: &generator)! }))
    }
    let script = "for word in " + shellLine(words) + "; do printf '%s\\0' \"$word\"; done"
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", script]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let taken = data.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
      String(decoding: $0, as: UTF8.self)
    }
    #expect(taken == words, "APNSCOPE_SEED=\(runSeed)")
  }
}
