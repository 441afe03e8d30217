import APNSDiagnosis
import APNSQuery
import APNSViews

/// The law for any text as a filter over any bytes: either it is rejected with a column in the text, or its negation
/// matches exactly the other records.
public enum FilterLaw {
  /// A violation of the law; nil if there is none. The filter ends at the first zero byte; the stream follows it.
  public static func violation(_ bytes: [UInt8]) -> String? {
    let halves = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let text = String(decoding: halves[0], as: UTF8.self)
    let stream = halves.count > 1 ? Array(halves[1]) : []
    do throws(FilterError) {
      let filter = try Filter(text, names: .standard, now: 0)
      guard let other = try? Filter("!(\(text))", names: .standard, now: 0) else {
        // The negation may exceed the nesting limit.
        return text.utf8.count > 200 ? nil : "!(\(text)) is refused"
      }
      let verdicts = Shown(stream, as: Pair(filter, other)).text
      return verdicts.contains("=") ? "\(text) and its negation agree: \(verdicts)" : nil
    } catch {
      guard error.column >= 1, error.column <= text.count + 1 else { return "\(text): column \(error.column)" }
      return nil
    }
  }

  /// Writes `=` for each record on which both filters agree.
  private struct Pair: View {
    static var showsEachAlone: Bool { false }
    let one: Filter
    let other: Filter

    init(_ one: Filter, _ other: Filter) {
      self.one = one
      self.other = other
    }

    mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
      out.byte(one.accepts(record, bytes) == other.accepts(record, bytes) ? UInt8(ascii: "=") : UInt8(ascii: "!"))
    }
  }
}
