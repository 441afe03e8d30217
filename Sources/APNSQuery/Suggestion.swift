/// `; did you mean "x"?` where one of `names` is near, nothing otherwise. `kind` says what it would be.
public func suggestion(_ word: String, _ names: [String], kind: String = "") -> String {
  let near = names.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
  guard let near, near.1 <= max(2, word.count / 3) else { return "" }
  return "; did you mean \(kind)\"\(near.0)\"?"
}

private func distance(_ a: String, _ b: String) -> Int {
  let a = Array(a.utf8.prefix(64))
  let b = Array(b.utf8.prefix(64))
  var row = Array(0...b.count)
  for (i, x) in a.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for (j, y) in b.enumerated() {
      let next = min(row[j] + 1, row[j + 1] + 1, diagonal + (x == y ? 0 : 1))
      diagonal = row[j + 1]
      row[j + 1] = next
    }
  }
  return row[b.count]
}
