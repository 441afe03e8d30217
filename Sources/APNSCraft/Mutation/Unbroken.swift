extension Mutations {
  /// Rules that no change of bytes can break, each with the reason.
  public static let unbroken: [String: String] = [
    "missing-bytes": "only a capture can lack bytes",
    "overlapping-bytes": "only packets can carry two values for one place",
    "no-frame-found": "found behind bytes that a capture lacks",
    "sender-fault": "stands only for a bug that breaks no other rule, and none of them does so by its form",
  ]
}
