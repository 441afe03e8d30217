import APNSPayload
import APNSWire

/// What rules ask of one frame, found once: its values, its payload taken apart, and what is known beside its bytes.
struct FrameFacts {
  let catalog: Catalog
  let edition: Edition
  /// Its offsets count from the frame's first byte, as all here do.
  var frame = FrameRef(start: 0, end: 0, schema: FrameRef.noSchema, condition: .tail)
  /// Why the bytes end behind the frame, should it be cut.
  var ending = RunEnding.over
  /// When its first packet was captured, in seconds since 1970 UTC; nil outside captures.
  var time: Int?
  /// Whose stream it is in; nil if that is not known.
  var role: StreamRole?
  var position = Position.afterDamage
  /// Where the JSON of the payload is closed, if that is past the payload's length. It may be past the frame's end, too.
  var payloadClose: Int?
  /// Something is wrong with its structure.
  var isMalformed = false
  /// Items that it lacks, or has more than once.
  var hasWrongItems = false
  /// A provider sent it to the service, which may refuse it; what others write nobody refuses.
  var isSent = false
  /// What its identifier is among those before it on the stream.
  var sighting = IdentifierSighting()

  // The first whole value of each kind, wherever it stands.
  var token: FieldRef?
  var payload: FieldRef?
  var identifier: FieldRef?
  var expiry: FieldRef?
  var priority: FieldRef?
  var status: FieldRef?
  var timestamp: FieldRef?

  /// Other whole values that are JSON: a second payload, fields of other frame types.
  var otherJSON: [FieldRef] = []
  /// Of the payload; empty where the frame has none.
  var outline = PayloadOutline()

  /// What precedes the frame in its stream.
  enum Position { case streamStart, afterFrame, afterDamage }

  init(_ catalog: Catalog, _ edition: Edition) {
    self.catalog = catalog
    self.edition = edition
  }

  var schema: FrameSchema? { catalog.schema(of: frame) }

  /// It says what to deliver, and to whom.
  var isNotification: Bool { token != nil && payload != nil }
}
