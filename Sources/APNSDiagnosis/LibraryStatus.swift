/// A number that a client library reports as a status although the gateway never sends it.
public struct LibraryStatus: Sendable {
  /// The number as the library prints it.
  public let code: String
  /// The meaning in a few words.
  public let title: String
  /// The consequence for the user.
  public let meaning: String
  /// The library that reports it.
  public let source: String

  /// All known numbers of this kind.
  public static let all = [
    LibraryStatus(
      code: "-1", title: "status 255 in a signed byte",
      meaning: "The library keeps the byte in a signed type: it is 255, None (unknown).",
      source: "java-apns, rapns, houston and others"),
    LibraryStatus(
      code: "-2", title: "status 254 in a signed byte",
      meaning: "The library's own number for a status that it does not know. The gateway never sends it.",
      source: "java-apns, DeliveryError"),
    LibraryStatus(
      code: "254", title: "unknown to the library",
      meaning: "The library's own number for a status that it does not know. The gateway never sends it.",
      source: "java-apns, DeliveryError"),
    LibraryStatus(
      code: "256", title: "None (unknown), miscounted",
      meaning: "The library's table is off by one: 255 is meant. A status is one byte, so it cannot be 256.",
      source: "grocer, its table of errors"),
    LibraryStatus(
      code: "512", title: "too many attempts",
      meaning: "The library gave up on a notification. The gateway sent nothing.",
      source: "node-apn, its table of errors"),
    LibraryStatus(
      code: "513", title: "the library could not start",
      meaning: "Usually the certificate or the key could not be read. Nothing was sent.",
      source: "node-apn, its table of errors"),
    LibraryStatus(
      code: "514", title: "too many attempts to connect",
      meaning: "No connection could be opened. Nothing was sent.", source: "node-apn, its table of errors"),
    LibraryStatus(
      code: "515", title: "the connection broke",
      meaning: "The connection ended before the notification was certainly written. Whether it arrived is not known.",
      source: "node-apn, its table of errors"),
  ]
}
