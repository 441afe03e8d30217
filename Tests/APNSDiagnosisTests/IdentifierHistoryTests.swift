import APNSDiagnosis
import TestSupport
import Testing

/// The ring of a stream's identifiers and the frames that had them last.
@Suite struct IdentifierHistoryTests {
  /// The memory of a full window.
  private static let largest = (IdentifierHistory.window - IdentifierHistory.least) * IdentifierHistory.entrySize

  /// How many bytes a history reserves for these identifiers.
  private static func reserved(_ identifiers: some Sequence<UInt32?>) -> Int {
    var budget = largest
    var history = IdentifierHistory()
    for identifier in identifiers { _ = history.see(identifier, within: &budget) }
    let reserved = largest - budget
    history.forget(&budget)
    #expect(budget == largest)
    return reserved
  }

  @Test func memoryGrowsWithTheIdentifiers() {
    func size(_ frames: Int) -> Int { (frames - IdentifierHistory.least) * IdentifierHistory.entrySize }
    #expect(Self.reserved((0..<16).map { $0 }) == 0)
    #expect(Self.reserved((0..<17).map { $0 }) == size(32))
    #expect(Self.reserved((0..<2048).map { $0 }) == size(2048))
    #expect(Self.reserved((0..<20_000).map { $0 }) == size(4096))
    #expect(Self.reserved((0..<20_000).map { _ in 1234 }) == 0)
    #expect(Self.reserved((0..<20_000).map { $0 % 16 }) == 0)
    #expect(Self.reserved((0..<20_000).map { $0 % 100 }) == size(128))
  }

  @Test(arguments: [(4095, 4095), (4096, 4096), (4097, 0)]) func theWindowHas4096Frames(_ sent: Int, _ found: Int) {
    for others in [nil, 1] as [UInt32?] {
      var budget = Self.largest
      var history = IdentifierHistory()
      _ = history.see(0, within: &budget)
      for index in 1..<sent { _ = history.see(others.map { $0 + UInt32(index) }, within: &budget) }
      #expect(history.see(0, within: &budget).framesAgo == found)
    }
  }

  /// Compares with a dictionary of all identifiers. With a small budget, a history may forget all but the last 16
  /// frames, but it never reports another distance.
  @Test(arguments: [0, 127, 128, 1000, 8000, largest - 1, largest]) func findsWhatADictionaryFinds(_ bytes: Int) {
    var random = SeededGenerator(seed: runSeed)
    var budget = bytes
    var remembered = IdentifierHistory.least
    let affordable = IdentifierHistory.least + bytes / IdentifierHistory.entrySize
    while remembered < IdentifierHistory.window, remembered * 2 <= affordable {
      remembered *= 2
    }
    for _ in 0..<20 {
      var history = IdentifierHistory()
      var last: [UInt32: Int] = [:]
      let range = UInt64(1) << (random.next() % 14)
      let gaps = Int(random.next() % 3) * 30
      for index in 0..<6000 {
        let identifier = random.chance(gaps) ? nil : UInt32(random.next() % range) &* 0x10_0001
        let distance = identifier.flatMap { last[$0] }.map { index - $0 } ?? 0
        let framesAgo = distance > IdentifierHistory.window ? 0 : distance
        let found = history.see(identifier, within: &budget).framesAgo
        guard found == framesAgo || found == 0 && framesAgo > remembered else {
          Issue.record("APNSCOPE_SEED=\(runSeed) \(range) \(index): \(found), not \(framesAgo)")
          return
        }
        if let identifier { last[identifier] = index }
      }
      history.forget(&budget)
      #expect(budget == bytes)
    }
  }
}
