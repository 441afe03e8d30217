import APNSPayload
import APNSWire
import Octets

/// A small stream that shows what a rule reports, or what it does not.
public struct Sample: Sendable {
  /// The bytes of the stream.
  public let bytes: [UInt8]
  /// The role of the stream.
  public let role: StreamRole
  /// The frames; nil for a stream of bytes.
  private let drafts: [FrameDraft]?
  /// The edition to apply.
  public private(set) var edition = Edition.standard
  /// The time of capture in seconds since 1970 UTC; nil if it is not known.
  public private(set) var time: Int?

  /// A stream of these frames. Its role is that of the first frame.
  ///
  /// - Precondition: each draft can be encoded.
  public static func frames(_ drafts: [FrameDraft]) -> Sample {
    guard let bytes = try? drafts.flatMap({ try $0.bytes() }) else {
      preconditionFailure("a sample leaves out a field")
    }
    return Sample(bytes: bytes, role: drafts.first?.schema.role ?? .provider, drafts: drafts)
  }

  /// A stream of bytes, as pairs of hexadecimal digits with or without spaces, followed by this many zero bytes.
  package static func hex(_ text: String, _ role: StreamRole = .provider, zeros: Int = 0) -> Sample {
    guard let bytes = [UInt8](hexDigits: text.utf8.filter { $0 != UInt8(ascii: " ") }) else {
      preconditionFailure("a sample is not pairs of digits")
    }
    return Sample(bytes: bytes + [UInt8](repeating: 0, count: zeros), role: role, drafts: nil)
  }

  /// Returns a copy that is judged by another edition than the standard one.
  public func edition(_ edition: Edition) -> Sample {
    var sample = self
    sample.edition = edition
    return sample
  }

  /// Returns a copy that was captured at this time, in seconds since 1970 UTC.
  public func time(_ seconds: Int) -> Sample {
    var sample = self
    sample.time = seconds
    return sample
  }

  /// The values of each frame that are not those of a valid sample; nil for a stream of bytes. A value is nil if the
  /// frame omits it.
  package var differences: [[(role: Field.Role, value: FieldDraft?)]]? {
    drafts?.map { draft in
      let valid = Self.valid.first { $0.schema.name == draft.schema.name }
      return draft.schema.paths.compactMap { path in
        guard let role = path.field?.role, role != .other, draft[path] != valid?[path] else { return nil }
        return (role, draft[path])
      }
    }
  }

  private static let valid = [notification(), enhanced(), legacy(), errorResponse(status: 8), feedback()]
    .flatMap { $0.drafts ?? [] }
}

extension Sample: ExpressibleByStringLiteral {
  /// A command 2 notification that is valid except for its payload.
  public init(stringLiteral payload: String) { self = .notification(payload) }

  /// A command 2 notification that is valid except for what is given. Items that are nil are left out.
  static func notification(
    _ payload: String = goodPayload, token: String = goodToken, identifier: UInt64? = 7, expiry: UInt64? = goodExpiry,
    priority: UInt64? = nil
  ) -> Sample {
    let numbers = [Field.Role.identifier: identifier, .expiry: expiry, .priority: priority]
    return frame(APNSWire.Notification.schema, token, Array(payload.utf8), numbers)
  }

  static func notification(_ payload: [UInt8]) -> Sample {
    frame(APNSWire.Notification.schema, goodToken, payload, [.identifier: 7, .expiry: goodExpiry])
  }

  /// A command 1 notification that is valid except for what is given.
  static func enhanced(
    _ payload: String = goodPayload, token: String = goodToken, identifier: UInt64 = 7, expiry: UInt64 = goodExpiry
  ) -> Sample {
    frame(EnhancedNotification.schema, token, Array(payload.utf8), [.identifier: identifier, .expiry: expiry])
  }

  /// A command 0 notification that is valid except for what is given.
  static func legacy(_ payload: String = goodPayload, token: String = goodToken) -> Sample {
    frame(LegacyNotification.schema, token, Array(payload.utf8))
  }

  static func errorResponse(status: UInt64, identifier: UInt64 = 7) -> Sample {
    frame(ErrorResponse.schema, nil, nil, [.status: status, .identifier: identifier])
  }

  static func feedback(_ timestamp: UInt64 = 1_384_732_800, token: String = goodToken) -> Sample {
    frame(FeedbackTuple.schema, token, nil, [.timestamp: timestamp])
  }

  private static func frame(
    _ schema: FrameSchema, _ token: String?, _ payload: [UInt8]?, _ numbers: [Field.Role: UInt64?] = [:]
  ) -> Sample {
    var values = numbers.compactMapValues { $0.map(FieldDraft.integer) }
    values[.token] = token.map { .octets(hex($0).bytes) }
    values[.payload] = payload.map { .octets($0) }
    var draft = FrameDraft(schema)
    for path in schema.paths {
      if let value = path.field.flatMap({ values[$0.role] }) { draft[path] = value }
    }
    return .frames([draft])
  }

  /// Concatenates two streams. The role, the edition and the time are those of the first.
  static func + (one: Sample, other: Sample) -> Sample {
    let drafts = one.drafts.flatMap { frames in other.drafts.map { frames + $0 } }
    return Sample(bytes: one.bytes + other.bytes, role: one.role, drafts: drafts, edition: one.edition, time: one.time)
  }

  static func twice(_ sample: Sample) -> Sample { sample + sample }

  static let goodPayload = #"{"aps":{"alert":"Hi"}}"#
  static let goodExpiry: UInt64 = 1_384_819_200
  static let goodToken = "fc13adff785122b4ad289a8098234124 1421348097878e577c991de8f01c9fa3"
}
