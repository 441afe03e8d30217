import APNSWire
import Testing

/// Drafts that are decoded from bytes and changed by path.
@Suite struct FrameDraftTests {
  private let items: [UInt8] = [2, 0, 2, 0x7b, 0x7d, 3, 0, 4, 0, 0, 0, 7, 3, 0, 4, 0, 0, 0, 8]

  /// The bytes of the items after the change, behind a frame length that counts them.
  private func changed(_ change: (inout FrameDraft, FieldPath) throws -> Void) throws -> [UInt8] {
    let schema = APNSWire.Notification.schema
    var draft = try #require(FrameDraft([2, 0, 0, 0, UInt8(items.count)] + items, as: schema))
    try change(&draft, try #require(schema.lists.first))
    let bytes = try draft.bytes()
    #expect(bytes.prefix(5) == [2, 0, 0, 0, UInt8(bytes.count - 5)])
    return Array(bytes.dropFirst(5))
  }

  @Test func setsEveryItemOfAnID() throws {
    let bytes = try changed { draft, list in
      #expect(draft[list.item(3)] == .integer(7), "the first one is read")
      draft[list.item(3)] = .integer(9)
    }
    #expect(bytes == [2, 0, 2, 0x7b, 0x7d, 3, 0, 4, 0, 0, 0, 9, 3, 0, 4, 0, 0, 0, 9])
  }

  @Test func addsAMissingItemInDocumentedOrder() throws {
    let bytes = try changed { draft, list in
      draft[list.item(1)] = .octets([0xaa])
      draft[list.item(5)] = .integer(10)
    }
    #expect(bytes == [1, 0, 1, 0xaa] + items + [5, 0, 1, 10])
  }

  @Test func removesItems() throws {
    #expect(try changed { $0[$1.item(3)] = nil } == [2, 0, 2, 0x7b, 0x7d])
  }

  @Test func writesALengthThatLies() throws {
    let bytes = try changed { draft, list in
      #expect(draft.setLength(of: list.item(2), to: 513) && !draft.setLength(of: list.item(4), to: 1))
    }
    #expect(bytes == [2, 2, 1] + items.dropFirst(3))
  }

  @Test func saysWhereAValueIs() throws {
    _ = try changed { draft, list in
      #expect(draft.range(of: list) == 1..<24)
      #expect(draft.range(of: list.item(3)) == 10..<17 && draft.range(of: list.item(4)) == nil)
      let (one, all) = (try draft.octets(at: list.item(3)), try draft.octets(at: list))
      #expect(one == [0, 0, 0, 7] && all == items)
    }
  }

  @Test(
    arguments: [
      [], [2], [1, 0, 0, 0, 0], [2, 0, 0, 0, 1], [2, 0, 0, 0, 0, 0], [2, 0, 0, 0, 2, 1, 0], [2, 0, 0, 0, 3, 1, 0, 1],
    ] as [[UInt8]])
  func decodesCompleteFramesOnly(_ bytes: [UInt8]) {
    #expect(FrameDraft(bytes, as: APNSWire.Notification.schema).map { _ in true } == nil)
  }
}
