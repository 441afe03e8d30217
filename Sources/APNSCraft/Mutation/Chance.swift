import Octets

/// Random choices for mutators: the same seed gives the same bytes on every machine.
struct Chance: RandomNumberGenerator, Sendable {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func next() -> UInt64 { generator.next() }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func one(in hundred: Int) -> Bool { number(1...100) <= hundred }

  /// - Precondition: there is one.
  mutating func pick<Choices: RandomAccessCollection>(_ choices: Choices) -> Choices.Element
  where Choices.Index == Int {
    choices[choices.startIndex + number(0...(choices.count - 1))]
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) }
  }
}
