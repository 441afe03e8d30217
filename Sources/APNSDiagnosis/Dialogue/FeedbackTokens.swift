import APNSInput
import APNSWire
import Octets

/// The tokens that the feedback service reported, and the notifications that were sent to them.
public struct FeedbackTokens: Sendable {
  private let catalog: Catalog
  private var indices: [[UInt8]: Int] = [:]
  /// The reported tokens, in the order in which they were reported.
  package private(set) var tokens: [Token] = []
  /// The number of bytes of the service that are in no complete tuple, or are missing from the input.
  private var unread = 0
  /// The number of bytes that clients wrote to the service, and the connection of the first ones.
  public private(set) var written: (bytes: Int, connection: Int)?

  init(_ catalog: Catalog) { self.catalog = catalog }

  /// A reported token.
  public struct Token: Sendable {
    /// The bytes of the token.
    public let bytes: [UInt8]
    /// The time at which the service found that the app was removed, in seconds since 1970 UTC.
    package let timestamp: UInt64
    /// The number of notifications that were sent to the token after this time.
    public fileprivate(set) var sentAfter = 0
    /// The number of notifications to the token whose time of sending is not known.
    public fileprivate(set) var sent = 0
  }

  mutating func note(_ record: Record, _ bytes: Span<UInt8>) {
    if case .overlap = record.content { return }
    guard case .frame(let frame, nil) = record.content, let token = token(of: frame, bytes),
      let time = record.number(.timestamp, in: bytes, catalog)
    else {
      unread += record.count
      return
    }
    guard indices[token] == nil else { return }
    indices[token] = tokens.count
    tokens.append(Token(bytes: token, timestamp: time))
  }

  mutating func noteClient(_ record: Record) {
    switch record.content {
    case .frame, .unparsed:
      written = ((written?.bytes ?? 0) + record.count, written?.connection ?? record.stream.connection)
    case .gap, .overlap: break
    }
  }

  mutating func noteSent(_ frame: FrameRef, _ record: Record, _ bytes: Span<UInt8>) {
    guard !tokens.isEmpty, let token = token(of: frame, bytes), let index = indices[token] else { return }
    if let time = record.packets.first?.time {
      if time.seconds > 0, UInt64(time.seconds) >= tokens[index].timestamp { tokens[index].sentAfter += 1 }
    } else {
      tokens[index].sent += 1
    }
  }

  /// Observations about the feedback service, as one sentence each.
  public var remarks: [String] {
    return [
      written.map { bytes, connection in
        "the client wrote \(plural(bytes, "byte")) on connection \(connection): it need not send anything, the service "
          + "begins on its own"
      },
      unread == 0
        ? nil
        : "\(plural(unread, "byte")) of the service could not be read, so there may be more tokens: see apnscope check",
    ].compactMap(\.self)
  }

  private func token(of frame: FrameRef, _ bytes: Span<UInt8>) -> [UInt8]? {
    guard let leaf = catalog.leaf(.token, of: frame, in: bytes), leaf.state == .whole else { return nil }
    return [UInt8](copying: bytes.extracting(leaf.range))
  }
}
