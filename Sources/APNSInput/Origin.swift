import Octets

/// The source of a run of stream bytes.
public enum Origin: Sendable {
  /// The bytes are part of the input itself; the first one is at this offset.
  case input(offset: Int)
  /// The bytes were carried by one packet of a capture.
  case packet(Packet)
  /// The bytes were decoded from text. There is one position for each byte.
  case text([TextPosition])

  /// A packet of a capture.
  public struct Packet: Sendable, Hashable, BitwiseCopyable {
    /// Index of the capture among the inputs, counted from 0.
    public let input: Int
    /// Number of the packet in its capture, counted from 1 as in Wireshark.
    public let number: Int
    /// Nil if the capture does not record it.
    public let time: CaptureTime?

    /// A packet with this number, counted from 1, of the capture with the index `input`.
    public init(number: Int, time: CaptureTime?, input: Int = 0) {
      self.input = input
      self.number = number
      self.time = time
    }
  }

  /// A position in a text. Lines and columns are counted from 1. Columns count UTF-16 code units, as editors
  /// and SARIF do.
  public struct TextPosition: Sendable, Hashable, BitwiseCopyable {
    /// The line, counted from 1.
    public let line: UInt32
    /// The column in UTF-16 code units, counted from 1.
    public let column: UInt32

    /// Numbers outside the range of `UInt32` become its nearest end.
    public init(line: Int, column: Int) {
      self.line = UInt32(clamping: line)
      self.column = UInt32(clamping: column)
    }
  }
}

/// The time at which a packet was captured.
public struct CaptureTime: Sendable, Hashable, BitwiseCopyable {
  /// Seconds since 1970-01-01 00:00:00 UTC.
  public let seconds: Int
  /// Nanoseconds of the second, 0 ..< 1,000,000,000.
  public let nanoseconds: Int
  /// Decimal digits of the fraction of a second that the capture records: 6 or 9.
  package let digits: UInt8

  /// A time in UTC; `nanoseconds` must be less than 1,000,000,000, and `digits` 6 or 9.
  public init(seconds: Int, nanoseconds: Int, digits: UInt8) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
    self.digits = digits
  }
}

extension CaptureTime: Comparable {
  public static func < (one: CaptureTime, other: CaptureTime) -> Bool {
    (one.seconds, one.nanoseconds) < (other.seconds, other.nanoseconds)
  }

  /// Whether this time is at least one second earlier than `other`.
  func isSecond(before other: CaptureTime) -> Bool {
    seconds < other.seconds && (seconds, nanoseconds) <= (other.seconds - 1, other.nanoseconds)
  }
}

extension Origin.Packet: Comparable {
  /// The order in which packets are read: by input, then by number.
  public static func < (one: Self, other: Self) -> Bool { (one.input, one.number) < (other.input, other.number) }
}
