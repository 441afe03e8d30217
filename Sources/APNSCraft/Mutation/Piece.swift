import APNSWire
import Octets

/// A frame in pieces that can be changed one by one. Lengths are written as their values have it, unless one claims
/// something else, so that a change is exactly one.
struct PieceFrame: Sendable {
  let schema: FrameSchema
  var pieces: [Piece]

  var bytes: [UInt8] {
    var out: [UInt8] = []
    for piece in pieces { piece.write(to: &out) }
    return out
  }

  /// Where a piece stands in ``bytes``, with its id and its length.
  func range(of path: Piece.Path) -> Range<Int>? {
    var start = 0
    for piece in pieces {
      if let range = piece.range(of: path[...], from: start) { return range }
      start += piece.size
    }
    return nil
  }

  subscript(path: Piece.Path) -> Piece? { pieces.piece(at: path[...]) }

  /// Whether there was such a piece.
  @discardableResult
  mutating func edit(_ path: Piece.Path, _ change: (inout Piece) -> Void) -> Bool {
    pieces.edit(path[...], change)
  }
}

/// One part of a frame, or one item of a list.
struct Piece: Sendable {
  /// By which it is found among those beside it: the field's member name, or the item's name.
  let name: String
  /// The field's words.
  let title: String
  let field: Field?
  let item: Item?
  /// A command byte, or an item's id.
  var lead: [UInt8] = []
  /// Bytes of the length before the value; 0 where there is none.
  var width = 0
  /// What the length says in place of the value's size.
  var claimed: UInt64?
  var value: [UInt8] = []
  /// A list's items.
  var pieces: [Piece]?
  /// Behind the last item.
  var spare: [UInt8] = []

  /// Names from the frame down to the piece.
  typealias Path = [String]

  var valueSize: Int { (pieces?.reduce(0) { $0 + $1.size } ?? value.count) + spare.count }
  var size: Int { lead.count + width + valueSize }
  var highestLength: UInt64 { UInt64.max >> UInt64(64 - max(width, 1) * 8) }

  func write(to out: inout [UInt8]) {
    out += lead
    if width > 0 { out.append(bigEndian: claimed ?? UInt64(valueSize), width: width) }
    if let pieces { for piece in pieces { piece.write(to: &out) } } else { out += value }
    out += spare
  }

  func range(of path: ArraySlice<String>, from start: Int) -> Range<Int>? {
    guard path.first == name else { return nil }
    if path.count == 1 { return start..<(start + size) }
    var position = start + lead.count + width
    for piece in pieces ?? [] {
      if let range = piece.range(of: path.dropFirst(), from: position) { return range }
      position += piece.size
    }
    return nil
  }
}

extension [Piece] {
  func piece(at path: ArraySlice<String>) -> Piece? {
    guard let found = first(where: { $0.name == path.first }) else { return nil }
    return path.count == 1 ? found : found.pieces?.piece(at: path.dropFirst())
  }

  mutating func edit(_ path: ArraySlice<String>, _ change: (inout Piece) -> Void) -> Bool {
    guard let index = firstIndex(where: { $0.name == path.first }) else { return false }
    guard path.count > 1 else {
      change(&self[index])
      return true
    }
    guard var inner = self[index].pieces else { return false }
    let isFound = inner.edit(path.dropFirst(), change)
    self[index].pieces = inner
    return isFound
  }
}

extension [UInt8] {
  /// Up to eight bytes as a number; nil where they are not there.
  func number(at start: Int, width: Int) -> Int? {
    guard start >= 0, width <= 7, start + width <= count else { return nil }
    return span.number(at: start, width: width)
  }
}

extension PieceFrame {
  /// A frame that is whole and tiles into its fields; nil for others.
  init?(_ bytes: [UInt8], _ schema: FrameSchema) {
    var position = 0
    var pieces: [Piece] = []
    for part in schema.parts {
      switch part {
      case .command:
        guard position < bytes.count else { return nil }
        pieces.append(Piece(name: "command", title: "command", field: nil, item: nil, lead: [bytes[position]]))
        position += 1
      case .fixed(let field):
        guard let size = field.size, position + size <= bytes.count else { return nil }
        pieces.append(
          Piece(
            name: field.name.member, title: field.name.title, field: field, item: nil,
            value: Array(bytes[position..<(position + size)])))
        position += size
      case .counted(let field, let width, _):
        guard let count = bytes.number(at: position, width: width), position + width + count <= bytes.count else {
          return nil
        }
        let value = Array(bytes[(position + width)..<(position + width + count)])
        let empty = Piece(name: field.name.member, title: field.name.title, field: field, item: nil, width: width)
        guard let piece = empty.holding(value) else { return nil }
        pieces.append(piece)
        position += width + count
      }
    }
    guard position == bytes.count else { return nil }
    self.schema = schema
    self.pieces = pieces
  }
}

extension Piece {
  /// With this value; nil where it is no list of known items, or of another size than the format gives it.
  fileprivate func holding(_ bytes: [UInt8]) -> Piece? {
    var piece = self
    if field?.isList == true {
      guard let inner = items(in: bytes) else { return nil }
      piece.pieces = inner
      return piece
    }
    if let size = field?.size, size != bytes.count { return nil }
    piece.value = bytes
    return piece
  }

  private func items(in bytes: [UInt8]) -> [Piece]? {
    var known: [Item] = []
    if case .items(let items)? = field?.content { known = items }
    var found: [Piece] = []
    var position = 0
    while position < bytes.count {
      let id = bytes[position]
      guard let count = bytes.number(at: position + 1, width: 2), position + Item.headerSize + count <= bytes.count,
        let index = known.firstIndex(where: { $0.id.rawValue == id })
      else { return nil }
      let data = Array(bytes[(position + Item.headerSize)..<(position + Item.headerSize + count)])
      guard let piece = Piece(known[index]).holding(data) else { return nil }
      found.append(piece)
      position += Item.headerSize + count
    }
    return found
  }

  init(_ item: Item) {
    self.init(
      name: item.name, title: item.field.name.title, field: item.field, item: item, lead: [item.id.rawValue], width: 2)
  }
}
