/// An edition of Apple's guide, named by its year. Editions differ in what they document.
///
/// Frame types, items and statuses name the first edition that defines them. Limits and payload keys have rows for each
/// edition.
public enum Edition: Int, Sendable, Hashable, CaseIterable {
  /// 2009-03-15, the first edition: command 0 and the feedback service.
  case year2009 = 2009
  /// 2010-05-27: adds the enhanced format (command 1) and its error response.
  case year2010 = 2010
  /// 2013-09-18: adds frames of items (command 2), priorities, status 10, and advice on connections.
  case year2013 = 2013
  /// 2017-11-13, the last edition: payloads of up to 2048 bytes, tokens of up to 100, and status 128.
  case year2017 = 2017

  /// The edition that applies unless another is named.
  public static let standard = Edition.year2013
  /// The last edition.
  public static let latest = Edition.year2017

  /// The guide's title and the date of the revision.
  package var reference: String {
    switch self {
    case .year2009: "Apple Push Notification Service Programming Guide, 2009-03-15"
    case .year2010: "Apple Push Notification Service Programming Guide, 2010-05-27"
    case .year2013: "Local and Push Notification Programming Guide, 2013-09-18"
    case .year2017: "Local and Remote Notification Programming Guide, 2017-11-13"
    }
  }
}

extension Edition: Comparable {
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

// The lifetime of the service, in seconds since 1970 UTC.
extension Catalog {
  /// 2009-03-01, when the service started.
  @inlinable package static var serviceBegan: Int { 1_235_865_600 }
  /// The last second of 2021-03-31, when Apple shut the service down.
  package static var serviceEnded: Int { 1_617_235_199 }
}
