/// A number that a client library reports as a status, though no service ever sent it.
public struct LibraryStatus: Sendable {
  /// As the library prints it.
  public let code: String
  public let title: String
  public let meaning: String
  public let source: String

  public static let all = [
    LibraryStatus(
      code: "-1", title: "status 255 in a signed byte",
      meaning: "The library keeps the byte signed: it is 255, None (unknown).",
      source: "java-apns, rapns, houston and others"),
    LibraryStatus(
      code: "-2", title: "status 254 in a signed byte",
      meaning: "The library's own word for a status that it does not know; it never came from the service.",
      source: "java-apns, DeliveryError"),
    LibraryStatus(
      code: "254", title: "unknown to the library",
      meaning: "The library's own word for a status that it does not know; it never came from the service.",
      source: "java-apns, DeliveryError"),
    LibraryStatus(
      code: "256", title: "None (unknown), miscounted",
      meaning: "A table that is off by one: 255 was meant. One byte cannot hold it.",
      source: "grocer, its table of errors"),
    LibraryStatus(
      code: "512", title: "too many attempts",
      meaning: "The library gave up on a notification; nothing came from the service.",
      source: "node-apn, its table of errors"),
    LibraryStatus(
      code: "513", title: "the library could not start",
      meaning: "Most often the certificate or key could not be read; nothing was sent.",
      source: "node-apn, its table of errors"),
    LibraryStatus(
      code: "514", title: "too many attempts to connect",
      meaning: "No connection could be opened; nothing was sent.", source: "node-apn, its table of errors"),
    LibraryStatus(
      code: "515", title: "the connection broke",
      meaning: "The connection ended before the notification was surely written; whether it arrived is not known.",
      source: "node-apn, its table of errors"),
  ]
}
