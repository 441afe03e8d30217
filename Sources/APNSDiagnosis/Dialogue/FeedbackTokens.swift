import APNSInput
import APNSWire
import Octets

/// The tokens that the feedback service reported, and the notifications that were sent to them.
public struct FeedbackTokens: Sendable {
  private let catalog: Catalog
  private var places: [[UInt8]: Int] = [:]
  /// The reported tokens, in the order in which they were reported.
  public private(set) var tokens: [Token] = []
  /// The number of reported tokens that were not recorded, because there were too many or they were too long.
  public private(set) var forgotten = 0
  /// The number of bytes that clients wrote to the service, and the connection of the first ones.
  public private(set) var written: (bytes: Int, connection: Int)?

  /// The maximum number of recorded tokens. A large app's report for a day has fewer.
  static let most = 1 << 17

  init(_ catalog: Catalog) { self.catalog = catalog }

  /// A reported token.
  public struct Token: Sendable {
    /// The bytes of the token.
    public let bytes: [UInt8]
    /// The time at which the service found that the app was removed, in seconds since 1970 UTC.
    public let timestamp: UInt64
    /// The number of notifications that were sent to the token after this time.
    public fileprivate(set) var sentAfter = 0
    /// The number of notifications to the token whose time of sending is not known.
    public fileprivate(set) var sent = 0
  }

  mutating func note(_ record: Record, _ bytes: Span<UInt8>) {
    guard case .frame(let frame, nil) = record.content, let token = token(of: frame, bytes),
      let time = record.number(.timestamp, in: bytes, catalog), places[token] == nil
    else { return }
    guard tokens.count < Self.most, token.count <= Field.tokenSizes.upperBound else {
      forgotten += 1
      return
    }
    places[token] = tokens.count
    tokens.append(Token(bytes: token, timestamp: time))
  }

  mutating func noteClient(_ record: Record) {
    guard record.content.hasBytes else { return }
    let old = written ?? (0, record.stream.connection)
    written = (old.bytes + record.count, old.connection)
  }

  mutating func noteSent(_ record: Record, _ bytes: Span<UInt8>) {
    guard !tokens.isEmpty, case .frame(let frame, _) = record.content, let token = token(of: frame, bytes),
      let place = places[token]
    else { return }
    guard let time = record.packets.first?.time else {
      tokens[place].sent += 1
      return
    }
    if time.seconds > 0, UInt64(time.seconds) >= tokens[place].timestamp { tokens[place].sentAfter += 1 }
  }

  /// Observations about the feedback service, as one sentence each.
  public var remarks: [String] {
    written.map {
      [
        "the client wrote \(plural($0.bytes, "byte")) on connection \($0.connection): it need not send anything, the "
          + "service begins on its own"
      ]
    } ?? []
  }

  private func token(of frame: FrameRef, _ bytes: Span<UInt8>) -> [UInt8]? {
    guard let leaf = catalog.leaf(.token, of: frame, in: bytes), leaf.state == .whole else { return nil }
    return [UInt8](copying: bytes.extracting(leaf.range))
  }
}

extension Record.Content {
  fileprivate var hasBytes: Bool {
    switch self {
    case .frame, .unparsed: true
    case .gap, .overlap: false
    }
  }
}
