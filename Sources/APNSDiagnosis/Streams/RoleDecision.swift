import APNSInput
import APNSWire

/// How to determine the role of a stream: by its content first, then by its port. A port alone is not enough, because
/// 2195 and 2196 are also used for TLS and HTTP/2.
public struct RolePolicy: Sendable {
  /// The role of all streams, if the user gave one.
  public var role: StreamRole?
  /// Whether streams have this role even if they begin like another protocol.
  public var isRoleCertain = false
  /// The services that ports are used for, if the user gave any. A port may be that of either side.
  package var ports: [UInt16: Service]

  /// Creates a policy. By default, roles are determined by content and by Apple's ports.
  public init(role: StreamRole? = nil, ports: [UInt16: Service] = [:]) {
    self.role = role
    self.ports = ports
  }

  /// A service of Apple.
  public enum Service: String, Sendable, CaseIterable {
    /// Notifications and error responses. Apple's port was 2195.
    case push
    /// The feedback service. Apple's port was 2196.
    case feedback
  }

  /// The ports of Apple's services.
  public static let documentedPorts: [UInt16: Service] = [Endpoint.pushPort: .push, Endpoint.feedbackPort: .feedback]

  /// The role of a stream according to a table of ports.
  static func role(of route: ByteStream.Route?, by ports: [UInt16: Service]) -> StreamRole? {
    guard let route else { return nil }
    if let service = ports[route.destination.port] { return service == .push ? .provider : nil }
    if let service = ports[route.source.port] { return service == .push ? .gateway : .feedback }
    return nil
  }
}

enum RoleDecision {
  case role(StreamRole)
  /// No frame shows the role. This one is the most likely, unless faulty tuples show another.
  case guess(StreamRole)
  case foreign(ForeignProtocol)
  /// More of the stream is needed to decide.
  case open

  /// At most this many bytes from the stream's beginning are inspected.
  static let window = 1 << 16

  /// Decides the role of a stream. The decision does not depend on how the bytes arrive: each check waits until more
  /// bytes could not change its result.
  static func of(
    _ bytes: Span<UInt8>, isAligned: Bool, isFinal: Bool, stream: ByteStream, policy: RolePolicy,
    catalog: Catalog
  ) -> RoleDecision {
    guard let first = bytes.isEmpty ? nil : bytes[0] else { return .open }
    let hasAllBytes = isFinal || bytes.count >= window
    if let role = policy.role ?? RolePolicy.role(of: stream.route, by: policy.ports) {
      let mayBegin =
        catalog.hasCommands(role)
        ? catalog.knows(first, from: role)
        : catalog.plausibleFrame(at: 0, in: bytes, of: role).map { catalog.isUsual($0, in: bytes) } == true
      guard isAligned, !policy.isRoleCertain, !mayBegin else { return .role(role) }
      // The given role cannot begin with these bytes. Check for another protocol.
      guard hasAllBytes || bytes.count >= longestSignature else { return .open }
      guard let foreign = ForeignProtocol.recognize(bytes) else { return .role(role) }
      guard hasAllBytes else { return .open }
      guard roleOfFrames(in: bytes, holdingJSON: true, isFinal: isFinal, catalog) == nil else { return .role(role) }
      return .foreign(foreign)
    }
    guard isAligned else { return unaligned(bytes, isFinal: isFinal, stream: stream, catalog: catalog) }
    let byPort = RolePolicy.role(of: stream.route, by: RolePolicy.documentedPorts)
    let roles = catalog.roles
    let tagged = roles.filter { catalog.hasCommands($0) && catalog.knows(first, from: $0) }
    let untagged = roles.filter { !catalog.hasCommands($0) }

    for role in tagged {
      let frame = catalog.frame(at: 0, in: bytes, of: role)
      let evidence = FrameEvidence(frame, in: bytes, catalog)
      guard frame.condition == .complete, evidence.isPlausible else { continue }
      let isAmbiguous = untagged.contains { catalog.isPlausible(catalog.frame(at: 0, in: bytes, of: $0), in: bytes) }
      if byPort == role || evidence.holdsJSON || !isAmbiguous && evidence.isUsual { return .role(role) }
    }
    let showsSignature = hasAllBytes || bytes.count >= longestSignature
    if tagged.isEmpty, showsSignature, ForeignProtocol.recognize(bytes) == nil {
      // Only a tuple can start with this byte.
      for role in untagged {
        let frame = catalog.frame(at: 0, in: bytes, of: role)
        let evidence = FrameEvidence(frame, in: bytes, catalog)
        guard evidence.isPlausible else { continue }
        if frame.condition != .complete, !hasAllBytes { return .open }
        if frame.condition == .complete, hasUsualDate(frame, in: bytes, catalog),
          byPort == role || evidence.isUsual
        {
          return .role(role)
        }
      }
    }
    guard hasAllBytes else { return .open }
    if let role = untagged.first(where: { tiles(bytes, as: $0, isFinal: isFinal, catalog) }) { return .role(role) }
    if let role = roleOfFrames(in: bytes, holdingJSON: true, isFinal: isFinal, catalog) { return .role(role) }
    if let foreign = ForeignProtocol.recognize(bytes) { return .foreign(foreign) }
    return .guess(tagged.first { $0 == byPort } ?? tagged.first ?? byPort ?? role(byDirectionOf: stream, catalog))
  }

