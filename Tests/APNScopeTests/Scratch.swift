import Foundation
import TestSupport
import Testing

extension Trait where Self == TimeLimitTrait {
  /// Ends a test that would never end. Its time includes that of tests that run at the same time, so the limit is high.
  static var endedIfItHangs: Self { .timeLimit(.minutes(30)) }
}

extension Scratch {
  func run(_ line: String) throws -> String { try TranscriptTests.run(line, in: folder) }

  /// Skips the test if a program is not installed, which the report says. In CI the test fails.
  func need(_ program: String) throws { try need(program, if: "command -v \(program)") }

  /// Skips the test unless Debian's Python has a module. In CI the test fails.
  func need(pythonModule name: String) throws {
    try need("python3-\(name)", if: "/usr/bin/python3 -c 'import \(name)'")
  }

  private func need(_ package: String, if command: String) throws {
    guard try !run("\(command) >/dev/null 2>&1").isEmpty else { return }
    guard ProcessInfo.processInfo.environment["CI"] == nil else { throw MissingProgram(package) }
    try Test.cancel("\(package) is not installed")
  }

  private struct MissingProgram: Error, CustomStringConvertible {
    let description: String
    init(_ package: String) { description = "\(package) is not installed" }
  }

  func names(_ subfolder: String = "apnscope-failures", endingWith suffix: String) -> [String] {
    let all = try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: subfolder).path)
    return (all ?? []).filter { $0.hasSuffix(suffix) && !$0.hasSuffix(".case.bin") }.sorted()
  }

  /// Runs a command that reads a FIFO, which gets `text` and stays open, and sends it a signal once it waits for more.
  /// What it wrote, what it said, and `? ` with its status.
  func interrupt(_ command: String, reading text: String, with signal: String = "INT") throws -> String {
    // Its arguments hold `p` where it reads. No `wait`: signals are blocked where tests run, and dash waits for one.
    try write("echo $$ >pid; exec \(command) >out 2>err", to: "run")
    try write(text, to: "text")
    return try run(
      """
      export TMPDIR=$PWD/temporary; mkdir -p temporary; mkfifo p; (sh ./run; echo "? $?" >status) & \
      exec 3>p; cat text >&3; \
      until grep -qs '(apnscope) S' /proc/$(cat pid)/stat || [ -s status ]; do :; done; \
      kill -\(signal) $(cat pid); until [ -s status ]; do :; done; cat out err status
      """)
  }
}
