import APNSCraft
import APNSDiagnosis
import APNSInput
import APNSWire
import Octets

/// Laws for test cases made from arbitrary frames, and for minimizing arbitrary bytes.
extension Law {
  /// Cases made from arbitrary frames were changed within their bytes.
  static func mutate(_ bytes: [UInt8]) -> String? {
    let seeds = [Mutations.Seed(bytes: bytes, role: .provider)]
    var hash = FNV1a()
    for byte in bytes { hash.add(byte) }
    let seed = hash.value
    var mutations = Mutations(.standard, seeds: seeds, seed: seed)
    for _ in 0..<8 {
      let made = mutations.next()
      guard made.label.range.lowerBound >= 0, made.label.range.upperBound <= made.bytes.count else {
        return "\(made.label.mutator): changed at \(made.label.range) of \(made.bytes.count)"
      }
    }
    return nil
  }

  /// The errors to keep remain in the minimized stream, which is no longer than before.
  static func minimize(_ bytes: [UInt8]) -> String? {
    func rules(_ bytes: [UInt8]) -> Set<String> {
      Set(findings(in: bytes, role: .provider, by: .standard).filter { $0.severity == .error }.map(\.rule))
    }
    let kept = rules(bytes)
    guard !kept.isEmpty else { return nil }
    var minimizer = Minimizer(.standard, role: .provider, maximumTries: 60)
    let smallest = minimizer.shrink(bytes, while: { kept.isSubset(of: rules($0)) })
    guard kept.isSubset(of: rules(smallest)) else { return "\(kept) is lost in \(smallest)" }
    return smallest.count <= bytes.count && minimizer.tries <= 60
      ? nil : "\(smallest.count) bytes of \(bytes.count) in \(minimizer.tries) tries"
  }
}

extension TestCase {
  /// How the findings differ from the label (rules, severities, reply, cause); nil if they do not.
  public func labelFault(in edition: Edition = .standard, by definitions: Definitions = .standard) -> String? {
    let findings = findings(in: bytes, role: role, edition: edition, by: definitions)
    let found = Set(findings.map(\.rule))
    let told = Set([label.rule].compactMap { $0 } + label.follows)
    // Of a frame that a cause explains, one of the rules that it breaks is left.
    let isExplained = findings.contains { $0.cause != nil }
    if isExplained ? found.isEmpty || !found.isSubset(of: told) : found != told {
      return "told \(told.sorted()), found \(found.sorted())"
    }
    let own = findings.filter { $0.rule == label.rule }
    let isRefused = findings.contains { $0.severity == .error && Rules[$0.rule]?.isAboutDevice != true }
    switch label.verdict {
    case .accept: if label.rule != nil || findings.contains(where: { $0.severity > .note }) { return "not acceptable" }
    case .reject: if !isRefused { return "rejected without an error" }
    case .either: if isRefused { return "an error, but either verdict is allowed" }
    }
    if role == .provider, label.rule != nil, !(isExplained && own.isEmpty), !own.map(\.answer).contains(label.answer) {
      return "answers \(own.map(\.answer)), told \(String(describing: label.answer))"
    }
    if let cause = label.cause, !findings.contains(where: { $0.cause?.id == cause }) {
      return "cause \(cause) told, found \(findings.compactMap { $0.cause?.id })"
    }
    return nil
  }
}
