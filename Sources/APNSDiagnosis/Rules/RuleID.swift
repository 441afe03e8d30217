extension Rule {
  /// The name of a rule in reports and on the command line: stable, in kebab case. A misspelled name does not compile.
  public struct ID: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Aps is empty.
    public static let apsEmpty = Self(rawValue: "aps-empty")
    /// The payload has no aps.
    public static let apsMissing = Self(rawValue: "aps-missing")
    /// Aps is not an object.
    public static let apsNotObject = Self(rawValue: "aps-not-object")
    /// The stream is JSON without a frame around it.
    public static let bareJSON = Self(rawValue: "bare-json")
    /// An alert object has only a body.
    public static let bodyOnlyAlert = Self(rawValue: "body-only-alert")
    /// The stream looks like the protocol between devices and APNs (port 5223).
    public static let deviceProtocol = Self(rawValue: "device-protocol")
    /// The payload has no bytes.
    public static let emptyPayload = Self(rawValue: "empty-payload")
    /// The device token has no bytes.
    public static let emptyToken = Self(rawValue: "empty-token")
    /// Characters are written as \u escapes.
    public static let escapedText = Self(rawValue: "escaped-text")
    /// The expiry is in host byte order.
    public static let expiryByteSwapped = Self(rawValue: "expiry-byte-swapped")
    /// The expiry is the largest signed number.
    public static let expiryMaximum = Self(rawValue: "expiry-maximum")
    /// The expiry is in milliseconds.
    public static let expiryMilliseconds = Self(rawValue: "expiry-milliseconds")
    /// The expiry is a time in another notation.
    public static let expiryOtherForm = Self(rawValue: "expiry-other-form")
    /// The expiry is -1.
    public static let expiryOverflow = Self(rawValue: "expiry-overflow")
    /// The notification expired before it was sent.
    public static let expiryPast = Self(rawValue: "expiry-past")
    /// The expiry is a lifetime, not a time.
    public static let expiryRelative = Self(rawValue: "expiry-relative")
    /// The expiry asks the service not to store the notification.
    public static let expiryZero = Self(rawValue: "expiry-zero")
    /// A client wrote to the feedback service.
    public static let feedbackClientWrites = Self(rawValue: "feedback-client-writes")
    /// Feedback tuples came from the port for notifications.
    public static let feedbackOnPushPort = Self(rawValue: "feedback-on-push-port")
    /// A feedback tuple is read from an incorrect offset.
    public static let feedbackShifted = Self(rawValue: "feedback-shifted")
    /// The time of a feedback tuple is impossible.
    public static let feedbackTime = Self(rawValue: "feedback-time")
    /// The stream is HTTP/1, not the binary protocol.
    public static let http1Message = Self(rawValue: "http1-message")
    /// The stream is HTTP/2, the provider API that replaced the binary protocol.
    public static let http2Preface = Self(rawValue: "http2-preface")
    /// Identifiers are little-endian.
    public static let identifierByteSwapped = Self(rawValue: "identifier-byte-swapped")
    /// A notification has no identifier.
    public static let identifierMissing = Self(rawValue: "identifier-missing")
    /// Two notifications of a connection have the same identifier.
    public static let identifierRepeated = Self(rawValue: "identifier-repeated")
    /// The identifier is 0.
    public static let identifierZero = Self(rawValue: "identifier-zero")
    /// A push at priority 10 triggers no alert, sound or badge.
    public static let immediateSilent = Self(rawValue: "immediate-silent")
    /// An item claims more bytes than its frame has left.
    public static let itemOverrun = Self(rawValue: "item-overrun")
    /// A byte order mark precedes the payload.
    public static let jsonByteOrderMark = Self(rawValue: "json-byte-order-mark")
    /// A string has a control character that is not escaped.
    public static let jsonControlCharacter = Self(rawValue: "json-control-character")
    /// The payload ends before its JSON is complete.
    public static let jsonCut = Self(rawValue: "json-cut")
    /// A byte of the payload is not UTF-8.
    public static let jsonNotUTF8 = Self(rawValue: "json-not-utf8")
    /// Keys or strings are not in straight double quotes.
    public static let jsonQuotes = Self(rawValue: "json-quotes")
    /// Bytes follow the JSON of the payload.
    public static let jsonTerminated = Self(rawValue: "json-terminated")
    /// A comma precedes a closing bracket.
    public static let jsonTrailingComma = Self(rawValue: "json-trailing-comma")
    /// The payload is UTF-16 or UTF-32.
    public static let jsonUTF16 = Self(rawValue: "json-utf16")
    /// The payload has white space between its values.
    public static let jsonWhiteSpace = Self(rawValue: "json-white-space")
    /// A documented key is in the wrong object.
    public static let keyMisplaced = Self(rawValue: "key-misplaced")
    /// A key looks like a documented one but is not.
    public static let keyMisspelt = Self(rawValue: "key-misspelt")
    /// The edition does not list this key.
    public static let keyNewerThanEdition = Self(rawValue: "key-newer-than-edition")
    /// A documented key has a value of an undocumented type.
    public static let keyType = Self(rawValue: "key-type")
    /// A key of Apple's objects is not documented.
    public static let keyUnknown = Self(rawValue: "key-unknown")
    /// A documented key has a value that is not documented.
    public static let keyValue = Self(rawValue: "key-value")
    /// An alert has arguments without the text that they fill.
    public static let locArgsWithoutKey = Self(rawValue: "loc-args-without-key")
    /// An escape is half of a surrogate pair.
    public static let loneSurrogate = Self(rawValue: "lone-surrogate")
    /// Text was damaged before it was sent.
    public static let mangledText = Self(rawValue: "mangled-text")
    /// Bytes of the stream are missing from the capture.
    public static let missingBytes = Self(rawValue: "missing-bytes")
    /// A notification has no token or no payload.
    public static let missingItem = Self(rawValue: "missing-item")
    /// A frame has more errors than are listed.
    public static let moreFaults = Self(rawValue: "more-faults")
    /// A notification asks for more than one action.
    public static let moreThanOneAction = Self(rawValue: "more-than-one-action")
    /// The edition does not document this frame type or item.
    public static let newerThanEdition = Self(rawValue: "newer-than-edition")
    /// The service answered and left the connection open.
    public static let noCloseAfterAnswer = Self(rawValue: "no-close-after-answer")
    /// Bytes after a gap belong to no recognizable frame.
    public static let noFrameFound = Self(rawValue: "no-frame-found")
    /// A custom key is null.
    public static let nullValue = Self(rawValue: "null-value")
    /// Two packets carry different bytes for the same part of the stream.
    public static let overlappingBytes = Self(rawValue: "overlapping-bytes")
    /// A frame ends before its length says: what looks like the next frame begins earlier.
    public static let overruledLength = Self(rawValue: "overruled-length")
    /// A frame length is larger than any notification.
    public static let oversizedFrame = Self(rawValue: "oversized-frame")
    /// The payload is not JSON.
    public static let payloadNotJSON = Self(rawValue: "payload-not-json")
    /// The payload is JSON, but not an object.
    public static let payloadNotObject = Self(rawValue: "payload-not-object")
    /// The payload is longer than allowed.
    public static let payloadTooLong = Self(rawValue: "payload-too-long")
    /// The priority is neither 5 nor 10.
    public static let priorityValue = Self(rawValue: "priority-value")
    /// A proxy wrote a PROXY protocol header before the stream.
    public static let proxyHeader = Self(rawValue: "proxy-header")
    /// Notifications were written to the feedback service.
    public static let pushOnFeedbackPort = Self(rawValue: "push-on-feedback-port")
    /// Connections are opened and closed in quick succession.
    public static let rapidConnections = Self(rawValue: "rapid-connections")
    /// A batch of notifications is sent as often as it has notifications.
    public static let repeatedBatch = Self(rawValue: "repeated-batch")
    /// An item appears twice in one frame.
    public static let repeatedItem = Self(rawValue: "repeated-item")
    /// A key appears twice in one object.
    public static let repeatedKey = Self(rawValue: "repeated-key")
    /// The service answered twice on one connection.
    public static let secondAnswer = Self(rawValue: "second-answer")
    /// The bytes show a sender's bug that no other rule reports.
    public static let senderFault = Self(rawValue: "sender-fault")
    /// A notification was written after the service had answered.
    public static let sentAfterAnswer = Self(rawValue: "sent-after-answer")
    /// An alert beside content-available is empty.
    public static let silentWithAlert = Self(rawValue: "silent-with-alert")
    /// A frame has bytes after its last item.
    public static let spareBytes = Self(rawValue: "spare-bytes")
    /// The edition does not list the status.
    public static let statusNewerThanEdition = Self(rawValue: "status-newer-than-edition")
    /// No edition lists the status.
    public static let statusNotDocumented = Self(rawValue: "status-not-documented")
    /// The gateway shuts the connection down.
    public static let statusShutdown = Self(rawValue: "status-shutdown")
    /// The status says that there is no error.
    public static let statusZero = Self(rawValue: "status-zero")
    /// The service answers notifications that it accepts.
    public static let successAnswered = Self(rawValue: "success-answered")
    /// The stream is TLS and still encrypted.
    public static let tlsRecords = Self(rawValue: "tls-records")
    /// The device token is all zero.
    public static let tokenAllZero = Self(rawValue: "token-all-zero")
    /// The device token is text.
    public static let tokenAsDescription = Self(rawValue: "token-as-description")
    /// The device token is hexadecimal text.
    public static let tokenAsHexText = Self(rawValue: "token-as-hex-text")
    /// The device token has an impossible size.
    public static let tokenLength = Self(rawValue: "token-length")
    /// The device token ends in zeros.
    public static let tokenPadded = Self(rawValue: "token-padded")
    /// The stream ends inside a frame.
    public static let truncated = Self(rawValue: "truncated")
    /// Bytes where a frame should begin do not start with a command.
    public static let unknownCommand = Self(rawValue: "unknown-command")
    /// No edition documents the item's id.
    public static let unknownItem = Self(rawValue: "unknown-item")
    /// A number does not have its documented size.
    public static let wrongItemSize = Self(rawValue: "wrong-item-size")
  }
}
