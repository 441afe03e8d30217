/// How a sender writes the frames of one type: as the format says, or as a bug makes of it. A frame is read and written by
/// the same value.
package struct Writing: Sendable {
  package let schema: FrameSchema
  package var command = CommandForm.own
  /// The values of the frame, or of its items.
  package var fields: [WrittenField]
  /// The parts of the frame in wire order.
  package var steps: [Step]
  /// The length around the items; of a frame without items it is not written.
  package var frameLengthWidth = 4
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

    /// The byte that is written for a type with this command; nil if it may be several.
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
    /// Added to each id.
    package var shift: UInt8 = 0
    /// The length precedes the id.
    package var hasLengthFirst = false
  }

  package struct WrittenField: Sendable {
    package let field: Field
    /// nil for a field of the frame itself.
    package let item: ItemID?
    /// Of a number, in bytes.
    package var size: Int?
    /// Of the length before it, in bytes; 0 if it has none.
    package var lengthWidth: Int
    package var coding = Coding.verbatim
    /// The length counts the value as it should be, not as it is coded.
    package var countsDecoded = false
    /// Written after the value.
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

  /// Inserts bytes after the command; false if the type has no command.
  package mutating func insertAfterCommand(_ bytes: [UInt8]) -> Bool {
    guard let command = steps.firstIndex(of: .command) else { return false }
    steps.insert(.bytes(bytes), at: command + 1)
    return true
  }

  /// The size in bytes of the number, id or length that follows the first `count` bytes of a frame, which end a field.
  package func nextStep(after count: Int) -> Int {
    var position = 0
    var size = 1
    for step in steps {
      switch step {
      case .command: size = 1
      case .bytes(let bytes): size = bytes.count
      case .frameLength: size = frameLengthWidth
      case .length(let field): size = fields[field].lengthWidth
      case .value(let field):
        // A value of any size is followed by the next length.
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
