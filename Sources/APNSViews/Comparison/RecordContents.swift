import APNSWire
import Octets

/// Compares records, leaving out ignored fields.
struct ContentComparer {
  private let parts: RecordParts
  private var content = Output()
  private var otherContent = Output()

  init(_ parts: RecordParts) { self.parts = parts }

  mutating func isEqual(_ a: RecordLog.Stream, _ one: Int, _ b: RecordLog.Stream, _ other: Int) -> Bool {
    let (x, y) = (a.records[one], b.records[other])
    guard x.kind == y.kind, x.distance == y.distance else { return false }
    let (bytes, otherBytes) = (a.bytes.span, b.bytes.span)
    if bytes.isEqual(x.range, to: otherBytes, y.range) { return true }
    if parts.ignoresNothing { return false }
    content.clear()
    otherContent.clear()
    parts.appendContent(of: x, bytes.extracting(x.range), to: &content)
    parts.appendContent(of: y, otherBytes.extracting(y.range), to: &otherContent)
    return content.read { one in otherContent.read { one.isEqual(one.indices, to: $0, $0.indices) } }
  }

  /// If no field is ignored, streams are equal if all bytes are, even if they were framed in different ways.
  mutating func isEqual(_ a: RecordLog.Stream, _ b: RecordLog.Stream) -> Bool {
    if parts.ignoresNothing { return a.isEqual(to: b) }
    return a.records.count == b.records.count && a.records.indices.allSatisfy { isEqual(a, $0, b, $0) }
  }
}

extension RecordLog.Stream {
  fileprivate func isEqual(to other: Self) -> Bool {
    guard bytes == other.bytes else { return false }
    let (losses, otherLosses) = (records.filter(\.isLoss), other.records.filter(\.isLoss))
    return losses.elementsEqual(otherLosses) {
      $0.kind == $1.kind && $0.range == $1.range && $0.distance == $1.distance
    }
  }

  /// Whether its records from `index` on come after those of another stream in an order that depends on contents alone.
  /// Nil if they are equal.
  func isGreater(from index: Int, than other: Self, from otherIndex: Int) -> Bool? {
    for (x, y) in zip(records[index...], other.records[otherIndex...]) {
      if (x.kind, x.distance) != (y.kind, y.distance) { return (x.kind, x.distance) > (y.kind, y.distance) }
      if bytes.span.isEqual(x.range, to: other.bytes.span, y.range) { continue }
      return other.bytes[y.range].lexicographicallyPrecedes(bytes[x.range])
    }
    let (count, otherCount) = (records.count - index, other.records.count - otherIndex)
    return count == otherCount ? nil : count > otherCount
  }
}

extension RecordLog.Entry {
  /// Whether it is not a part of the stream: missing bytes, or other bytes for an earlier part.
  fileprivate var isLoss: Bool { kind > 256 }
}

/// Numbers contents, identifiers and tokens, so that equal ones have equal numbers.
struct ContentNumbering {
  private let parts: RecordParts
  private var contents = ByteNumbering()
  private var tokens = ByteNumbering()
  private var identifiers: [UInt64: Int32] = [:]
  private var content = Output()

  init(_ parts: RecordParts) { self.parts = parts }

  mutating func items(_ stream: RecordLog.Stream, _ range: Range<Int>) -> [Alignment.Item] {
    let all = stream.bytes.span
    return range.map { index in
      let record = stream.records[index]
      let bytes = all.extracting(record.range)
      content.clear()
      parts.appendContent(of: record, bytes, to: &content)
      var item = Alignment.Item(content: content.read { contents.number($0) }, kind: record.kind)
      guard let frame = record.frame else { return item }
      if let identifier = parts.leaf(.identifier, of: frame, in: bytes)?.integer(in: bytes) {
        item.identifier = identifiers[identifier] ?? Int32(identifiers.count)
        identifiers[identifier] = item.identifier
      }
      if let token = parts.leaf(.token, of: frame, in: bytes), token.state != .cut, token.count > 0 {
        item.token = tokens.number(bytes.extracting(token.range))
      }
      return item
    }
  }
}

/// Numbers the contents of streams, by hash. Different streams with one hash are still compared byte by byte later.
struct StreamNumbering {
  private let parts: RecordParts
  private var numbers: [Int: Int32] = [:]
  private var content = Output()

  init(_ parts: RecordParts) { self.parts = parts }

  mutating func number(_ stream: RecordLog.Stream) -> Int32 {
    var hasher = Hasher()
    hasher.combine(stream.roleOrder)
    for record in stream.records {
      content.clear()
      parts.appendContent(of: record, stream.bytes.span.extracting(record.range), to: &content)
      hasher.combine(content.count)
      // The pointer lives as long as the call.
      content.read { span in unsafe span.withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }
    }
    let hash = hasher.finalize()
    let number = numbers[hash] ?? Int32(numbers.count)
    numbers[hash] = number
    return number
  }
}

/// Numbers different strings of bytes from 0 on.
private struct ByteNumbering {
  /// By hash, which is chosen anew if two strings have the same.
  private var numbers: [Int: Int32] = [:]
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  mutating func number(_ string: Span<UInt8>) -> Int32 {
    // Seeded at random in each run, so an input cannot be made to collide.
    var hasher = Hasher()
    unsafe string.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }  // lives as long as the call
    var hash = hasher.finalize()
    while let number = numbers[hash] {
      let range = (number == 0 ? 0 : ends[Int(number) - 1])..<ends[Int(number)]
      if string.isEqual(string.indices, to: bytes.span, range) { return number }
      hash &+= 1
    }
    let number = Int32(ends.count)
    bytes.append(contentsOf: string)
    ends.append(bytes.count)
    numbers[hash] = number
    return number
  }
}
