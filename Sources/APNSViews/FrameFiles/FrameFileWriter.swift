import APNSWire

extension FrameFile {
  /// The frame types of a catalog as a file, which gives the same catalog when it is read.
  public static func text(of catalog: Catalog) -> String {
    Output.text { out in
      out.line { out in
        out.member("apnscope_frames", version)
        out.frames(of: catalog)
      }
    }
  }
}

extension Output {
  /// Writes the frame types of a catalog as a member.
  mutating func frames(of catalog: Catalog) {
    objects("frames", catalog.schemas, onLines: true) { $0.members(of: $1) }
  }

  private mutating func members(of schema: FrameSchema) {
    member("name", schema.name)
    member("title", schema.title)
    member("role", schema.roleName)
    member("command", schema.command.map { Int($0.rawValue) })
    member("since", schema.since.rawValue)
    member("reference", schema.reference)
    objects("fields", schema.parts.filter { $0.field != nil }, onLines: true) { out, part in
      if let field = part.field { out.members(of: field) }
      guard case .counted(_, let width, let length) = part else { return }
      out.member("length_bytes", width)
      out.member("length_name", length.member)
      out.member("length_title", length.title)
    }
  }

  private mutating func members(of field: Field) {
    member("name", field.name.member)
    member("title", field.name.title)
    if field.role != .other { member("role", field.role.name) }
    if let sizes = field.plausible { array("plausible", [sizes.lowerBound, sizes.upperBound]) { $0.decimal($1) } }
    member("usual", field.usual)
    switch field.content {
    case .octets, .text, .json: member("type", String(describing: field.content))
    case .integer(let bytes, let meaning):
      member("type", "integer")
      member("bytes", bytes)
      members(of: meaning)
    case .items(let items):
      member("type", "items")
      objects("items", items, onLines: true) { $0.members(of: $1) }
    }
  }

  private mutating func members(of meaning: Field.Meaning) {
    switch meaning {
    case .number, .identifier: member("meaning", String(describing: meaning))
    case .unixSeconds(let zero):
      member("meaning", "unix-seconds")
      member("zero", zero)
    case .code(let names, let named):
      member("meaning", "code")
      object("codes") { out in
        for (code, name) in names.sorted(by: { $0.key < $1.key }) {
          out.key(String(code))
          out.jsonString(name)
        }
      }
      key("named")
      write(named ? "true" : "false")
    }
  }

  private mutating func members(of item: Item) {
    member("id", Int(item.id.rawValue))
    member("name", item.name)
    member("since", item.since.rawValue)
    switch item.occurrence {
    case .required(let since):
      member("occurs", "required")
      member("required_since", since.rawValue)
    case .optional, .any: member("occurs", String(describing: item.occurrence))
    }
    if let reference = item.reference { member("reference", reference) }
    object("field") { $0.members(of: item.field) }
  }
}
