/// An edition of Apple's guide, named by its year: what was documented differs from one to the next.
///
/// Frame types, items and statuses say the first edition that has them; limits and payload keys are rows of their own.
public enum Edition: Int, Sendable, Hashable, CaseIterable {
  /// The first text, of 2009-03-15: command 0 and the feedback service.
  case year2009 = 2009
  /// Of 2010-05-27: adds the enhanced format, command 1, and the error response to it.
  case year2010 = 2010
  /// Of 2013-09-18: adds frames of items, command 2, with priority; status 10; advice on connections.
  case year2013 = 2013
  /// The archive edition of 2017-11-13, the last: payloads of 2048 bytes, tokens of up to 100, status 128.
  case year2017 = 2017

  /// The one that is meant where none is named.
  public static let standard = Edition.year2013
  /// The last one.
  public static let latest = Edition.year2017

  /// Its title, and the date of the revision.
  public var reference: String {
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

// The years of the service, in seconds since 1970 UTC.
extension Catalog {
  /// 2009-03-01: before it there was no service to send to.
  @inlinable package static var serviceBegan: Int { 1_235_865_600 }
  /// The last second of 2021-03-31, when Apple shut it down.
  package static var serviceEnded: Int { 1_617_235_199 }
}
