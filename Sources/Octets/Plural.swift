/// `1 byte`, `2 bytes`. Pass `number` to write the count differently.
public func plural(_ count: Int, _ noun: String, number: String? = nil) -> String {
  "\(number ?? String(count)) \(noun)\(count == 1 ? "" : "s")"
}

/// `0.5`, `2`
public func shortest(_ number: Double) -> String {
  Int(exactly: number).map { String($0) } ?? String(number)
}
