import APNSWire

/// What a view for people shows of a frame's leaves: labels, values and styles.
package struct LeafText: Sendable {
  private let catalog: Catalog
  /// By ``FieldRef/item``: `device token`.
  private let itemTitles: [String]

  package init(_ catalog: Catalog) {
    self.catalog = catalog
    itemTitles = catalog.items.map { printable($0.name.split(separator: "-").joined(separator: " ")) }
  }

  /// The bytes that are shown together: those of the leaf; for the length of an item, also its id. Nil for the id.
  package func range(of leaf: FieldRef) -> Range<Int>? {
    switch leaf.kind {
    case .itemID: nil
    case .itemLength: (leaf.start - 1)..<leaf.end
    case .command, .length, .gap, .value: leaf.range
    }
  }

  package func depth(of leaf: FieldRef) -> Int { Int(leaf.depth) - (leaf.kind == .itemLength ? 1 : 0) }

  /// Whether the leaf is JSON, which is shown in lines.
  package func isJSON(_ leaf: FieldRef) -> Bool {
    leaf.kind == .value && leaf.state == .whole && leaf.count > 0 && catalog.field(of: leaf)?.isJSON == true
  }

  /// The name of the field, safe on a terminal; nil for an item, whose value says it.
  package func label(of leaf: FieldRef) -> String? {
    switch leaf.kind {
    case .command: "command"
    case .itemID, .itemLength: nil
    case .length: printable(catalog.lengthName(of: leaf)?.title ?? "length")
    case .gap: "spare bytes"
    case .value: printable(catalog.field(of: leaf)?.name.title ?? "data")
    }
  }

  package func style(of leaf: FieldRef) -> Palette.Style {
    switch leaf.kind {
    case .command: .command
    case .itemID, .itemLength, .length: .header
    case .gap: .error
    case .value: leaf.state == .whole ? .plain : .error
    }
  }

  /// Adds the value, then what it means.
  package func addValues(
    of leaf: FieldRef, _ bytes: Span<UInt8>, _ role: StreamRole?, to values: inout ValueText
  ) {
    let data = bytes.extracting(leaf.range)
    switch leaf.kind {
    case .itemID, .gap: break
    case .command:
      values.add { $0.decimal(UInt64(data[0])) }
      let meaning = meaning(ofCommand: data[0], role)
      values.add { $0.printable(meaning) }
    case .length:
      values.add { out in
        if leaf.state == .whole { return out.decimal(data.number) }
        out.write("cut after ")
        out.plural(data.count, "byte")
      }
    case .itemLength:
      values.add { out in
        out.write("item ")
        out.decimal(UInt64(bytes[leaf.start - 1]))
        out.write(": ")
        out.write(leaf.item == FieldRef.none ? "not documented" : itemTitles[Int(leaf.item)])
        out.write(", ")
        out.plural(Int(data.number), "byte")
      }
    case .value where leaf.state == .whole:
      if let field = catalog.field(of: leaf) { values.add(data, of: field) }
    case .value:
      values.add { out in
        guard leaf.state == .cut || leaf.state == .overrun else {
          return out.digits(data.extracting(0..<min(data.count, 64)))
        }
        out.decimal(leaf.count)
        out.write(" of ")
        out.plural(leaf.declared, "byte")
      }
    }
  }

  /// The type of the frames from `role` that begin with `command`.
  private func meaning(ofCommand command: UInt8, _ role: StreamRole?) -> String {
    let schema = catalog.schemas.first { $0.command?.rawValue == command && $0.role == role }
    return schema?.title.lowercased() ?? ""
  }
}
