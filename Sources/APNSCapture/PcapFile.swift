import APNSInput
import CPcap

/// A classic pcap file that libpcap has open, closed with its owner.
///
/// The pointers in here are safe to use because nobody else has them: the handle lives until `deinit`, the source that
/// serves it as long, and what libpcap lends (packets, messages) is copied or used before it is called again.
@safe struct PcapFile: ~Copyable {
  /// Nil when the input was interrupted before the file header ended: a capture without packets.
  private let handle: OpaquePointer?
  private let source: ByteSource
  private let isNanosecondFile: Bool

  init(_ source: ByteSource) throws(ReadError) {
    isNanosecondFile = isNanosecondPcap(source.head)
    let context = unsafe Unmanaged.passUnretained(source).toOpaque()
    let file = unsafe served_file(context) { context, buffer, size in
      guard let context = unsafe context else { return -1 }
      // The source outlives the file: it is kept beside the handle.
      let source = unsafe Unmanaged<ByteSource>.fromOpaque(context).takeUnretainedValue()
      return unsafe source.serve(UnsafeMutableRawBufferPointer(start: buffer, count: size))
    }
    guard let file = unsafe file else { throw ReadError(.unreadable, "there is not enough memory to read the capture") }
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    // libpcap writes at most PCAP_ERRBUF_SIZE bytes, and takes the file only when it succeeds.
    let handle = unsafe message.withUnsafeMutableBufferPointer { message in
      unsafe pcap_fopen_offline_with_tstamp_precision(file, UInt32(PCAP_TSTAMP_PRECISION_NANO), message.baseAddress)
    }
    if unsafe handle == nil {
      unsafe fclose(file)
      guard source.wasInterrupted else {
        throw Self.error("cannot open the capture", text(message), source.failure)
      }
    }
    unsafe self.handle = handle
    self.source = source
  }

  deinit {
    if let handle = unsafe handle { unsafe pcap_close(handle) }  // closes the file too
  }

  /// The next packet, whose bytes live until this is called again; nil at the end.
  func next() throws(ReadError) -> CapturedPacket? {
    guard let handle = unsafe handle else { return nil }
    var header: UnsafeMutablePointer<pcap_pkthdr>?
    var data: UnsafePointer<UInt8>?
    let result = unsafe pcap_next_ex(handle, &header, &data)
    if result == 1, let header = unsafe header, let data = unsafe data {
      // libpcap has read that many bytes to there.
      let bytes = unsafe UnsafeBufferPointer(start: data, count: Int(header.pointee.caplen))
      return unsafe CapturedPacket(
        link: link, time: CaptureTime(unsigned(header.pointee.ts), inNanosecondFile: isNanosecondFile),
        originalLength: Int(header.pointee.len), storage: .library(bytes))
    }
    if result == PCAP_ERROR_BREAK { return nil }
    // An interrupt in the middle of a packet looks like a cut file to libpcap.
    if source.wasInterrupted { return nil }
    throw Self.error("cannot read the rest of the capture", message, source.failure)
  }

  /// Seconds in a file have no sign; libpcap reads them as if they had one, which turns 2038 into 1901.
  private func unsigned(_ time: timeval) -> timeval {
    var time = time
    if time.tv_sec < 0, time.tv_sec >= -(1 << 31) { time.tv_sec += 1 << 32 }
    return time
  }

  /// As libpcap numbers it.
  var link: LinkType {
    guard let handle = unsafe handle else { return .ethernet }
    return unsafe LinkType(rawValue: Int(pcap_datalink(handle)))
  }

  /// What libpcap says of its last error. The text lives in the handle, and is copied.
  private var message: String {
    guard let handle = unsafe handle, let text = unsafe pcap_geterr(handle) else { return "unknown error" }
    return unsafe String(cString: text)
  }

  private static func error(_ what: String, _ message: String, _ failure: ReadError?) -> ReadError {
    guard let failure else { return ReadError(.damagedCapture, "\(what): \(message)") }
    return ReadError(failure.code, "\(what): \(failure.reason)")
  }
}

extension CaptureTime {
  /// Read with nanosecond precision, libpcap gives nanoseconds where the name says microseconds.
  init(_ time: timeval, inNanosecondFile isNanosecondFile: Bool) {
    let second = 1_000_000_000
    let fraction = Int(time.tv_usec)
    let carry = fraction >= 0 ? fraction / second : -1  // a damaged fraction can be anything
    let nanoseconds = ((fraction % second) + second) % second
    self.init(
      seconds: Int(time.tv_sec) &+ carry, nanoseconds: nanoseconds,
      digits: isNanosecondFile || nanoseconds % 1000 != 0 ? 9 : 6)
  }
}

/// A message as C keeps it, up to its zero.
func text(_ characters: [CChar]) -> String {
  String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
