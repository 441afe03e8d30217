import APNSWire
import Octets

/// Shrinks a stream while a condition on it remains true.
///
/// It removes complete frames, then items, keys of payloads, text, and bytes. Enclosing length fields are reduced by
/// the removed size, so a correct length stays correct and a wrong one stays wrong by the same amount. If nothing more
/// can be removed this way, bytes are removed without changing any length.
public struct Minimizer {
  private let catalog: Catalog
  private let role: StreamRole
  /// How many times the condition has been evaluated.
  package private(set) var tries = 0
  private let maximumTries: Int

  /// A minimizer for the streams of one role.
  /// - Parameters:
  ///   - catalog: The frame types.
  ///   - role: The side that sends the stream.
  ///   - maximumTries: How many times the condition may be evaluated.
  public init(_ catalog: Catalog, role: StreamRole, maximumTries: Int = 10_000) {
    self.catalog = catalog
    self.role = role
    self.maximumTries = maximumTries
  }

  /// A successful removal.
  public struct Step: Sendable, Hashable {
    /// The kind of parts removed.
    package let what: Level
    /// The number of parts removed.
    public let count: Int
    /// Size of the stream before the removal, in bytes.
    package let before: Int
    /// Size of the stream after the removal, in bytes.
    public let after: Int
  }

  /// The kinds of parts that are removed, in the order in which they are tried.
  package enum Level: String, Sendable, CaseIterable {
    /// Complete frames.
    case frame
    /// Items with their headers.
    case item
    /// Members of payloads, with key and value.
    case key
    /// Parts of texts in payloads.
    case text
    /// Bytes of values, whose lengths are reduced.
    case byte
    /// Bytes, without changing any length.
    case cut
  }

  /// Returns the smallest stream found.
  ///
  /// - Parameters:
  ///   - bytes: The stream to shrink.
  ///   - stays: Whether the condition is true for a stream. Its errors are rethrown.
  ///   - note: Called after each successful removal.
  public mutating func shrink(
    _ bytes: [UInt8], while stays: ([UInt8]) throws -> Bool, note: (Step) -> Void = { _ in }
  ) rethrows -> [UInt8] {
    var bytes = bytes
    var before = 0
    // A removal at one level may make another level succeed.
    repeat {
      before = bytes.count
      for level in Level.allCases where level != .cut || bytes.count == before {
        try shrink(&bytes, level, stays, note)
      }
    } while bytes.count < before && tries < maximumTries
    return bytes
  }

  /// The bytes with zeros where they do not matter, so that different cases of one bug become equal.
  package static func zeroed(_ bytes: [UInt8], while stays: ([UInt8]) throws -> Bool) rethrows -> [UInt8] {
    var bytes = bytes
    var size = bytes.count / 2
    while size > 0 {
      for start in stride(from: 0, to: bytes.count, by: size) {
        var plainer = bytes
        for index in start..<min(start + size, bytes.count) { plainer[index] = 0 }
        if plainer != bytes, try stays(plainer) { bytes = plainer }
      }
      size /= 2
    }
    return bytes
  }

  /// Tries to remove half of the parts, then smaller groups, down to single parts.
  private mutating func shrink(
    _ bytes: inout [UInt8], _ level: Level, _ stays: ([UInt8]) throws -> Bool, _ note: (Step) -> Void
  ) rethrows {
    var cuts = catalog.cuts(at: level, in: bytes, of: role)
    // Of several keys, the last one is delimited differently, so each is removed alone.
    var size = level == .key ? 1 : max(1, cuts.count / 2)
    while !cuts.isEmpty {
      var index = 0
      while index < cuts.count, tries < maximumTries {
        let chosen = index..<min(index + size, cuts.count)
        let smaller = bytes.without(cuts[chosen])
        tries += 1
        guard smaller.count < bytes.count, try stays(smaller) else {
          index += size
          continue
        }
        note(Step(what: level, count: chosen.count, before: bytes.count, after: smaller.count))
        bytes = smaller
        cuts = catalog.cuts(at: level, in: bytes, of: role)
      }
      guard size > 1, tries < maximumTries else { return }
      size /= 2
    }
  }
}

extension [UInt8] {
  /// The bytes without these parts, which must be in order. Enclosing length fields are reduced by the removed size.
  fileprivate func without(_ cuts: ArraySlice<Cut>) -> [UInt8] {
    var bytes = self
    for cut in cuts {
      for length in cut.lengths {
        let left = bytes[length].bigEndianNumber &- UInt64(cut.range.count)
        bytes.replaceSubrange(length, with: [UInt8](bigEndian: left, width: length.count))
      }
    }
    // In a single pass, because there may be as many parts as bytes.
    bytes.removeSubranges(RangeSet(cuts.map(\.range)))
    return bytes
  }
}
