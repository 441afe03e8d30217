import APNSInput
import APNSWire
import Octets

/// Tokens that the feedback service reported, and what was sent to them all the same.
public struct FeedbackTokens: Sendable {
  private let catalog: Catalog
  private var places: [[UInt8]: Int] = [:]
  /// In the order of their report.
  public private(set) var tokens: [Token] = []
  /// Reported, but too many to remember, or longer than any token.
  public private(set) var forgotten = 0
  /// What clients wrote to the service: bytes, and the connection of the first ones.
  public private(set) var written: (bytes: Int, connection: Int)?

  /// So many are remembered; a day's report of a large app has fewer.
  static let most = 1 << 17

  init(_ catalog: Catalog) { self.catalog = catalog }

  public struct Token: Sendable {
    public let bytes: [UInt8]
    /// When the service found that the app is gone, in seconds since 1970 UTC.
    public let timestamp: UInt64
    /// Notifications that were sent to it behind that time.
    public fileprivate(set) var sentAfter = 0
    /// Notifications to it whose time is not known.
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

  /// A sentence each.
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
