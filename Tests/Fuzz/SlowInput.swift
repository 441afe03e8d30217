import TestSupport

/// Searches for inputs whose work grows faster than they do. The first byte says what is read; the others are repeated
/// until they are long enough to measure.
enum SlowInput {
  static func violation(_ bytes: [UInt8]) -> String? {
    guard let growth = Growth(bytes) else { return nil }
    mark(Int((growth.ratio - 1.5) * 6))
    return growth.violation
  }

  /// Makes libFuzzer keep an input that grows faster than those before it: each step is code of its own.
  private static func mark(_ step: Int) {
    switch step {
    case 1: reached &+= 3
    case 2: reached &+= 5
    case 3: reached &+= 7
    case 4: reached &+= 11
    case 5: reached &+= 13
    case 6: reached &+= 17
    case 7: reached &+= 19
    case 8: reached &+= 23
    case 9: reached &+= 29
    case 10: reached &+= 31
    case 11: reached &+= 37
    case 12: reached &+= 41
    case 13: reached &+= 43
    case 14: reached &+= 47
    case 15: reached &+= 53
    case 16...: reached &+= 59
    default: break
    }
  }

  nonisolated(unsafe) private static var reached = 0
}
