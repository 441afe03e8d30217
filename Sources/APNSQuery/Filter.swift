import APNSDiagnosis

/// A display filter, compiled once: `command == 2 && payload.aps.badge > 5`.
///
/// A comparison is true if any value of the field in a record satisfies it. `!=` is true if the field has a value and
/// none is equal. A record without the field satisfies no comparison: `!(priority == 10)` includes it, `priority != 10`
/// does not. `!` binds tightest, then `&&`, then `||`.
public struct Filter: Sendable {
  private let predicate: Predicate

  /// Whether a record matches.
  typealias Predicate = @Sendable (Record, Span<UInt8>) -> Bool

  /// Parses a filter.
  /// - Parameters:
  ///   - text: The filter, as after `-Y`.
  ///   - names: The fields that it may compare.
  ///   - now: Seconds since 1970 UTC, for relative times such as `-1h`.
  /// - Throws: ``FilterError`` with the column in `text`.
  public init(_ text: String, names: FieldNames, now: Int = 0) throws(FilterError) {
    var parser = FilterParser(text: Array(text.utf8), names: names, now: now)
    predicate = try parser.parse()
  }

  /// Whether the record matches. Only strings with escapes, and numbers of many digits, need an allocation.
  public func accepts(_ record: Record, _ bytes: Span<UInt8>) -> Bool { predicate(record, bytes) }
}

/// A syntax or type error in a filter.
public struct FilterError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The column of the error in characters, counted from 1.
  package let column: Int
  /// What is wrong and what to write instead, without the column.
  public let reason: String

  public var description: String { "column \(column): \(reason)" }
}
