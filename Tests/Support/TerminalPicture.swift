/// A picture of coloured terminal output, as SVG that needs no other file. It has a dark background and a border, so it is
/// legible on light and dark pages.
public struct TerminalPicture {
  private let title: String
  private var lines: [[Run]] = []

  /// Characters with the same attributes.
  private struct Run {
    var column: Int
    var text: String
    var style: String
  }

  /// - Parameters:
  ///   - command: shown as the first line.
  ///   - output: may have the SGR escape sequences that apnscope writes; others stop the test.
  public init(of command: String, output: String) {
    title = command
    add("$ " + command, style: Self.bold)
    for line in output.split(separator: "\n", omittingEmptySubsequences: false) { add(line) }
    while lines.last?.isEmpty == true { lines.removeLast() }
  }

  private mutating func add(_ line: some StringProtocol, style first: String = "") {
    var runs: [Run] = []
    var column = 0
    var style = first
    for (index, part) in line.split(separator: "\u{1b}[", omittingEmptySubsequences: false).enumerated() {
      var text = Substring(part)
      if index > 0 {
        let end = text.firstIndex(of: "m")!
        style = Self.styles[String(text[..<end])]!
        text = text[text.index(after: end)...]
      }
      runs += Self.words(text, at: column, style)
      column += text.count
    }
    lines.append(runs)
  }

  private static let bold = " font-weight=\"bold\""
  private static func fill(_ color: String) -> String { " fill=\"#\(color)\"" }

  /// Attributes by SGR parameters: the styles of apnscope's palette.
  private static let styles = [
    "0": "", "1": bold, "2": fill("9198a1"), "1;31": bold + fill("ff7b72"), "32": fill("7ee787"),
    "33": fill("e3b341"), "34": fill("79c0ff"), "35": fill("d2a8ff"), "36": fill("76e3ea"),
  ]

  /// Columns stay aligned in any font, since text is placed again after two or more spaces.
  private static func words(_ text: Substring, at column: Int, _ style: String) -> [Run] {
    var runs: [Run] = []
    var blanks = 2
    for (offset, character) in text.enumerated() {
      if character == " " {
        blanks += 1
      } else if blanks > 1 {
        runs.append(Run(column: column + offset, text: String(character), style: style))
        blanks = 0
      } else {
        runs[runs.count - 1].text += String(repeating: " ", count: blanks) + String(character)
        blanks = 0
      }
    }
    return runs
  }

  /// The whole file.
  public var svg: String {
    let columns = lines.joined().map { $0.column + $0.text.count }.max() ?? 0
    let width = columns * 8 + 32
    let height = lines.count * 18 + 28
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" role="img">
      <title>\(escaped(title))</title>
      <rect x="0.5" y="0.5" width="\(width - 1)" height="\(height - 1)" rx="8" fill="#151b23" stroke="#6e7681"/>
      <g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="#d1d7e0">

      """
    for (row, runs) in lines.enumerated() {
      for run in runs {
        text += "<text x=\"\(16 + run.column * 8)\" y=\"\(26 + row * 18)\" textLength=\"\(run.text.count * 8)\""
        text += " lengthAdjust=\"spacingAndGlyphs\"\(run.style)>\(escaped(run.text))</text>\n"
      }
    }
    return text + "</g>\n</svg>\n"
  }

  private func escaped(_ text: String) -> String {
    text.map { ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"][$0] ?? String($0) }.joined()
  }
}
