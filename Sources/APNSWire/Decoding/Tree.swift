import Octets

/// Pass 3, made only when someone looks: one frame as a flat list of nodes with depth.
public struct Tree: Sendable {
  public let nodes: [Node]

  public struct Node: Sendable, Hashable {
    /// 0 for the parts of the frame, one more inside each item.
    public let depth: Int
    public let range: Range<Int>
    public let content: Content
  }

  public enum Content: Sendable, Hashable {
    case leaf(FieldRef)
    /// An item's header (id and length) and data; the header's bytes are the node's.
    case item(ItemID, declared: Int, header: FieldRef)
  }
}

extension Catalog {
  public func tree(of frame: FrameRef, in bytes: Span<UInt8>) -> Tree {
    var nodes: [Tree.Node] = []
    var id: ItemID?
    forEachField(of: frame, in: bytes) { leaf in
      switch leaf.kind {
      case .itemID:
        id = ItemID(rawValue: bytes[leaf.start])
      case .itemLength:
        guard let id else { return }
        let declared = Int(bytes.bigEndian(leaf.start, width: 2))
        nodes.append(
          Tree.Node(
            depth: Int(leaf.depth) - 1, range: (leaf.start - 1)..<leaf.end,
            content: .item(id, declared: declared, header: leaf)))
      case .command, .value, .length, .gap:
        nodes.append(Tree.Node(depth: Int(leaf.depth), range: leaf.range, content: .leaf(leaf)))
      }
    }
    return Tree(nodes: nodes)
  }
}
