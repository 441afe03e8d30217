import APNSDiagnosis
import APNSWire

/// A display filter, compiled once: `command == 2 && payload.aps.badge > 5`.
///
/// A name stands for all its values in a record, and any of them may match; `!=` holds where there is a value and none
/// equals. A record without the field matches no comparison: `!(priority == 10)` takes those in, `priority != 10` does
/// not. `!` binds tightest, then `&&`, then `||`.
public struct Filter: Sendable {
  private let program: [Step]

  /// - Parameter now: seconds since 1970 UTC, for times such as `-1h`.
  /// - Throws: ``FilterError`` with the place in `text`.
  public init(_ text: String, names: FieldNames = .standard, now: Int = 0) throws(FilterError) {
    var parser = FilterParser(text, names, now: now)
    program = try parser.parse()
  }

  /// Whether the filter lets the record through. Allocates nothing but for text with escapes and words of open sets.
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

  /// One step over a single verdict: no stack is needed, however the filter is nested.
  enum Step: Sendable {
    case test(Test)
    case invert
    /// Where the verdict is `when`, the other side cannot change it any more.
    case jump(when: Bool, to: Int)
  }

  struct Test: Sendable {
    let reader: FieldReader
    let check: Check
    /// No value may pass the check, rather than any.
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

/// Why a filter cannot be used, and where.
public struct FilterError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Counted from 1, in characters.
  public let column: Int
  public let reason: String

  public var description: String { "column \(column): \(reason)" }
}