  /// Whether a stream of `role` begins in the middle of a frame: the capture began while the connection was open, and
  /// frames follow each other only after other bytes. Nil if more of the stream is needed to decide.
  static func beginsInside(
    _ bytes: Span<UInt8>, isFinal: Bool, of stream: ByteStream, _ role: StreamRole, _ catalog: Catalog
  ) -> Bool? {
    // A zero is rather a part of a number than a command.
    guard stream.beginning == .midway, catalog.hasCommands(role), bytes[0] == 0 || !catalog.knows(bytes[0], from: role)
    else { return false }
    if catalog.plausibleFrame(at: 0, in: bytes, of: role) != nil { return false }
    guard isFinal || bytes.count >= window else { return nil }
    return roleOfFrames(in: bytes, holdingJSON: true, isFinal: isFinal, catalog) == role
  }

  /// The role whose frames follow each other at the first possible offset.
  ///
  /// - Parameter holdingJSON: whether only frames with a command and a payload count. They are also recognized if the
  ///   stream begins in the middle of a frame, whose rest may look like bare JSON, a tuple or an error response.
  private static func roleOfFrames(
    in bytes: Span<UInt8>, holdingJSON: Bool, isFinal: Bool, _ catalog: Catalog
  ) -> StreamRole? {
    let roles = holdingJSON ? catalog.roles.filter(catalog.hasCommands) : catalog.roles
    for start in 0..<min(bytes.count, window) {
      for role in roles {
        if holdingJSON {
          guard catalog.knows(bytes[start], from: role),
            case let frame = catalog.frame(at: start, in: bytes, of: role),
            FrameEvidence(frame, in: bytes, catalog).holdsJSON
          else { continue }
        }
        if FrameSearch(role, isFinal: isFinal).frames(at: start, in: bytes, catalog) == true { return role }
      }
    }
    return nil
  }

  /// Decides without the first bytes of a stream: by its port, or by the frames that are found first.
  private static func unaligned(
    _ bytes: Span<UInt8>, isFinal: Bool, stream: ByteStream, catalog: Catalog
  ) -> RoleDecision {
    if let role = RolePolicy.role(of: stream.route, by: RolePolicy.documentedPorts) { return .role(role) }
    guard isFinal || bytes.count >= window else { return .open }
    let found = roleOfFrames(in: bytes, holdingJSON: false, isFinal: isFinal, catalog)
    return .role(found ?? role(byDirectionOf: stream, catalog))
  }

  /// The role by direction if content and port do not decide: the side that opened the connection is the provider, the
  /// other side is the gateway.
  private static func role(byDirectionOf stream: ByteStream, _ catalog: Catalog) -> StreamRole {
    let isAnswer = stream.isDirected && stream.number % 2 == 1
    return isAnswer && catalog.roles.contains(.gateway) ? .gateway : catalog.roles.first ?? .provider
  }

  /// The size in bytes of the longest signature of another protocol.
  private static let longestSignature = 16

  /// Whether its first date, if it has one, is after the start of the service and fits into 32 signed bits.
  private static func hasUsualDate(_ frame: FrameRef, in bytes: Span<UInt8>, _ catalog: Catalog) -> Bool {
    guard let date = catalog.leaf(.timestamp, of: frame, in: bytes)?.integer(in: bytes) else { return true }
    return UInt64(Catalog.serviceBegan)...UInt64(Int32.max) ~= date
  }

  /// Whether all of the bytes are complete, plausible frames. Only the last frame may continue after the window.
  private static func tiles(
    _ bytes: Span<UInt8>, as role: StreamRole, isFinal: Bool, _ catalog: Catalog
  ) -> Bool {
    var position = 0
    while position < bytes.count {
      let frame = catalog.frame(at: position, in: bytes, of: role)
      guard catalog.isPlausible(frame, in: bytes) else { return false }
      if frame.condition != .complete { return !isFinal && position > 0 }
      position = frame.end
    }
    return position > 0
  }
}

extension FrameEvidence {
  /// Whether it is plausible, and has a payload, of which some has arrived.
  fileprivate var holdsJSON: Bool { isPlausible && payload?.range.isEmpty == false }
}
