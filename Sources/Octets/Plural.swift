/// `1 byte`, `2 bytes`; `number`: the count as it is to be written.
package func plural(_ count: Int, _ noun: String, number: String? = nil) -> String {
  "\(number ?? String(count)) \(noun)\(count == 1 ? "" : "s")"
}
