import APNSDiagnosis

/// An output format: writes records to an ``Output``, one after the other.
///
/// Each view has an initializer of its own. Its first parameter is the catalog that the records were decoded with;
/// `inputs` are the names of the inputs by their number, which `Record.input` is.
public protocol View {
  /// Whether the output for a record after the first does not depend on the records before it. If so, several threads
  /// can write records with copies of the view.
  static var showsEachAlone: Bool { get }
  /// Writes a record. `bytes` are the bytes of the record; a gap has none.
  mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output)
  /// Nil if the view writes something for each frame. Otherwise, frames without findings need not be shown, and this is
  /// the number of records that are shown for each rule and severity, of findings without a cause. Further ones may be
  /// passed to ``count(_:)`` instead of ``show(_:_:to:)``.
  static var recordsOfEachRule: Int? { get }
  /// Adds findings that were counted without showing their records.
  mutating func count(_ findings: CountedFrames.Findings)
  /// Writes what follows the last record.
  mutating func finish(to out: inout Output)
  /// Writes the same. If that is much, `pass` is called now and then, which may empty `out`.
  mutating func finish(to out: inout Output, _ pass: (inout Output) -> Void)
  /// Whether the view writes remarks about the input itself. Otherwise they go to standard error.
  var saysRemarks: Bool { get }
  /// Adds a remark about the input, such as "3 packets were cut by the snap length".
  mutating func note(_ remark: String)
  /// What the finished output leaves out; nil if it contains everything.
  var omission: String? { get }
  /// Whether the output says which inputs could not be read, so that it is complete even if none could be read.
  static var saysUnread: Bool { get }
  /// Notes that an input could not be read, or not to its end. `input` is its number.
  mutating func note(unread input: Int, _ reason: String)
}

/// By default, one thread writes all records, and nothing but records is written.
extension View {
  public static var showsEachAlone: Bool { false }
  public static var recordsOfEachRule: Int? { nil }
  public mutating func count(_ findings: CountedFrames.Findings) {}
  public mutating func finish(to out: inout Output) {}
  public mutating func finish(to out: inout Output, _ pass: (inout Output) -> Void) { finish(to: &out) }
  public var saysRemarks: Bool { false }
  public mutating func note(_ remark: String) {}
  public var omission: String? { nil }
  public static var saysUnread: Bool { false }
  public mutating func note(unread input: Int, _ reason: String) {}
}
