import APNSDiagnosis
import APNSViews
import APNSWire
import TestSupport
import Testing

/// Marks stand under the bytes that are wrong, in every width.
@Suite struct TreeViewTests {
  /// The rows of carets: the column of the first, and how many bytes they span.
  private func carets(_ bytes: [UInt8], width: Int = 80) -> [[Int]] {
    let structure = RulePolicy(only: ["wrong-item-size", "item-overrun", "truncated"])
    let view = TreeView(.standard, terminal: Terminal(width: width))
    let text = Shown(bytes, as: view, role: .provider, rules: structure).text
    return text.split(separator: "\n").compactMap { line in
      guard let first = line.firstIndex(of: "^") else { return nil }
      let start = line.distance(from: line.startIndex, to: first)
      let count = line[first...].prefix { $0 == "^" }.count
      return [(start - 8) / 3, (count + 1) / 3]
    }
  }

  @Test(arguments: [80, 120, 200]) func caretsStandUnderTheirBytes(_ width: Int) {
    let perRow = width < 120 ? 8 : 16
    // The priority of four bytes starts at byte 8.
    #expect(carets([2, 0, 0, 0, 7, 5, 0, 4, 0, 0, 0, 10], width: width) == [[8 % perRow, 4]])
    // An overrun is marked at the item's length.
    #expect(carets([2, 0, 0, 0, 4, 1, 0, 32, 9], width: width) == [[6, 2]])
    // Missing bytes are marked behind the last one, at the start of a row of its own where that one ends a row.
    #expect(carets([1, 0, 0, 0, 1, 0, 0, 0], width: width) == [[8 % perRow, 1]])
    #expect(carets([1, 0, 0], width: width) == [[3, 1]])
  }

  /// Far into a stream, offsets take more room, and the bytes move.
  @Test(arguments: [0, 0xffff0, 0xff_fff0, 0x7fff_ffff_fff0]) func caretsStandUnderTheirBytesAnywhere(_ offset: Int) {
    for count in [3, 5, 8] {
      let bytes = [UInt8](repeating: 0, count: count - 1)
      let text = Shown(
        [1] + bytes, as: TreeView(.standard), role: .provider, rules: RulePolicy(only: ["truncated"]), offset: offset
      ).text
      let lines = text.split(separator: "\n").map(Array.init)
      guard let caret = lines.firstIndex(where: { $0.contains("^") }), let column = lines[caret].firstIndex(of: "^")
      else {
        Issue.record("no caret: \(text)")
        continue
      }
      // Behind the last byte above, or at the start of a row that its offset begins.
      let bytesStart = max(8, lines[caret - 1].prefix { $0 != " " }.count + 1)
      let isOwnRow = lines[caret].first == "0"
      #expect(isOwnRow == (count % 8 == 0))
      #expect(column == bytesStart + (isOwnRow ? 0 : count % 8 * 3))
    }
  }

  @Test func faultOfAnEmptyValueStandsWithIt() {
    let text = Shown([2, 0, 0, 0, 10, 5, 0, 0, 3, 0, 4, 0, 0, 0, 7], as: TreeView(.standard), role: .provider)
      .text
    let lines = text.split(separator: "\n")
    let fault = lines.firstIndex { $0.contains("wrong-item-size") }
    let next = lines.firstIndex { $0.contains("item 3") }
    #expect(fault != nil && next != nil && fault ?? 0 < next ?? 0)
  }

  /// Nothing from the wire reaches a terminal raw, and every byte is there.
  @Test func showsEveryByteAndNoControlCharacter() {
    for run in 0..<800 {
      let seed = runSeed &+ UInt64(run)
      var random = RandomStream(seed: seed)
      let bytes = random.any()
      for width in [80, 120] {
        let shown = Shown(bytes, as: TreeView(.standard, terminal: Terminal(width: width), verbose: true))
        #expect(String(validating: shown.out.bytes, as: UTF8.self) != nil, "APNSCOPE_SEED=\(seed)")
        let text = shown.text
        let isSafe = text.unicodeScalars.allSatisfy {
          $0 == "\n" || ($0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value))
        }
        #expect(isSafe, "APNSCOPE_SEED=\(seed)")
        #expect(hexColumn(of: text, perRow: width < 120 ? 8 : 16) == bytes, "APNSCOPE_SEED=\(seed)")
      }
    }
  }

  private func hexColumn(of text: String, perRow: Int) -> [UInt8] {
    text.split(separator: "\n").filter { $0.hasPrefix("0x") }.flatMap { line -> [UInt8] in
      line.dropFirst(8).prefix(perRow * 3).split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }
  }
}
