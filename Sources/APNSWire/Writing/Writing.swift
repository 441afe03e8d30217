/// How a sender writes the frames of one type: as the format says, or as a bug makes of it. A frame is read and written by
/// the same value.
package struct Writing: Sendable {
  package let schema: FrameSchema
  /// Of the type in its catalog.
  package let index: UInt8
  package var command = CommandForm.own
  /// The values of the frame, or of its items.
  package var fields: [WrittenField]
  /// What stands on the wire, first to last.
  package var steps: [Step]
  /// The length around the items; of a frame without items it is not written.
  package var frameLength = LengthForm(width: 4)
  package var items = ItemForm()

  package enum Step: Sendable, Equatable {
    case command
    /// The same bytes in each frame: padding.
    case bytes([UInt8])
    /// The length of a field.
    case length(Int)
    case value(Int)
    case frameLength
    /// All items, in any order.
    case items
  }

  package enum CommandForm: Sendable, Equatable {
    case own
    /// Its digit in ASCII.
    case digit
    /// This one, whatever the type is.
    case byte(UInt8)
    /// That of another type.
    case ofAnotherType
    /// One that no type has.
    case unknown
  }

  package struct LengthForm: Sendable, Equatable {
    /// In bytes; 0 where it is left out.
    package var width: Int
  }

  package struct ItemForm: Sendable, Equatable {
    /// Added to each id.
    package var shift: UInt8 = 0
    /// The length stands before the id.
    package var hasLengthFirst = false
  }

  package struct WrittenField: Sendable {
    package let field: Field
    /// nil for a field of the frame itself.
    package let item: ItemID?
    /// Of a number, in bytes.
    package var size: Int?
    package var length: LengthForm
    package var coding = Coding.plain
    /// The length counts the value as it should be, not as it is coded.
    package var countsDecoded = false
    /// Behind the value.
    package var rest = Rest.nothing
  }

  package enum Rest: Sendable, Equatable {
    case nothing
    /// A terminator.
    case bytes([UInt8])
    /// Whatever the length counts: the end of another value.
    case anything
  }

  /// The format's own; nil for a type with lists in items, or with more values than a reading has room for.
  package init?(_ schema: FrameSchema, index: UInt8) {
    self.schema = schema
    self.index = index
    fields = []
    steps = []
    for part in schema.parts {
      switch part {
      case .command: steps.append(.command)
      case .fixed(let field):
        steps.append(.value(fields.count))
        fields.append(WrittenField(field: field, item: nil, size: field.size, length: LengthForm(width: 0)))
      case .counted(let field, let width, _):
        if case .items(let rows) = field.content {
          guard schema.parts.count == 2, !rows.contains(where: { $0.field.isList }) else { return nil }
          frameLength.width = width
          steps += [.frameLength, .items]
          for row in rows {
            fields.append(
              WrittenField(
                field: row.field, item: row.id, size: row.field.size, length: LengthForm(width: Item.headerSize - 1)))
          }
        } else {
          steps += [.length(fields.count), .value(fields.count)]
          fields.append(WrittenField(field: field, item: nil, size: field.size, length: LengthForm(width: width)))
        }
      }
    }
    guard fields.count <= Self.mostFields else { return nil }
  }

  package static let mostFields = 12
}

// What bugs change.
extension Writing {
  package var hasItems: Bool { steps.contains(.items) }

  /// The first field of that role.
  package func index(of role: Field.Role) -> Int? { fields.firstIndex { $0.field.role == role } }

  /// Changes a field; false if there is none of that role.
  package mutating func change(_ role: Field.Role, _ change: (inout WrittenField) -> Void) -> Bool {
    guard let index = index(of: role) else { return false }
    change(&fields[index])
    return true
  }

  /// Changes a number of the frame or of its items; false if there is none of that role.
  package mutating func setSize(of role: Field.Role, to size: Int) -> Bool {
    guard let index = index(of: role), fields[index].size != nil else { return false }
    fields[index].size = size
    return true
  }

  /// Leaves out a field of the frame, and its length; false for an item, which may be missing anyway.
  package mutating func leaveOut(_ role: Field.Role) -> Bool {
    guard let index = index(of: role), fields[index].item == nil else { return false }
    steps.removeAll { $0 == .length(index) || $0 == .value(index) }
    return true
  }

  /// Puts something behind the command; false if there is none.
  package mutating func insertBehindCommand(_ bytes: [UInt8]) -> Bool {
    guard let command = steps.firstIndex(of: .command) else { return false }
    steps.insert(.bytes(bytes), at: command + 1)
    return true
  }

  /// Bytes of the number, the id or the length that begins behind so many bytes of a frame, the last of which ends a field.
  package func nextStep(behind count: Int) -> Int {
    var position = 0
    var size = 1
    for step in steps {
      switch step {
      case .command: size = 1
      case .bytes(let bytes): size = bytes.count
      case .frameLength: size = frameLength.width
      case .length(let field): size = fields[field].length.width
      case .value(let field):
        // Behind a value of any size stands the next length.
        guard let own = fields[field].size else { continue }
        size = own
      case .items: return 1
      }
      if position >= count { return size }
      position += size
    }
    return size
  }
}

extension Writing.WrittenField {
  package var isNumber: Bool { field.size != nil }
}
