import APNSWire
import Octets

/// What one part of a frame says in a record. Every view of frames is a fold over these.
struct Member: BitwiseCopyable, Sendable {
  let kind: Kind
  /// The part of the frame. That of an item's header is the length; the id is the byte before it.
  let leaf: FieldRef
  /// The id of the last item up to here.
  let id: UInt8

  enum Kind: UInt8, Sendable {
    /// The command byte.
    case command
    /// The complete length of the value that follows.
    case length
    /// A list of items; as a part of a frame, the complete length of the list.
    case list
    /// The id and the length of an item.
    case item
    /// A complete value of the documented size.
    case value
    /// Complete data that is not documented, or not of the documented size.
    case data
    /// A value that ends before the declared number of bytes.
    case cut
    /// A length that is not complete.
    case cutLength
    /// Bytes that no field claims.
    case spare
  }

  @inline(__always)
  fileprivate init(_ leaf: FieldRef, _ id: UInt8, _ isList: borrowing [Bool]) {
    (self.leaf, self.id) = (leaf, id)
    switch leaf.kind {
    case .command: kind = .command
    case .itemID, .itemLength: kind = .item
    case .gap: kind = .spare
    case .length: kind = leaf.state != .whole ? .cutLength : isList[Int(leaf.field)] ? .list : .length
    case .value:
      switch leaf.state {
      case .whole: kind = .value
      case .unknown, .wrongSize: kind = .data
      case .cut, .overrun: kind = .cut
      }
    }
  }

  /// The offsets of its bytes.
  var range: Range<Int> { (kind == .item ? leaf.start - 1 : leaf.start)..<leaf.end }

  /// The number that a complete length states; nil for other members.
  func length(in bytes: Span<UInt8>) -> UInt64? {
    switch kind {
    case .length, .list, .item: bytes.extracting(leaf.range).number
    case .command, .value, .data, .cut, .cutLength, .spare: nil
    }
  }

  /// Whether it is not complete or belongs to no field, so that it goes to `rest`.
  var isRest: Bool { kind == .cut || kind == .cutLength || kind == .spare }
}

/// The walk over the members of frames.
struct Members: Sendable {
  let catalog: Catalog
  /// By ``FieldRef/field``.
  private let isList: [Bool]

  init(_ catalog: Catalog) {
    self.catalog = catalog
    isList = catalog.fields.map(\.isList)
  }

  /// Visits all members of a frame in wire order. Their ranges tile it.
  @inline(__always)
  func forEach(of frame: FrameRef, in bytes: Span<UInt8>, _ visit: (Member) -> Void) {
    walk(frame, bytes) { member in
      visit(member)
      return true
    }
  }

  /// Visits the members that a record has. The first that goes to `rest`, outside nested lists, is the last.
  ///
  /// - Returns: the bytes of `rest`, which may be none; nil if all members are complete.
  @inline(__always)
  func forEachBeforeRest(of frame: FrameRef, in bytes: Span<UInt8>, _ visit: (Member) -> Void) -> Range<Int>? {
    var rest: Range<Int>?
    walk(frame, bytes) { member in
      visit(member)
      if member.isRest, member.leaf.depth <= 1 { rest = member.leaf.start..<frame.end }
      return rest == nil
    }
    return rest
  }

  @inline(__always)
  private func walk(_ frame: FrameRef, _ bytes: Span<UInt8>, while visit: (Member) -> Bool) {
    let isList = isList
    var id: UInt8 = 0
    catalog.walkFields(of: frame, in: bytes) { leaf in
      guard leaf.kind != .itemID else {
        id = bytes[leaf.start]
        return true
      }
      return visit(Member(leaf, id, isList))
    }
  }

  /// The field of a member that has one.
  func field(of member: Member) -> Field? { catalog.field(of: member.leaf) }
}

extension Span<UInt8> {
  /// The bytes, at most eight, as a big-endian number.
  @inline(__always)
  var number: UInt64 { bigEndian(0, width: count) }
}
