/// The second thread. The first thread does everything that has an order: it dissects streams, shows records and writes
/// the output. The second one does only work that can be done apart from that, one piece at a time: it reads the next
/// piece of a long input (`InputFile`), if little is written, or it writes the last records of a batch with a view
/// of its own (`RecordWriter`), if each record is written. The first thread hands over a piece of work with
/// everything that it needs, goes on meanwhile, and takes the result when it comes to it; nothing else is shared. So
/// the output is the same as with one thread.
///
/// Safe, because the first thread waits for the end of the work before it accesses anything that the work uses, and the
/// semaphores order what both threads access. It uses pthreads directly, because a process that reads one frame should
/// start quickly.
@safe final class WorkerThread: @unchecked Sendable {
  /// Posted once for each piece of work that begins, and for each that ended.
  private let begun = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  private let ended = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  private var work: (() -> Void)?
  /// The thread starts with the first work, and lives as long as the process. If none can be started, the caller does
  /// the work.
  private lazy var isStarted = start()

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
    if isStarted { unsafe sem_post(begun) } else { perform() }
  }

  /// Waits for the end of the work. Returns whether it had already ended.
  func wait() -> Bool {
    let wasDone = unsafe !isStarted || sem_trywait(ended) == 0
    if !wasDone { while unsafe sem_wait(ended) != 0 {} }  // a signal interrupts it
    work = nil
    return wasDone
  }

  private func live() {
    while true {
      while unsafe sem_wait(begun) != 0 {}
      perform()
      unsafe sem_post(ended)
    }
  }

  /// A separate function, so that no reference to the work is kept after it ends.
  @inline(never)
  private func perform() { work?() }

  /// Starts the thread with all signals blocked, so that they interrupt the first thread.
  private func start() -> Bool {
    guard unsafe sem_init(begun, 0, 0) == 0, unsafe sem_init(ended, 0, 0) == 0 else { return false }
    var (all, before) = (sigset_t(), sigset_t())
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    let retained = unsafe Unmanaged.passRetained(self).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      let error = unsafe pthread_create(&thread, nil, { unsafe WorkerThread.begin($0) }, retained)
    #else
      var thread = pthread_t()
      let error = unsafe pthread_create(&thread, nil, { unsafe $0.flatMap { unsafe WorkerThread.begin($0) } }, retained)
    #endif
    if error != 0 { unsafe Unmanaged<WorkerThread>.fromOpaque(retained).release() }
    return error == 0
  }

  private static func begin(_ retained: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    // Balances the retain in `start`.
    unsafe Unmanaged<WorkerThread>.fromOpaque(retained).takeRetainedValue().live()
    return nil
  }
}
