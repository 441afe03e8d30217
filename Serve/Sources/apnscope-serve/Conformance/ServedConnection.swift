import APNSDiagnosis
import APNSInput

/// A connection that a provider opened.
struct ServedConnection {
  let number: Int
  /// Whether it leads to the push gateway, not to the feedback service.
  let isPush: Bool
  /// The number of the last packet of its handshake.
  let opening: Int
  /// The number of bytes that the feedback service still has for it.
  var unsentCount: Int
  /// The number of the packet with which one side closed it first; nil if none did.
  private(set) var end: Int?
  /// What the gateway did first, other than to accept a notification; nil if nothing.
  var reaction: Reaction?
  /// Whether the server reset it.
  private(set) var wasReset = false
  /// How the provider closed it; open if it did not.
  private(set) var ending = StreamEnding.open
  /// Whether nothing more of the provider arrives on it.
  private(set) var isOver = false
  /// What the packets say, if it leads to the push gateway and has notifications or an answer.
  var conversation: Conversation?
  /// When the gateway last sent something.
  private(set) var answerTime: CaptureTime?

  var evidence: Evidence { Evidence(connection: number) }

  /// Notes what one side did. `packetCount` includes the packets of that.
  mutating func note(
    _ traffic: SessionEvent.Traffic, at time: CaptureTime, fromProvider isFromProvider: Bool, packetCount: Int
  ) {
    switch traffic {
    case .sent(let bytes) where !isFromProvider:
      if isPush { answerTime = time } else { unsentCount -= bytes.count }
    case .opened, .sent: break
    case .closed(let isReset):
      if isFromProvider { ending = isReset ? .reset : end == nil ? .finished : .finishedAfterPeer }
      wasReset = wasReset || isReset && !isFromProvider
      isOver = isOver || isReset || isFromProvider
      end = end ?? packetCount
    case .abandoned: isOver = true
    }
  }
}
