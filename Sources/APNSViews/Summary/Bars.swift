/// A bar chart of block elements, with steps of an eighth of a line. Every number above zero is visible.
enum Bars {
  private static let blocks: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// The lines of the chart, from the top; each number is a bar of `width` columns.
  static func lines(_ counts: some Collection<Int>, height: Int, width: Int = 1) -> [String] {
    let most = Double(max(counts.max() ?? 1, 1))
    let levels = counts.map { count in
      count <= 0 ? 0 : max(1, Int((Double(count) / most * Double(height * 8)).rounded()))
    }
    return (0..<height).reversed().map { line in
      var text = ""
      for level in levels {
        text += String(repeating: blocks[min(max(level - line * 8, 0), 8)], count: width)
      }
      while text.last == " " { text.removeLast() }
      return text
    }
  }
}
