/// How a sender writes frames of one type: as the format requires, or as a bug distorts them.
package struct Writing: Sendable {
  package let schema: FrameSchema
  package var command = CommandForm.own
  /// The values of the frame, or of its items.
  package var fields: [WrittenField]
  /// The parts of the frame in wire order.
  package var steps: [Step]
  /// The width of the length around the items, in bytes. A frame without items does not have it.
  package var frameLengthWidth = 4
  package var items = ItemForm()

  package enum Step: Sendable, Equatable {
    case command
    /// Padding: the same bytes in each frame.
    case bytes([UInt8])
    /// The length of a field, by index.
    case length(Int)
    case value(Int)
    case frameLength
    /// All items, in any order.
    case items
  }

  package enum CommandForm: Sendable, Equatable {
    case own
    /// The command as an ASCII digit.
    case digit
    /// A fixed byte, regardless of the type.
    case byte(UInt8)
    /// The command of another type.
    case ofAnotherType
    /// A command that no type has.
    case unknown

    /// The byte to write for a type with this command; nil if several are possible.
    package func byte(for own: UInt8) -> UInt8? {
      switch self {
      case .own: own
      case .digit: own &+ UInt8(ascii: "0")
      case .byte(let byte): byte
      case .ofAnotherType, .unknown: nil
      }
    }
  }

  package struct ItemForm: Sendable, Equatable {
    /// A number that is added to each id.
    package var shift: UInt8 = 0
    /// The length precedes the id.
    package var hasLengthFirst = false
  }

  package struct WrittenField: Sendable {
    package let field: Field
    /// The item's id; nil for a field of the frame itself.
    package let item: ItemID?
    /// The size of a number in bytes; nil for other content.
    package var size: Int?
    /// The size in bytes of the length before it; 0 if it has none.
    package var lengthWidth: Int
    /// Nil for the bytes themselves.
    package var coding: Coding?
    /// Whether the length counts the decoded value instead of the encoded one.
    package var countsDecoded = false
    /// The bytes that follow the value.
    package var rest = Rest.nothing
  }

  package enum Rest: Sendable, Equatable {
    case nothing
    /// A terminator.
    case bytes([UInt8])
    /// Any bytes that the length counts, such as the end of another value.
    case anything
  }

  /// The writing that follows the format. Returns nil for a type with nested lists, or with more than ``maxFields``
  /// values.
  package init?(_ schema: FrameSchema) {
    self.schema = schema
    fields = []
    steps = []
    for part in schema.parts {
      switch part {
      case .command: steps.append(.command)
      case .fixed(let field):
        steps.append(.value(fields.count))
        fields.append(WrittenField(field: field, item: nil, size: field.size, lengthWidth: 0))
      case .counted(let field, let width, _):
        if case .items(let rows) = field.content {
          guard schema.parts.count == 2, !rows.contains(where: { $0.field.isList }) else { return nil }
          frameLengthWidth = width
          steps += [.frameLength, .items]
          for row in rows {
            fields.append(
              WrittenField(
                field: row.field, item: row.id, size: row.field.size, lengthWidth: Item.headerSize - 1))
          }
        } else {
          steps += [.length(fields.count), .value(fields.count)]
          fields.append(WrittenField(field: field, item: nil, size: field.size, lengthWidth: width))
        }
      }
    }
    guard fields.count <= Self.maxFields else { return nil }
  }

  package static let maxFields = 12
}

// Changes that bugs make.
extension Writing {
  package var hasItems: Bool { steps.contains(.items) }

  /// The index of the first field with this role.
  package func index(of role: Field.Role) -> Int? { fields.firstIndex { $0.field.role == role } }

  /// Changes a field. Returns false if no field has this role.
  package mutating func change(_ role: Field.Role, _ change: (inout WrittenField) -> Void) -> Bool {
    guard let index = index(of: role) else { return false }
    change(&fields[index])
    return true
  }

  /// Changes the size of a number, in bytes. Returns false if no number has this role.
  package mutating func setSize(of role: Field.Role, to size: Int) -> Bool {
    guard let index = index(of: role), fields[index].size != nil else { return false }
    fields[index].size = size
    return true
  }

  /// Leaves out a field of the frame and its length. Returns false for an item, since items may be missing anyway.
  package mutating func leaveOut(_ role: Field.Role) -> Bool {
    guard let index = index(of: role), fields[index].item == nil else { return false }
    steps.removeAll { $0 == .length(index) || $0 == .value(index) }
    return true
  }

  /// Inserts bytes after the command. Returns false if the type has no command.
  package mutating func insertAfterCommand(_ bytes: [UInt8]) -> Bool {
    guard let command = steps.firstIndex(of: .command) else { return false }
    steps.insert(.bytes(bytes), at: command + 1)
    return true
  }
}

extension Writing.WrittenField {
  package var isNumber: Bool { field.size != nil }
}
