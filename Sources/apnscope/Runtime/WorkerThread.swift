import Dispatch

/// The second thread. The first thread does everything that has an order: it dissects streams, shows records and writes
/// the output. The second one does only work that can be done apart from that, one piece at a time: it reads the next
/// piece of a long input (`InputFile`), if little is written, or it writes the last records of a batch with a view
/// of its own (`RecordWriter`), if each record is written. The first thread hands over a piece of work with
/// everything that it needs, goes on meanwhile, and takes the result when it comes to it; nothing else is shared. So
/// the output is the same as with one thread.
///
/// Safe, because the first thread waits for the end of the work before it accesses anything that the work uses, and the
/// semaphore orders what both threads access.
final class WorkerThread: @unchecked Sendable {
  /// Starts its thread with the first work. Signals do not reach it, so that they interrupt the first thread.
  private let queue = DispatchQueue(label: "apnscope.worker")
  /// Signalled once for each piece of work that ended.
  private let ended = DispatchSemaphore(value: 0)
  private var work: (() -> Void)?

  /// Runs `work` on the thread and `meanwhile` on the caller, and waits for both.
  func run(_ work: () -> Void, _ meanwhile: () -> Void) {
    withoutActuallyEscaping(work) { work in
      begin(work)
      meanwhile()
      _ = wait()
    }
  }

  /// Whether work was started that nothing has waited for.
  var isBusy: Bool { work != nil }

  /// Starts `work`. The caller must call `wait` before it starts other work or accesses anything that this work uses.
  func begin(_ work: @escaping () -> Void) {
    self.work = work
    queue.async {
      self.perform()
      self.ended.signal()
    }
  }

  /// Waits for the end of the work. Returns whether it had already ended.
  func wait() -> Bool {
    let wasDone = ended.wait(timeout: .now()) == .success
    if !wasDone { ended.wait() }
    work = nil
    return wasDone
  }

  /// A separate function, so that no reference to the work is kept after it ends.
  @inline(never)
  private func perform() { work?() }
}
