import APNSDiagnosis
import APNSWire

/// What the page shows without scripts: the findings as `check` prints them, and the first records as a tree.
struct PlainRecords {
  private var check: CheckTextView
  private var tree: TreeView
  private var trees = Output()
  private var shown = 0

  private static let recordLimit = 40
  /// The bytes of one record's tree, and of all.
  private static let treeLimit = 32 << 10
  private static let treesLimit = 256 << 10

  init(_ catalog: Catalog, inputs: [String]) {
    let terminal = Terminal(width: 120)
    (check, tree) = (CheckTextView(catalog, terminal: terminal, inputs: inputs), TreeView(catalog, terminal: terminal))
  }

  mutating func add(_ record: Record, _ bytes: Span<UInt8>) {
    var out = Output()
    check.show(record, bytes, to: &out)
    guard shown < Self.recordLimit, trees.count < Self.treesLimit else { return }
    shown += 1
    tree.show(record, bytes, to: &out)
    guard out.count > Self.treeLimit else { return out.read { trees.write($0) } }
    let text = out.bytes[..<Self.treeLimit]
    trees.write(Array(text[...(text.lastIndex(of: UInt8(ascii: "\n")) ?? text.endIndex - 1)]))
    trees.write("... the rest of this record is left out here\n")
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
