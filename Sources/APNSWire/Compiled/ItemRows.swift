/// How often each item of a catalog may appear in one edition.
package struct ItemRows: Sendable {
  /// In the order of ``Catalog/items``.
  package let all: [Row]
  /// The items that must appear in each frame type, as indices into `all`.
  package let required: [[Int]]

  package struct Row: BitwiseCopyable, Sendable {
    package let isNewer: Bool
    package let isRequired: Bool
    package let isRepeatable: Bool

    fileprivate init(_ item: Item, _ edition: Edition) {
      isNewer = item.since > edition
      isRequired = item.isRequired && !isNewer
      isRepeatable = item.occurrence == .any
    }
  }

  package init(_ catalog: Catalog, _ edition: Edition) {
    let all = catalog.items.map { Row($0, edition) }
    let plan = catalog.tables.plan
    required = catalog.schemas.indices.map { schema in
      let lists = plan.steps[plan.bounds[schema]..<plan.bounds[schema + 1]].map(\.list).filter { $0 != FieldRef.none }
      let items = lists.flatMap { plan.itemTable[Int($0) * 256..<(Int($0) + 1) * 256] }
      return items.filter { $0 != FieldRef.none && all[Int($0)].isRequired }.map(Int.init).sorted()
    }
    self.all = all
  }
}
