import Octets

/// Random choices for mutators. The same seed gives the same choices on every machine.
extension SplitMix64 {
  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True with a probability of `percentage` percent.
  mutating func percent(_ percentage: Int) -> Bool { number(1...100) <= percentage }

  /// - Precondition: `choices` is not empty.
  mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[number(0...(choices.count - 1))] }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) } }
}
