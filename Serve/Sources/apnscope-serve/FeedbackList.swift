import APNSWire
import Foundation
import Octets

/// Tokens for the feedback service to report.
struct FeedbackList {
  /// The tuples.
  private(set) var bytes: [UInt8] = []

  /// Reads a file with lines of a token in hex, optionally followed by a UNIX time in seconds; the default is now.
  /// Empty lines and those that begin with `#` are skipped.
  init(_ path: String) throws(Failure) {
    let name = "--feedback-tokens \(path)"
    var text = try InputFiles.read(path, "--feedback-tokens", limit: 64 << 20)[...]
    if text.starts(with: [0xef, 0xbb, 0xbf]) { text.removeFirst(3) }
    let now = Self.now
    for (index, line) in text.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
      let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
      guard let first = words.first, first.first != UInt8(ascii: "#") else { continue }
      let time = words.count > 1 ? UInt32(String(decoding: words[1], as: UTF8.self)).map(UInt64.init) : now
      guard words.count <= 2, let time, let token = [UInt8](hexDigits: Array(first)), !token.isEmpty else {
        throw .usage("\(name): line \(index + 1) is not a token in hex, optionally followed by a UNIX time")
      }
      guard (try? add(token, time)) != nil else {
        throw .usage("\(name): line \(index + 1) has a token of \(token.count) bytes; at most \(UInt16.max) fit")
      }
    }
  }

  /// This many are more than the system buffers, so that a provider has to read them to the end.
  static let enough = 10_000

  /// This many tuples with made-up tokens and the current time.
  init(count: Int) {
    var generator = SplitMix64(seed: 1)
    for _ in 0..<count {
      let token = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
      // All values fit.
      try? add(token, Self.now & 0xffff_ffff)
    }
  }

  private static var now: UInt64 { UInt64(Date().timeIntervalSince1970) }

  private mutating func add(_ token: [UInt8], _ time: UInt64) throws(EncodeError) {
    var tuple = FrameDraft(FeedbackTuple.schema)
    tuple.values = ["timestamp": .integer(time), "token": .octets(token)]
    try tuple.write(to: &bytes)
  }
}
