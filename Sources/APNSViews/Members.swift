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
    case command
    /// The complete length of the value that follows.
    case length
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
  fileprivate init(_ leaf: FieldRef, _ id: UInt8) {
    (self.leaf, self.id) = (leaf, id)
    switch leaf.kind {
    case .command: kind = .command
    case .itemID, .itemLength: kind = .item
    case .gap: kind = .spare
    case .length: kind = leaf.state == .whole ? .length : .cutLength
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

  /// Whether it is not complete or belongs to no field, so that it goes to `rest`.
  var isRest: Bool { kind == .cut || kind == .cutLength || kind == .spare }
}

extension Catalog {
  /// Visits all members of a frame in wire order. Their ranges tile it.
  @inline(__always)
  func forEachMember(of frame: FrameRef, in bytes: Span<UInt8>, _ visit: (Member) -> Void) {
    var id: UInt8 = 0
    forEachField(of: frame, in: bytes) { leaf in
      if leaf.kind == .itemID { id = bytes[leaf.start] } else { visit(Member(leaf, id)) }
    }
  }

  /// Visits the members that a record has. The first that goes to `rest`, outside nested lists, is the last.
  ///
  /// - Returns: the bytes of `rest`, which may be none; nil if all members are complete.
  @inline(__always)
  func forEachMemberBeforeRest(of frame: FrameRef, in bytes: Span<UInt8>, _ visit: (Member) -> Void) -> Range<Int>? {
    var rest: Range<Int>?
    forEachMember(of: frame, in: bytes) { member in
      guard rest == nil else { return }
      visit(member)
      if member.isRest, member.leaf.depth <= 1 { rest = member.leaf.start..<frame.end }
    }
    return rest
  }
}

extension Span<UInt8> {
  /// The bytes, at most eight, as a big-endian number.
  @inline(__always)
  var number: UInt64 { bigEndian(0, width: count) }
}
