import APNSPayload
import APNSWire
import Octets

/// Shrinks a stream while something about it stays: first whole frames are left out, then items, keys of payloads, text,
/// and bytes. Lengths around what is left out go down with it, so that a true one stays true, and a lie stays the same
/// lie. Where nothing more can be left out that way, bytes are cut out whatever the lengths say then.
public struct Minimizer {
  private let catalog: Catalog
  private let role: StreamRole
  /// How often the question was asked.
  public private(set) var tries = 0
  private let mostTries: Int

  /// - Parameter mostTries: how often it may be asked at all.
  public init(_ catalog: Catalog = .standard, role: StreamRole, mostTries: Int = 10_000) {
    self.catalog = catalog
    self.role = role
    self.mostTries = mostTries
  }

  /// Something that could be left out.
  public struct Step: Sendable, Hashable {
    public let what: Level
    public let count: Int
    /// Bytes of the stream.
    public let before: Int
    public let after: Int
  }

  /// In the order of trying.
  public enum Level: String, Sendable, CaseIterable {
    case frame, item, key, text, byte
    /// Bytes, without a change of any length.
    case cut
  }

  /// The smallest stream that was found.
  ///
  /// - Parameters:
  ///   - stays: whether what the stream is kept for is still there.
  ///   - note: is told of each step that was kept.
  public mutating func shrink(
    _ bytes: [UInt8], while stays: ([UInt8]) throws -> Bool, note: (Step) -> Void = { _ in }
  ) rethrows -> [UInt8] {
    var bytes = bytes
    var before = 0
    // What one level takes away can let another take more.
    repeat {
      before = bytes.count
      for level in Level.allCases where level != .cut || bytes.count == before {
        try shrink(&bytes, level, stays, note)
      }
    } while bytes.count < before && tries < mostTries
    return bytes
  }

  /// Halves first, then halves of them, down to single ones.
  private mutating func shrink(
    _ bytes: inout [UInt8], _ level: Level, _ stays: ([UInt8]) throws -> Bool, _ note: (Step) -> Void
  ) rethrows {
    var cuts = Cuts(catalog, role, level, bytes)
    var size = level.goesOneByOne ? 1 : max(1, cuts.count / 2)
    while cuts.count > 0 {
      var index = 0
      while index < cuts.count, tries < mostTries {
        let taken = index..<min(index + size, cuts.count)
        let smaller = bytes.without(cuts, taken)
        tries += 1
        guard smaller.count < bytes.count, try stays(smaller) else {
          index += size
          continue
        }
        note(Step(what: level, count: taken.count, before: bytes.count, after: smaller.count))
        bytes = smaller
        cuts = Cuts(catalog, role, level, bytes)
      }
      guard size > 1, tries < mostTries else { return }
      size /= 2
    }
  }
}

extension Minimizer.Level {
  /// Where the last of several stands differently from the others.
  fileprivate var goesOneByOne: Bool { self == .key }
}

extension [UInt8] {
  /// Without these places, each of which lies behind the one before; lengths around them are less by as much.
  fileprivate func without(_ cuts: Cuts, _ chosen: Range<Int>) -> [UInt8] {
    var bytes = self
    let cuts = chosen.lazy.map { cuts[$0] }
    for cut in cuts {
      for length in cut.lengths {
        let left = bytes[length].bigEndianNumber &- UInt64(cut.range.count)
        bytes.replaceSubrange(length, with: [UInt8](bigEndian: left, width: length.count))
      }
    }
    // In one pass: there may be as many cuts as bytes.
    var kept: [UInt8] = []
    kept.reserveCapacity(count)
    var position = 0
    for cut in cuts {
      kept += bytes[position..<cut.range.lowerBound]
      position = cut.range.upperBound
    }
    return kept + bytes[position...]
  }
}
