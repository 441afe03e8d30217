/// How often each item of a catalog may appear, by one edition.
package struct ItemRows: Sendable {
  /// As in ``Catalog/items``.
  package let all: [Row]
  /// By frame type: how many items must appear.
  package let required: [Int]

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
    all = catalog.items.map { Row($0, edition) }
    required = catalog.schemas.map { schema in schema.items.count { Row($0, edition).isRequired } }
  }
}
