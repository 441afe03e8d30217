import APNSQuery
import ArgumentParser

/// Options that select records.
struct SelectionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Show only the stream with this number.", valueName: "number"))
  var stream: Int?

  @Option(
    name: .customShort("Y"),
    help: ArgumentHelp("Show only records that match a display filter.", valueName: "filter"))
  var filter: String?

  var isAny: Bool { stream != nil || filter != nil }

  /// - Parameter count: The maximum number of records.
  func selection(count: Int? = nil) throws(Failure) -> RecordSelection {
    var selection = RecordSelection(stream: stream, count: count)
    guard let filter else { return selection }
    selection.flags = ["-Y", filter]
    do throws(FilterError) {
      selection.filter = try Filter(filter, names: fieldNames, now: now())
    } catch {
      throw .usage("-Y, \(error)")
    }
    return selection
  }
}
