import APNSInput
import APNSWire

// Reads frames and items from their objects, which ``NDJSONView`` writes.
extension NDJSONReader {
  /// Reads the open object, which is a frame: into bytes, and into a draft if there is one.
  ///
  /// - Returns: false if the bytes do not represent the object completely, so that a draft is needed.
  mutating func readFrame(_ type: RecordNames.FrameType) throws(ReadError) -> Bool {
    frame.clear()
    isExact = true
    if let command = try line.integer(.command) {
      guard type.command != nil, let byte = UInt8(exactly: command) else {
        throw line.error(.command, "is no command byte of \(names.words[type.word])")
      }
      frame.byte(byte)
      draft?.command = Command(rawValue: byte)
    } else if let command = type.command {
      frame.byte(command)
    }
    if try line.string(.condition, "truncated", or: "malformed") != nil {
      isExact = false
      draft?.isPartial = true
    }
    let rest = try readRest()
    draft?.rest = rest
    for index in type.fields { try readField(names.fields[index]) }
    return isExact
  }

  @inline(__always)
  private mutating func readField(_ field: RecordField) throws(ReadError) {
    let (start, width) = (frame.count, Int(field.lengthWidth))
    frame.bigEndian(0, width: width)
    let value = try readValue(of: field)
    let length = width > 0 ? try line.integer(field.length, bytes: width) : nil
    try setLength(to: length, width: width, name: field.length, of: field, value, from: start)
    guard draft != nil else { return }
    let (name, lengthName) = (names.words[field.word], names.words[field.length])
    draft?.values[name] = value
    if let length { draft?.lengths[lengthName] = length }
  }

  /// Appends the value of a field: that of the member `<name>`, or of `<name>_hex` for text that is not UTF-8. Without
  /// a draft, the bytes and items that it returns are empty; nil is a missing value.
  @inline(__always)
  private mutating func readValue(of field: RecordField) throws(ReadError) -> FieldDraft? {
    let start = frame.count
    switch field.kind {
    case .number, .named:
      // The name of the number, if it has one.
      if field.kind == .named { line.ignore(field.otherWord) }
      guard let number = try line.integer(field.word, bytes: Int(field.size)) else { return nil }
      frame.bigEndian(number, width: Int(field.size))
      return .integer(number)
    case .octets:
      return try line.hex(field.word, to: &frame) ? octets(from: start) : nil
    case .text, .json:
      try line.exclude(field.word, with: field.otherWord)
      if try line.hex(field.otherWord, to: &frame) { return octets(from: start) }
      let isThere = field.kind == .json ? try line.json(field.word, to: &frame) : try line.text(field.word, to: &frame)
      return isThere ? octets(from: start) : nil
    case .list:
      return try readItems(of: field)
    }
  }

  private mutating func readItems(of list: RecordField) throws(ReadError) -> FieldDraft? {
    guard let elements = try line.array(list.word) else { return nil }
    var items: [ItemDraft] = []
    var (element, count) = (elements.lowerBound, 0)
    while element < elements.upperBound {
      try line.open(element, count, of: list.word)
      let item = try readItem(of: list)
      if let item { items.append(item) }
      line.close()
      element = line.next(element)
      count += 1
    }
    return .items(items)
  }

  private mutating func readItem(of list: RecordField) throws(ReadError) -> ItemDraft? {
    guard let number = try line.integer(.id, bytes: 1) else {
      let values = names.items(of: list).flatMap(\.valueWords)
      for member in [.name, .data, .dataLength, .rest] + values { line.ignore(member) }
      try line.finish()
      throw line.error(.id, "is missing")
    }
    let id = UInt8(truncatingIfNeeded: number)
    let length = try line.integer(.dataLength, bytes: 2)
    let rest = try readRest()
    frame.byte(id)
    let start = frame.count
    frame.bigEndian(0, width: 2)
    let field = names.item(id, of: list).map { names.fields[$0] }
    var value: FieldDraft?
    if let field {
      if line.has(.data) { for word in field.valueWords { try line.exclude(word, with: .data) } }
      value = try readValue(of: field)
    }
    let isData = try line.hex(.data, to: &frame)
    if isData { value = octets(from: start + 2) }
    line.ignore(.name)
    try line.finish()
    if value == nil, length == nil { throw line.error(field?.word ?? .data, "is missing") }
    try setLength(to: length, width: 2, name: .dataLength, of: isData ? nil : field, value, from: start)
    guard draft != nil else { return nil }
    return ItemDraft(ItemID(rawValue: id), data: value, length: length, rest: rest)
  }

  private mutating func readRest() throws(ReadError) -> [UInt8] {
    guard line.has(.rest) else { return [] }
    isExact = false
    var rest = Output()
    _ = try line.hex(.rest, to: &rest)
    return rest.bytes
  }

  /// Sets the length before a value, and throws if the value is too long for it. `field` is nil for undocumented data.
  @inline(__always)
  private mutating func setLength(
    to given: UInt64?, width: Int, name: RecordWord, of field: RecordField?, _ value: FieldDraft?, from start: Int
  ) throws(ReadError) {
    if value == nil || given != nil { isExact = false }
    guard width > 0, given == nil else { return }
    let count = UInt64(frame.count - start - width)
    let highest = UInt64.max >> UInt64(64 - width * 8)
    if count <= highest { return frame.replace(at: start, bigEndian: count, width: width) }
    isExact = false
    guard case .octets? = value else { return }
    let reason = EncodeError(.tooLong, field: names.words[name], value: count, highest: highest).reason
    let member = field?.valueWords.first { line.has($0) } ?? .data
    throw line.error(member, "is too long: \(names.words[name]) \(reason)")
  }

  private func octets(from start: Int) -> FieldDraft {
    .octets(draft == nil ? [] : frame.read { [UInt8](copying: $0.extracting(start..<$0.count)) })
  }
}
