#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The second thread. It does one piece of work at a time while the first thread does another; both wait for each other
/// before either continues, and nothing else is shared. There are two uses: ``ReadingAhead`` dissects streams while the
/// next ones are read, if little is written; ``RecordWriter`` writes a part of the records, if each is written. The
/// output is the same as with one thread.
///
/// Safe, because the first thread waits for the end of the work before it accesses anything that the work uses, and a
/// lock guards the state that both threads access. It uses pthreads directly, because a process that reads one frame
/// should start quickly.
@safe final class WorkerThread: @unchecked Sendable {
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let change: UnsafeMutablePointer<pthread_cond_t>
  private var work: (() -> Void)?
  private var isDone = false

  /// Starts the thread, which lives as long as the process. Nil if none can be started.
  init?() {
    unsafe lock = .allocate(capacity: 1)
    unsafe change = .allocate(capacity: 1)
    unsafe pthread_mutex_init(lock, nil)
    unsafe pthread_cond_init(change, nil)
    guard start() else { return nil }
  }

  /// Runs `work` on the thread and `meanwhile` on the caller, and waits for both. Returns whether `work` finished
  /// first.
  func run(_ work: () -> Void, _ meanwhile: () -> Void) -> Bool {
    withoutActuallyEscaping(work) { work in
      begin(work)
      meanwhile()
      return wait()
    }
  }

  /// Starts `work`. The caller must call `wait` before it starts other work or accesses anything that this work uses.
  func begin(_ work: @escaping () -> Void) {
    unsafe pthread_mutex_lock(lock)
    self.work = work
    isDone = false
    unsafe pthread_cond_signal(change)
    unsafe pthread_mutex_unlock(lock)
  }

  /// Waits for the end of the work. Returns whether it had already ended.
  func wait() -> Bool {
    unsafe pthread_mutex_lock(lock)
    let wasDone = isDone
    while !isDone { unsafe pthread_cond_wait(change, lock) }
    work = nil
    unsafe pthread_mutex_unlock(lock)
    return wasDone
  }

  private func live() {
    while true {
      unsafe pthread_mutex_lock(lock)
      while work == nil || isDone { unsafe pthread_cond_wait(change, lock) }
      unsafe pthread_mutex_unlock(lock)
      perform()
      unsafe pthread_mutex_lock(lock)
      isDone = true
      unsafe pthread_cond_signal(change)
      unsafe pthread_mutex_unlock(lock)
    }
  }

  /// A separate function, so that no reference to the work is kept after it ends.
  @inline(never)
  private func perform() { work?() }

  /// Starts the thread with all signals blocked, so that they interrupt the reads of the first thread.
  private func start() -> Bool {
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

/// The second thread of a run, started on first use.
final class LazyWorkerThread {
  private(set) lazy var worker = WorkerThread()
}
