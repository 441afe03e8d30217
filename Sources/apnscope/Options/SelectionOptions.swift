import APNSDiagnosis
import APNSQuery
import ArgumentParser

struct SelectionOptions: ParsableArguments {
  @Option("--stream <number>", "Show only the stream with this number.")
  var stream: Int?

  @Option("-Y <filter>", "Show only records that match a display filter.")
  var filter: String?

  /// - Parameter count: The maximum number of records.
  func selection(_ definitions: Definitions, count: Int? = nil) throws(Failure) -> RecordSelection {
    var selection = RecordSelection(stream: stream, count: count)
    guard let filter else { return selection }
    selection.flags = ["-Y", filter]
    selection.isWanted = try ExitStatus.usage.failing("-Y, ") {
      try Filter(filter, names: FieldNames(definitions), now: now()).accepts
    }
    return selection
  }
}

/// Selects the records to show. Others are not counted.
struct RecordSelection {
  var stream: Int?
  /// The display filter, or what chooses the records instead.
  var isWanted: ((Record, Span<UInt8>) -> Bool)?
  var count: Int?
  /// The options that set the same filter, for commands that users can paste.
  var flags: [String] = []

  var isAll: Bool { stream == nil && isWanted == nil && count == nil }

  /// Whether the record is shown, apart from the maximum number.
  func contains(_ record: Record, _ bytes: Span<UInt8>) -> Bool {
    (stream == nil || stream == record.stream.number) && isWanted?(record, bytes) ?? true
  }
}
