extension FrameDraft {
  /// The value at the path, taken from the first item with each id; nil if there is none.
  ///
  /// Setting a value changes every item with that id. If there is none, it adds one at its position in the documented
  /// order. Setting nil removes the items.
  package subscript(path: FieldPath) -> FieldDraft? {
    get {
      path.items.reduce(values[path.member]) { value, id in value?.list?.first { $0.id == id }?.data }
    }
    set {
      guard let list = path.list, let id = path.items.last else {
        values[path.member] = newValue
        return
      }
      guard let newValue else {
        self[items: list]?.removeAll { $0.id == id }
        return
      }
      if edit(path, { value, _ in value = newValue }) { return }
      var items = self[items: list] ?? []
      let later = list.rows.drop { $0.id != id }.map(\.id)
      items.insert(ItemDraft(id, data: newValue), at: items.firstIndex { later.contains($0.id) } ?? items.endIndex)
      self[items: list] = items
    }
  }

  /// The items of a list; nil if the value is missing or is not a list.
  package subscript(items list: FieldPath) -> [ItemDraft]? {
    get { self[list]?.list }
    set { self[list] = newValue.map { .items($0) } }
  }

  /// Changes the value at the path and the length that precedes it, in every item with its id.
  ///
  /// - Parameters:
  ///   - path: the value.
  ///   - change: receives the value and the length to write. A nil length is computed.
  /// - Returns: false if there is no such item.
  /// - Throws: what `change` throws.
  @discardableResult
  package mutating func edit<E: Error>(
    _ path: FieldPath, _ change: (_ value: inout FieldDraft?, _ length: inout UInt64?) throws(E) -> Void
  ) throws(E) -> Bool {
    guard let list = path.list, let id = path.items.last else {
      var length = path.lengthName.flatMap { lengths[$0.member] }
      try change(&values[path.member], &length)
      if let name = path.lengthName { lengths[name.member] = length }
      return true
    }
    var isFound = false
    try edit(list) { (value: inout FieldDraft?, _: inout UInt64?) throws(E) in
      guard var items = value?.list else { return }
      for index in items.indices where items[index].id == id {
        var item = items[index]
        try change(&item.data, &item.length)
        items[index] = item
        isFound = true
      }
      value = .items(items)
    }
    return isFound
  }

  /// Sets the length to write before the value, whether or not it is true.
  ///
  /// - Returns: false if there is no such item.
  @discardableResult
  package mutating func setLength(of path: FieldPath, to length: UInt64) -> Bool {
    edit(path) { $1 = length }
  }

  /// The encoded bytes of the value without its length; nil if there is no value.
  ///
  /// - Throws: ``EncodeError`` if the value does not fit its field.
  public func octets(at path: FieldPath) throws(EncodeError) -> [UInt8]? {
    try self[path]?.octets(as: path.field)
  }

  /// The size of the encoded value in bytes; nil if there is no value.
  public func size(of path: FieldPath) -> Int? { (try? octets(at: path))?.count }

  /// The offsets in the encoded frame of the value, its length, and the id of its item; nil if there is no value.
  public func range(of path: FieldPath) -> Range<Int>? {
    guard let size = size(of: path) else { return nil }
    guard let list = path.list, let id = path.items.last else {
      let fields = schema.topLevelPaths.prefix { $0 != path }
      let start = fields.reduce(schema.command == nil ? 0 : 1) { $0 + $1.lengthWidth + (self.size(of: $1) ?? 0) }
      return start..<(start + path.lengthWidth + size)
    }
    guard let around = range(of: list), let items = self[items: list] else { return nil }
    let before = FieldDraft.items(Array(items.prefix { $0.id != id }))
    let start = around.upperBound - (self.size(of: list) ?? 0) + ((try? before.octets(as: list.field))?.count ?? 0)
    return start..<(start + Item.headerSize + size)
  }
}

extension FieldDraft {
  fileprivate var list: [ItemDraft]? { if case .items(let items) = self { items } else { nil } }
}
