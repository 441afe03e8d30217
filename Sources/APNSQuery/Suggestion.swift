import APNSPayload

/// `; did you mean "x"?` if one of `names` differs from `word` by a few typing errors, otherwise empty. `kind` precedes
/// the name.
public func suggestion(_ word: String, _ names: [String], kind: String = "") -> String {
  let most = min(max(1, word.utf8.count / 3), 3)
  // The distance is at least the difference in length.
  let near = names.filter { abs($0.utf8.count - word.utf8.count) <= most }
    .map { ($0, Array(word.utf8.prefix(64)).editDistance(to: Array($0.utf8.prefix(64)))) }
    .min { $0.1 < $1.1 }
  guard let near, near.1 <= most else { return "" }
  return "; did you mean \(kind)\"\(near.0)\"?"
}
