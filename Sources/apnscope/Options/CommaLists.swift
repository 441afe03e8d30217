extension [String] {
  /// The names in all elements, each of which may have several, separated by commas.
  var separatedByCommas: [String] { flatMap { $0.split(separator: ",").map(String.init) } }
}
