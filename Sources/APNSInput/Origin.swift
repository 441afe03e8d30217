import Octets

/// Where a run of appended bytes came from.
public enum Origin: Sendable {
  /// The bytes stand in the input itself, the first of them at this offset.
  case input(offset: Int)
  /// The bytes came in one packet of a capture.
  case packet(Packet)
  /// The bytes were written out as text: one position for each byte.
  case text([TextPosition])

  /// A packet of a capture.
  public struct Packet: Sendable, Hashable, BitwiseCopyable {
    /// Which of the inputs the capture is, counted from 0.
    public let input: Int
    /// In its capture, counted from 1, as Wireshark does.
    public let number: Int
    /// Nil where the capture does not say.
    public let time: CaptureTime?

    public init(number: Int, time: CaptureTime?, input: Int = 0) {
      self.input = input
      self.number = number
      self.time = time
    }
  }

  /// A place in a text, both counted from 1; the column counts bytes.
  public struct TextPosition: Sendable, Hashable, BitwiseCopyable {
    public let line: UInt32
    public let column: UInt32

    public init(line: Int, column: Int) {
      self.line = UInt32(clamping: line)
      self.column = UInt32(clamping: column)
    }
  }
}

/// When a packet was captured.
public struct CaptureTime: Sendable, Hashable, BitwiseCopyable {
  /// Since 1970-01-01 00:00:00 UTC.
  public let seconds: Int
  /// 0 ..< 1,000,000,000.
  public let nanoseconds: Int
  /// Decimal digits of the second that the capture records: 6 or 9.
  public let digits: UInt8

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

  /// At least one second earlier.
  func isSecond(before other: CaptureTime) -> Bool {
    seconds < other.seconds && (seconds, nanoseconds) <= (other.seconds - 1, other.nanoseconds)
  }
}

extension Origin.Packet: Comparable {
  /// In the order of reading.
  public static func < (one: Self, other: Self) -> Bool { (one.input, one.number) < (other.input, other.number) }
}
