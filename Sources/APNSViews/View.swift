import APNSDiagnosis

/// One way to write records down.
public protocol View {
  /// Whether it shows anything of a frame without a finding.
  static var showsFaultless: Bool { get }
  /// Whether a copy of it that has shown one record shows any other just as it would itself: so several records can be
  /// written at once.
  static var showsEachAlone: Bool { get }
  mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output)
  /// Records with findings of one rule and severity, without a cause, that it shows; further ones need only be counted.
  static var recordsOfEachRule: Int { get }
  /// This many more findings are in this many more records.
  mutating func count(_ findings: Int, in records: Int, of rule: String, _ severity: Finding.Severity)
  /// Behind the last record.
  mutating func finish(to out: inout Output)
  /// Whether what an input could not give is told here, through `note`, and not beside the records.
  var saysRemarks: Bool { get }
  /// Something that an input could not give, such as "3 packets were cut by the snap length".
  mutating func note(_ remark: String)
}

extension View {
  public static var showsFaultless: Bool { true }
  public static var recordsOfEachRule: Int { .max }
  public mutating func count(_ findings: Int, in records: Int, of rule: String, _ severity: Finding.Severity) {}
  public static var showsEachAlone: Bool { false }
  public mutating func finish(to out: inout Output) {}
  public var saysRemarks: Bool { false }
  public mutating func note(_ remark: String) {}
}
