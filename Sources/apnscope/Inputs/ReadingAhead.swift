import APNSDiagnosis
import APNSInput

/// Reads an input with two threads: this one dissects the streams of one piece while the other one reads the next
/// piece. The result is the same as with one thread: if the dissector holds so much that it may have to free memory,
/// nothing is read ahead.
struct ReadingAhead {
  let worker: WorkerThread

  /// The size of a piece in bytes.
  static let pieceSize = 1 << 20

  /// Reads the input to its end.
  /// - Parameters:
  ///   - held: The number of bytes that the reader holds.
  ///   - record: Reads the next piece for later; returns true if there are no more.
  ///   - read: Reads the next piece directly into the dissector; returns true if there are no more.
  func run<Records: RecordSink & ~Copyable>(
    into dissector: inout Dissector<Records>, held: () -> Int,
    record: (inout RecordedStreams) throws(ReadError) -> Bool,
    read: (inout Dissector<Records>) throws(ReadError) -> Bool
  ) throws(ReadError) {
    var now = RecordedStreams()
    var next = RecordedStreams()
    var failure: ReadError?
    var isOver = false
    while !isOver, dissector.wantsMore {
      if held() + dissector.heldBytes > Reassembler.sinkLimit / 2 {
        now.replay(into: &dissector)
        do throws(ReadError) { isOver = try read(&dissector) } catch { (failure, isOver) = (error, true) }
        continue
      }
      worker.run {
        do throws(ReadError) { isOver = try record(&next) } catch { (failure, isOver) = (error, true) }
      } _: {
        now.replay(into: &dissector)
      }
      swap(&now, &next)
    }
    now.replay(into: &dissector)
    // An error in a piece that is not needed is ignored.
    if let failure, dissector.wantsMore || Interrupt.isRaised { throw failure }
  }
}
