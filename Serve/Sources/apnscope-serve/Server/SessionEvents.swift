import APNSInput
import NIOConcurrencyHelpers

/// What happens on a server's connections.
enum SessionEvent: Sendable {
  /// The source of the route did this.
  case traffic(Traffic, ByteStream.Route, CaptureTime)
  /// The gateway reacts to a notification of the source of the route. What it sends follows as further events.
  case reacted(Reaction, ByteStream.Route)
  /// A sentence for people about a connection that contains no frames, such as a failed TLS handshake.
  case remark(String)
  /// The server restarted. Connections that are opened after this belong to the new run; others are being closed.
  case restarted
  /// The server closes all connections.
  case stopping
  /// The server stopped; no more events follow.
  case stopped

  enum Traffic {
    /// The client connected.
    case opened
    /// One side sent bytes, shown after decryption.
    case sent([UInt8])
    /// One side closed its direction (FIN), or aborted the connection (RST).
    case closed(isReset: Bool)
    /// The client had not closed its direction when the server closed the socket.
    case abandoned
  }
}

/// Passes events from the thread that reads the sockets to the thread that shows the records.
///
/// When too many bytes wait, the first thread waits too, and so do all clients: nothing is lost, and memory is bounded.
/// Safe, because `lock` guards everything.
final class SessionEvents: @unchecked Sendable {
  /// Whether there are events.
  private let lock = ConditionLock(value: false)
  private var events: [SessionEvent] = []
  /// The approximate size of the events in memory.
  private var bytes = 0
  private var hasStopped = false
  private static let mostBytes = 4 << 20

  /// Adds an event at the end, unless the server has stopped.
  func add(_ event: SessionEvent) {
    lock.lock()
    guard !hasStopped else { return lock.unlock() }
    if bytes > Self.mostBytes {
      lock.unlock()
      lock.lock(whenValue: false)
    }
    if case .stopped = event { hasStopped = true }
    if case .traffic(.sent(let sent), _, _) = event { bytes += sent.count }
    bytes += 128
    events.append(event)
    lock.unlock(withValue: true)
  }

  /// Removes and returns all events. If there are none, it waits up to `seconds` for the first one.
  func take(waitingFor seconds: Double) -> [SessionEvent] {
    guard lock.lock(whenValue: true, timeoutSeconds: seconds) else { return [] }
    let taken = events
    (events, bytes) = ([], 0)
    lock.unlock(withValue: false)
    return taken
  }
}
