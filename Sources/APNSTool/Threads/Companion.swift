#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The second thread. It is given one piece of work at a time, while the first thread does another, and both wait for each
/// other before either goes on; nothing else is shared. There are two uses: ``ReadingAhead`` has it take streams while the
/// next ones are read, if little is written; ``RecordWriter`` has it write a part of the records, if each is written. The
/// output is the same with one thread.
///
/// Safe to use because the thread that gives it work waits until that is done before touching what the work does; the lock guards
/// what both threads see. Raw calls, since a process that reads one frame should not pay for more.
@safe package final class Companion: @unchecked Sendable {
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let change: UnsafeMutablePointer<pthread_cond_t>
  private var work: (() -> Void)?
  private var isDone = false

  /// Nil if there is no thread to be had. It lives as long as the process.
  package init?() {
    unsafe lock = .allocate(capacity: 1)
    unsafe change = .allocate(capacity: 1)
    unsafe pthread_mutex_init(lock, nil)
    unsafe pthread_cond_init(change, nil)
    guard start() else { return nil }
  }

  /// Does both at once. Whether `work` was done when `meanwhile` was.
  func run(_ work: () -> Void, _ meanwhile: () -> Void) -> Bool {
    withoutActuallyEscaping(work) { work in
      begin(work)
      meanwhile()
      return wait()
    }
  }

  /// Begins `work`; `wait` comes before any other work, and before anything that this work touches is touched.
  func begin(_ work: @escaping () -> Void) {
    unsafe pthread_mutex_lock(lock)
    self.work = work
    isDone = false
    unsafe pthread_cond_signal(change)
    unsafe pthread_mutex_unlock(lock)
  }

  /// Until the work is done. Whether it was done already.
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

  /// A call of its own, so that nothing is kept of the work when it is done.
  @inline(never)
  private func perform() { work?() }

  /// Signals go to the first thread, whose reading they end.
  private func start() -> Bool {
    var (all, before) = (sigset_t(), sigset_t())
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    let own = unsafe Unmanaged.passRetained(self).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      let error = unsafe pthread_create(&thread, nil, { unsafe Companion.begin($0) }, own)
    #else
      var thread = pthread_t()
      let error = unsafe pthread_create(&thread, nil, { unsafe $0.flatMap { unsafe Companion.begin($0) } }, own)
    #endif
    if error != 0 { unsafe Unmanaged<Companion>.fromOpaque(own).release() }
    return error == 0
  }

  private static func begin(_ own: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    // Retained when the thread was started.
    unsafe Unmanaged<Companion>.fromOpaque(own).takeRetainedValue().live()
    return nil
  }
}

/// The second thread of a run, started when it is first needed.
final class LazyCompanion {
  private(set) lazy var companion = Companion()
}
