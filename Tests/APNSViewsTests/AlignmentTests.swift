import APNSViews
import Foundation
import TestSupport
import Testing

/// Pairs of records, against a table of the longest common subsequences of all beginnings.
@Suite struct AlignmentTests {
  private typealias Item = Alignment.Item

  /// As many records as possible stay in order if no content is repeated more often than the limit.
  @Test func theMostRecordsStayInOrder() {
    for run in 0..<3000 {
      let seed = runSeed &+ UInt64(run)
      var random = SeededGenerator(seed: seed)
      let contents = Int.random(in: 1...9, using: &random)
      let (a, b) = (contentsOnly(contents, &random), contentsOnly(contents, &random))
      let alignment = Alignment(a, b)
      #expect(alignment.inOrder.count == longestCommonSubsequence(a, b), "APNSCOPE_SEED=\(seed)")
      for (first, second) in alignment.inOrder {
        #expect(a[first].content == b[second].content, "APNSCOPE_SEED=\(seed)")
      }
    }
  }

  private func contentsOnly(_ contents: Int, _ random: inout SeededGenerator) -> [Item] {
    var counts: [Int32: Int] = [:]
    let all = (0..<Int.random(in: 0...30, using: &random)).map { _ in
      Item(content: Int32.random(in: 0..<Int32(contents), using: &random))
    }
    return all.filter {
      counts[$0.content, default: 0] += 1
      return counts[$0.content, default: 0] <= Alignment.repetitions + 1
    }
  }

  private func longestCommonSubsequence(_ a: [Item], _ b: [Item]) -> Int {
    var table = [[Int]](repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
    for i in a.indices {
      for j in b.indices {
        table[i + 1][j + 1] = a[i].content == b[j].content ? table[i][j] + 1 : max(table[i][j + 1], table[i + 1][j])
      }
    }
    return table[a.count][b.count]
  }

  /// Identifiers come first, then tokens, then equal records wherever they are, then records of one kind.
  @Test func eachRecordHasThePartnerThatTheOrderOfCriteriaGives() {
    for run in 0..<3000 {
      let seed = runSeed &+ UInt64(run)
      var random = SeededGenerator(seed: seed)
      let (a, b) = (items(&random), items(&random))
      let alignment = Alignment(a, b)
      var taken: Set<Int32> = []
      for partner in alignment.partners where partner >= 0 {
        #expect(taken.insert(partner).inserted, "two partners, APNSCOPE_SEED=\(seed)")
      }
      for (one, item) in a.enumerated() {
        let partner = alignment.partners[one] < 0 ? nil : b[Int(alignment.partners[one])]
        if let only = onlyWith(item.identifier, \.identifier, a, b) {
          #expect(partner == only, "APNSCOPE_SEED=\(seed)")
        } else if let partner, partner.identifier != item.identifier || item.identifier < 0 {
          #expect(
            onlyWith(partner.identifier, \.identifier, a, b) == nil, "the partner of another, APNSCOPE_SEED=\(seed)")
        }
        guard alignment.partners[one] < 0 else { continue }
        for (other, item) in b.enumerated() where !taken.contains(Int32(other)) {
          #expect(a[one].content != item.content, "equal and alone, APNSCOPE_SEED=\(seed)")
        }
      }
      for ((one, other), (next, nextOther)) in zip(alignment.inOrder, alignment.inOrder.dropFirst()) {
        #expect(one < next && other < nextOther, "APNSCOPE_SEED=\(seed)")
        let gap = (one + 1..<next).filter { alignment.partners[$0] < 0 }.map { a[$0].kind }
        let otherGap = (other + 1..<nextOther).filter { !taken.contains(Int32($0)) }.map { b[$0].kind }
        #expect(Set(gap).isDisjoint(with: otherGap), "of one kind and alone, APNSCOPE_SEED=\(seed)")
      }
    }
  }

  private func items(_ random: inout SeededGenerator) -> [Item] {
    (0..<Int.random(in: 0...14, using: &random)).map { _ in
      let identifier = Int32.random(in: -1..<10, using: &random)
      let token = Int32.random(in: -1..<6, using: &random)
      // Equal records have equal identifiers and tokens.
      let variant = Int32.random(in: 0..<2, using: &random)
      return Item(
        content: ((identifier + 1) * 7 + token + 1) * 2 + variant, identifier: identifier, token: token, kind: token % 2
      )
    }
  }

  private func onlyWith(_ value: Int32, _ key: KeyPath<Item, Int32>, _ a: [Item], _ b: [Item]) -> Item? {
    guard value >= 0, a.count(where: { $0[keyPath: key] == value }) == 1 else { return nil }
    let others = b.filter { $0[keyPath: key] == value }
    return others.count == 1 ? others[0] : nil
  }

  /// Quadratic work would take minutes, whatever is repeated, and in whatever order.
  @Test(arguments: ["equal", "different", "one identifier", "one token", "few", "kinds", "shuffled", "reversed"])
  func workIsBounded(_ shape: String) {
    let count = 400_000
    var random = SeededGenerator(seed: runSeed)
    func side(_ ends: Int32) -> [Item] {
      let all = (0..<Int32(count)).map { index in
        switch shape {
        case "equal": Item(content: 0)
        case "different": Item(content: index * 2 + ends)
        case "one identifier": Item(content: index * 2 + ends, identifier: 0)
        case "one token": Item(content: index, token: 0)
        case "few": Item(content: Int32.random(in: 0..<3, using: &random))
        case "kinds": Item(content: index * 2 + ends, kind: ends == 0 ? index : Int32(count) - 1 - index)
        default: Item(content: index, identifier: index, token: index)
        }
      }
      let middle =
        shape == "shuffled" ? all.shuffled(using: &random) : shape == "reversed" && ends == 1 ? all.reversed() : all
      return [Item(content: Int32(2 * count) + ends)] + middle + [Item(content: Int32(2 * count) + 2 + ends)]
    }
    let (first, second) = (side(0), side(1))
    let began = processorSeconds()
    let alignment = Alignment(first, second)
    #expect(processorSeconds() - began < 30)
    if shape != "few" { #expect(alignment.partners.allSatisfy { $0 >= 0 }) }
  }

  /// The time that this thread has run. Other tests run at the same time.
  private func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
