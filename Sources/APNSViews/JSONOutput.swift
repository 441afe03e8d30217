// Objects and arrays. A comma is written before every member or element unless a bracket precedes it; so an empty
// output continues an object.
extension Output {
  /// Writes a member; nothing if the value is nil.
  public mutating func member(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    key(name)
    jsonString(value)
  }

  /// Writes a member; nothing if the value is nil.
  public mutating func member(_ name: StaticString, _ value: (some BinaryInteger)?) {
    guard let value else { return }
    key(name)
    if value < 0 { byte(UInt8(ascii: "-")) }
    decimal(UInt64(value.magnitude))
  }

  package mutating func member(_ name: StaticString, hex bytes: Span<UInt8>) {
    key(name)
    jsonString(hex: bytes)
  }

  mutating func jsonString(hex bytes: Span<UInt8>) { enclose("\"", { $0.hex(bytes) }, "\"") }

  /// Writes a member whose value is the string that `text` writes. It has nothing to escape.
  package mutating func quoted(_ name: StaticString, _ text: (inout Output) -> Void) {
    key(name)
    enclose("\"", text, "\"")
  }

  package mutating func object(_ name: StaticString, _ members: (inout Output) -> Void) {
    key(name)
    enclose("{", members, "}")
  }

  /// Writes a member whose value is an array of what `elements` writes.
  public mutating func array(_ name: StaticString, _ elements: (inout Output) -> Void) {
    key(name)
    enclose("[", elements, "]")
  }

  /// Writes a member whose value is an array; `write` writes an element that is no object.
  package mutating func array<Element>(
    _ name: StaticString, _ elements: some Sequence<Element>, _ write: (inout Output, Element) -> Void
  ) {
    array(name) { out in
      for element in elements {
        out.comma()
        write(&out, element)
      }
    }
  }

  /// Writes a member whose value is an array of objects. `onLines`: each on a new line.
  mutating func objects<Element>(
    _ name: StaticString, _ elements: some Sequence<Element>, onLines: Bool = false,
    _ members: (inout Output, Element) -> Void
  ) {
    array(name) { out in
      for element in elements { out.object(onLine: onLines) { members(&$0, element) } }
    }
  }

  /// Writes an object as an element of an array. `onLine`: on a new line.
  public mutating func object(onLine: Bool = false, _ members: (inout Output) -> Void) {
    comma()
    enclose(onLine ? "\n{" : "{", members, "}")
  }

  /// Writes an object and a line end.
  public mutating func line(_ members: (inout Output) -> Void) { enclose("{", members, "}\n") }

  private mutating func enclose(_ start: StaticString, _ body: (inout Output) -> Void, _ end: StaticString) {
    write(start)
    body(&self)
    write(end)
  }

  /// Writes the name of a member and a colon.
  package mutating func key(_ name: StaticString) {
    comma()
    byte(UInt8(ascii: "\""))
    write(name)
    write("\":")
  }

  /// Writes a name that may have to be escaped, and a colon.
  @_disfavoredOverload
  package mutating func key(_ name: String) {
    comma()
    jsonString(name)
    byte(UInt8(ascii: ":"))
  }

  @inline(__always)
  package mutating func comma() {
    if last != UInt8(ascii: "{"), last != UInt8(ascii: "[") { byte(UInt8(ascii: ",")) }
  }
}
