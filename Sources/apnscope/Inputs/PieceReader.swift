import APNSDiagnosis
import APNSInput

/// Reads an input piece by piece.
protocol PieceReader: ~Copyable {
  /// The number of bytes that were read but not passed on.
  var heldBytes: Int { get }
  /// Reads the next piece into `sink`. Returns true if there are no more, or if `sink` needs none.
  mutating func readPiece(into sink: inout some StreamSink & ~Copyable) throws(ReadError) -> Bool
}

/// The size of a piece in bytes.
let pieceSize = 1 << 20

extension PieceReader where Self: ~Copyable {
  /// Reads the input to its end. With a `worker`, this thread dissects the streams of one piece while that one reads
  /// the next piece. The result is the same as with one thread: if the sink holds so much that it may have to free
  /// memory, nothing is read ahead.
  mutating func read(into sink: inout some StreamSink & ~Copyable, with worker: WorkerThread?) throws(ReadError) {
    guard let worker else {
      while try !readPiece(into: &sink) {}
      return
    }
    var now = RecordedStreams()
    var next = RecordedStreams()
    var failure: ReadError?
    var isOver = false
    while !isOver, sink.wantsMore {
      if heldBytes + sink.heldBytes > Reassembler.sinkLimit / 2 {
        now.replay(into: &sink)
        do throws(ReadError) { isOver = try readPiece(into: &sink) } catch { (failure, isOver) = (error, true) }
        continue
      }
      worker.run {
        do throws(ReadError) { isOver = try readPiece(into: &next) } catch { (failure, isOver) = (error, true) }
      } _: {
        now.replay(into: &sink)
      }
      swap(&now, &next)
    }
    now.replay(into: &sink)
    // An error in a piece that is not needed is ignored.
    if let failure, sink.wantsMore || Interrupt.isRaised { throw failure }
  }
}
