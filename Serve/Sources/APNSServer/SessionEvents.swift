import APNSGateway
import APNSInput
import NIOConcurrencyHelpers

/// What happens on a server's connections.
public enum SessionEvent: Sendable {
  /// A client connected. Its side is the source of the route.
  case opened(ByteStream.Route, CaptureTime)
  /// The source of the route sent bytes, shown after decryption.
  case sent([UInt8], ByteStream.Route, CaptureTime)
  /// The source of the route closed its direction (FIN), or aborted the connection (RST).
  case closed(ByteStream.Route, isReset: Bool, CaptureTime)
  /// The server closed the socket, although the source of the route has not closed its direction.
  case abandoned(ByteStream.Route, CaptureTime)
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
}

/// Passes events from the thread that reads the sockets to the thread that shows the records.
///
/// When too many bytes wait, the first thread waits too, and so do all clients: nothing is lost, and memory is bounded.
/// Safe, because `lock` guards everything.
public final class SessionEvents: @unchecked Sendable {
  private let lock = ConditionLock(value: State.empty)
  private var events: [SessionEvent] = []
  private var bytes = 0
  private var hasStopped = false

  private enum State { case empty, filled }
  private static let mostBytes = 4 << 20

  init() {}

  /// Adds an event at the end, unless the server has stopped.
  func add(_ event: SessionEvent) {
    lock.lock()
    guard !hasStopped else { return lock.unlock() }
    if bytes > Self.mostBytes {
      lock.unlock()
      lock.lock(whenValue: .empty)
    }
    if case .stopped = event { hasStopped = true }
    events.append(event)
    bytes += event.size
    lock.unlock(withValue: .filled)
  }

  /// Removes and returns all events. If there are none, it waits up to `seconds` for the first one.
  public func take(waitingFor seconds: Double) -> [SessionEvent] {
    guard lock.lock(whenValue: .filled, timeoutSeconds: seconds) else { return [] }
    let taken = events
    (events, bytes) = ([], 0)
    lock.unlock(withValue: .empty)
    return taken
  }
}

extension SessionEvent {
  /// The approximate size in memory, in bytes.
  fileprivate var size: Int {
    if case .sent(let bytes, _, _) = self { bytes.count + 128 } else { 128 }
  }
}
