/// `; did you mean "x"?` if one of `names` differs from `word` by a few typing errors, otherwise empty. `kind` precedes
/// the name.
public func suggestion(_ word: String, _ names: [String], kind: String = "") -> String {
  let most = min(max(1, word.utf8.count / 3), 3)
  // The distance is at least the difference in length.
  let near = names.filter { abs($0.utf8.count - word.utf8.count) <= most }.map { ($0, distance(word, $0)) }
    .min { $0.1 < $1.1 }
  guard let near, near.1 <= most else { return "" }
  return "; did you mean \(kind)\"\(near.0)\"?"
}

/// The edit distance in bytes: insertions, deletions, substitutions and transpositions of neighbours.
private func distance(_ a: String, _ b: String) -> Int {
  let (a, b) = (Array(a.utf8.prefix(64)), Array(b.utf8.prefix(64)))
  var before: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var least = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, before[j - 1] + 1) }
      row.append(least)
    }
    (before, last) = (last, row)
  }
  return last[b.count]
}
