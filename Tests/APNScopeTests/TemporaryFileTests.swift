import TestSupport
import Testing

/// Files that exist while a command runs.
@Suite(.endedIfItHangs) struct TemporaryFileTests {
  /// The copy of a pipe that is read twice. The pipe ends once the copy is there.
  @Test(arguments: ["redact", "report"]) func copiesArePrivateAndRemoved(_ command: String) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run(
      """
      umask 000; mkdir to
      (until [ -n "$(ls to)" ]; do printf '\\10\\10\\0\\0\\0\\7' || exit; done; stat -c %a to/* >mode) |
        TMPDIR=$PWD/to apnscope \(command) -q --from raw -w out -
      cat mode; ls -A to
      """)
    #expect(said == "600\n")
  }

  /// An output file is replaced at the end of the run, and keeps its permissions.
  @Test func anOutputIsReplacedAtTheEnd() throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run(
      """
      echo before >out; chmod 640 out; head -c 3000 /dev/zero >zeros
      (ulimit -f 1; apnscope -q --from raw -T ndjson -w out zeros); echo $?; cat out
      apnscope -q -T raw -w out --hex 0808000004d2; od -An -tx1 out; stat -c %a out; ls -A
      """)
    #expect(
      said == """
        3
        before
         08 08 00 00 04 d2
        640
        out
        zeros
        ! apnscope: out: File too large; nothing more was written

        """)
  }
}
