import APNSDiagnosis
import TestSupport
import Testing

/// The ring of a stream's identifiers and the frames that had them last.
@Suite struct IdentifierHistoryTests {
  /// How many frames a history remembers after these identifiers.
  private static func size(_ identifiers: some Sequence<UInt32?>) -> Int {
    var history = IdentifierHistory()
    for identifier in identifiers { _ = history.see(identifier) }
    return history.size
  }

  @Test func memoryGrowsWithTheIdentifiers() {
    #expect(Self.size((0..<16).map { $0 }) == 16)
    #expect(Self.size((0..<17).map { $0 }) == 32)
    #expect(Self.size((0..<2048).map { $0 }) == 2048)
    #expect(Self.size((0..<20_000).map { $0 }) == 4096)
    #expect(Self.size((0..<20_000).map { _ in 1234 }) == 16)
    #expect(Self.size((0..<20_000).map { $0 % 16 }) == 16)
    #expect(Self.size((0..<20_000).map { $0 % 100 }) == 128)
  }

  @Test(arguments: [(4095, 4095), (4096, 4096), (4097, 0)]) func theWindowHas4096Frames(_ sent: Int, _ found: Int) {
    for others in [nil, 1] as [UInt32?] {
      var history = IdentifierHistory()
      _ = history.see(0)
      for index in 1..<sent { _ = history.see(others.map { $0 + UInt32(index) }) }
      #expect(history.see(0).framesAgo == found)
    }
  }

  /// Compares with a dictionary of all identifiers.
  @Test func findsWhatADictionaryFinds() {
    var random = SeededGenerator(seed: runSeed)
    for _ in 0..<100 {
      var history = IdentifierHistory()
      var last: [UInt32: Int] = [:]
      let range = UInt64(1) << (random.next() % 14)
      let gaps = Int(random.next() % 3) * 30
      for index in 0..<6000 {
        let identifier = random.chance(gaps) ? nil : UInt32(random.next() % range) &* 0x10_0001
        let distance = identifier.flatMap { last[$0] }.map { index - $0 } ?? 0
        let framesAgo = distance > IdentifierHistory.window ? 0 : distance
        let found = history.see(identifier).framesAgo
        guard found == framesAgo else {
          Issue.record("APNSCOPE_SEED=\(runSeed) \(range) \(index): \(found), not \(framesAgo)")
          return
        }
        if let identifier { last[identifier] = index }
      }
    }
  }
}
