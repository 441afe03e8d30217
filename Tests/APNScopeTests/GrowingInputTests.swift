import Foundation
import TestSupport
import Testing

/// A file that is still written, read through a pipe.
@Suite(.endedIfItHangs) struct GrowingInputTests {
  /// - Parameter end: The number of bytes with which a capture ends its connections: three packets without data.
  @Test(arguments: [("raw", 0), ("pcap", 210)]) func showsEachFrameAtOnce(_ format: String, _ end: Int) throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let said = try scratch.run(
      """
      token=$(printf 'a7%.0s' {1..32})
      for identifier in 1 2 3; do
        apnscope encode --command 1 --identifier $identifier --expiry 0 --token $token \
          --payload '{"aps":{"badge":1}}' -T ndjson >>frames
        apnscope encode -T \(format) -w whole <frames
        sizes="$sizes $(($(wc -c <whole) - \(end)))"
      done
      : >growing; mkfifo lines
      (echo $BASHPID >tail; exec tail -c +1 -f growing) | (apnscope -q -T line; echo $? >status) >lines &
      exec 3<lines
      for size in $sizes; do
        head -c $size whole | tail -c +$(($(wc -c <growing) + 1)) >>growing
        IFS= read -r line <&3 && printf '%s\n' "$line" >>shown
      done
      exec 2>/dev/null; kill -KILL $(cat tail); cat <&3 >>shown
      apnscope -q -T line whole | cmp - shown && cat status
      """)
    #expect(said == "0\n", "\(said)")
  }
}
