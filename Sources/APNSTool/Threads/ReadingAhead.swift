import APNSDiagnosis
import APNSInput

/// Reads an input by two threads: the second one takes the streams of a piece, while this one reads the next piece and
/// judges the first frames of it. What comes of it is the same: if the dissector holds much, and may be
/// asked to make room, nothing is read ahead.
package struct ReadingAhead {
  private let companion: Companion

  package init(companion: Companion) { self.companion = companion }

  /// Bytes of a piece.
  static let piece = 1 << 20

  /// - Parameters:
  ///   - held: what the reader holds now, in bytes.
  ///   - record: reads the next piece ahead; true if there is no more.
  ///   - read: the same, straight into the dissector.
  package func run<Records: RecordSink & ~Copyable>(
    into dissector: inout Dissector<Records>, held: () -> Int,
    record: (inout RecordedStreams) throws(ReadError) -> Bool,
    read: (inout Dissector<Records>) throws(ReadError) -> Bool
  ) throws(ReadError) {
    var now = RecordedStreams()
    var next = RecordedStreams()
    var (aheadNow, aheadNext) = (dissector.ahead, dissector.ahead)
    var balance = Balance(part: 0.5)
    var failure: ReadError?
    var isOver = false
    while !isOver, dissector.wantsMore {
      if held() + dissector.heldBytes > Reassembler.sinkLimit / 2 {
        dissector.take(&now, knowing: &aheadNow)
        do throws(ReadError) { isOver = try read(&dissector) } catch { (failure, isOver) = (error, true) }
        continue
      }
      let wasDone = companion.run(
        { dissector.take(&now, knowing: &aheadNow) },
        {
          do throws(ReadError) { isOver = try record(&next) } catch { (failure, isOver) = (error, true) }
          aheadNext.scan(next, part: balance.part)
        })
      balance.settle(secondWasDone: wasDone)
      swap(&now, &next)
      swap(&aheadNow, &aheadNext)
    }
    dissector.take(&now, knowing: &aheadNow)
    // What was read ahead in vain is not missed.
    if let failure, dissector.wantsMore || Interrupt.isRaised { throw failure }
  }
}

/// How much of the work that either thread could do this one does; the thread that finishes first gets more the next time.
struct Balance {
  /// 0 to 1.
  private(set) var part: Double

  mutating func settle(secondWasDone: Bool) {
    part = max(0, min(1, part + (secondWasDone ? -0.05 : 0.05)))
  }
}
