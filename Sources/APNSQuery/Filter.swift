import APNSDiagnosis
import APNSWire

/// A display filter, compiled once: `command == 2 && payload.aps.badge > 5`.
///
/// A comparison is true if any value of the field in a record satisfies it. `!=` is true if the field has a value and
/// none is equal. A record without the field satisfies no comparison: `!(priority == 10)` includes it, `priority != 10`
/// does not. `!` binds tightest, then `&&`, then `||`.
public struct Filter: Sendable {
  private let program: [Step]

  /// Parses a filter.
  /// - Parameters:
  ///   - text: The filter, as after `-Y`.
  ///   - names: The fields that it may compare.
  ///   - now: Seconds since 1970 UTC, for relative times such as `-1h`.
  /// - Throws: ``FilterError`` with the column in `text`.
  public init(_ text: String, names: FieldNames, now: Int = 0) throws(FilterError) {
    var parser = FilterParser(text, names, now: now)
    program = try parser.parse()
  }

  /// Whether the record matches. Only strings with escapes and words of open sets need an allocation.
  public func accepts(_ record: Record, _ bytes: Span<UInt8>) -> Bool {
    var verdict = true
    var next = 0
    while next < program.count {
      switch program[next] {
      case .test(let test): verdict = test.holds(for: record, bytes)
      case .invert: verdict.toggle()
      case .jump(let decisive, let target):
        if verdict == decisive {
          next = target
          continue
        }
      }
      next += 1
    }
    return verdict
  }

  /// One step of a program that works on a single Boolean, so that nested filters need no stack.
  enum Step: Sendable {
    case test(Test)
    case invert
    /// Skips the other operand if the verdict equals `when`, because it cannot change the result.
    case jump(when: Bool, to: Int)
  }

  struct Test: Sendable {
    let reader: FieldReader
    let check: Check
    /// Whether no value may pass the check, instead of any.
    let isNegated: Bool

    func holds(for record: Record, _ bytes: Span<UInt8>) -> Bool {
      var hasValue = false
      var isMet = false
      reader.walk(record, bytes) { value in
        hasValue = true
        isMet = check.passes(value, bytes)
        return !isMet
      }
      return isNegated ? hasValue && !isMet : isMet
    }
  }
}

/// A syntax or type error in a filter.
public struct FilterError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The column of the error in characters, counted from 1.
  public let column: Int
  /// What is wrong and what to write instead, without the column.
  public let reason: String

  public var description: String { "column \(column): \(reason)" }
}
