import APNSDiagnosis
import APNSWire

/// What the page shows without scripts: the findings as `check` prints them, and the first records as a tree.
struct PlainRecords {
  private var check: CheckTextView
  private var tree: TreeView
  private var trees = Output()
  private var shown = 0

  private static let recordLimit = 40
  /// In bytes.
  private static let treesLimit = 256 << 10

  init(_ catalog: Catalog, inputs: [String]) {
    let terminal = Terminal(width: 120)
    (check, tree) = (CheckTextView(catalog, terminal: terminal, inputs: inputs), TreeView(catalog, terminal: terminal))
  }

  mutating func add(_ record: Record, _ bytes: Span<UInt8>) {
    check.show(record, bytes, to: &trees)
    guard shown < Self.recordLimit, trees.count < Self.treesLimit else { return }
    shown += 1
    tree.show(record, bytes, to: &trees)
    guard trees.count > Self.treesLimit else { return }
    trees.cut(to: Self.treesLimit)
    trees.write("\n... the rest of this record is left out here\n")
  }

  func writeFindings(to out: inout Output) {
    check.finish(to: &out)
    if out.isEmpty { out.write("There are no findings.\n") }
  }

  /// Writes the first of `total` records.
  func writeTree(of total: Int, to out: inout Output) {
    out.write(trees.text)
    if total > shown { out.write("\nand \(counted(total - shown, "more record"))\n") }
  }
}
