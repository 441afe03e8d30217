import TestSupport
import Testing

@testable import apnscope

/// Someone else's command, as it ends.
@Suite(.serialized) struct ChildProcessTests {
  private static let signs = FailureSigns(refusals: [], texts: FailureText.usual)

  /// On Linux the peak of a process begins with its parent's, and that of all tests is high.
  private static let noLimit = 1 << 40

  private func run(
    _ script: String, input: String = "", limits: ChildProcess.Limits = .init(seconds: 20, memory: noLimit)
  ) throws -> ChildProcess.Outcome {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.write(input, to: "input")
    var child = try ChildProcess(
      ["sh", "-c", script], input: scratch.path("input"), limits: limits, signs: Self.signs)
    while true {
      if let outcome = child.outcome() { return outcome }
      ChildProcess.wait(for: [child])
    }
  }

  @Test(arguments: [0, 1, 7, 125] as [Int32]) func itsStatusIsTold(_ status: Int32) throws {
    #expect(try run("exit \(status)").ending == .exited(status))
  }

  @Test func itReadsItsInput() throws {
    #expect(try run("test \"$(cat)\" = hello", input: "hello").ending == .exited(0))
    #expect(try run("test \"$(cat)\" = hello", input: "bye").ending == .exited(1))
  }

  @Test func aSignalIsACrash() throws {
    #expect(try run("kill -SEGV $$").ending == .crashed(signal: 11))
    // As a shell reports it of a command that it ran.
    #expect(try run("exit 139").ending == .crashed(signal: 11))
  }

  @Test func whatRunsTooLongIsEnded() throws {
    let outcome = try run("sleep 60 & sleep 60", limits: .init(seconds: 0.2, memory: Self.noLimit))
    #expect(outcome.ending == .timedOut)
    #expect(outcome.seconds < 20)
  }

  @Test func whatTakesTooMuchIsEnded() throws {
    let script = "x=$(head -c 60000000 /dev/zero | tr '\\0' x); sleep 60"
    #expect(try run(script, limits: .init(seconds: 60, memory: 32 << 20)).ending == .exceededMemory)
  }

  /// It is never held up by a full pipe, and only the beginning is kept.
  @Test func aFloodIsThrownAway() throws {
    let outcome = try run("head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero; exit 3")
    #expect(outcome.ending == .exited(3))
    #expect(outcome.errorOutput.count == 1 << 14)
  }

  @Test func anUncaughtExceptionIsNoRefusal() throws {
    let outcome = try run("echo 'Traceback (most recent call last)' >&2; exit 1")
    guard case .failed(1, .some, _) = outcome.ending else {
      Issue.record("\(outcome.ending)")
      return
    }
  }

  @Test func whatCannotBeRunIsNamed() throws {
    var failure: Failure?
    do throws(Failure) {
      var child = try ChildProcess(
        ["/nowhere/decoder"], input: "/dev/null", limits: .init(), signs: Self.signs)
      child.stop()
    } catch {
      failure = error
    }
    #expect(failure?.sentence.contains("/nowhere/decoder") == true)
  }
}
