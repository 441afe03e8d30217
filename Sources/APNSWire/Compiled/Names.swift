extension String {
  /// Whether records, filters and shells can use it as a name.
  package var isName: Bool {
    let characters = "abcdefghijklmnopqrstuvwxyz0123456789_-".utf8
    return utf8.first.map { characters.prefix(26).contains($0) } ?? false && utf8.allSatisfy(characters.contains)
  }
}

extension FrameSchema {
  /// Checks all names, which go unescaped into records and command lines. Titles and words are free text.
  func checkNames() throws(CatalogError) {
    var fields = parts.compactMap(\.field)
    var names = [name] + parts.compactMap(\.lengthName?.member)
    while let field = fields.popLast() {
      names.append(field.name.member)
      guard case .items(let items) = field.content else { continue }
      names += items.map(\.name)
      fields += items.map(\.field)
    }
    guard let wrong = names.first(where: { !$0.isName }) else { return }
    throw CatalogError(
      "\(name): \"\(wrong)\" is no name; names consist of small letters, digits, \"-\" and \"_\", such as \"batch-ack\""
    )
  }
}
