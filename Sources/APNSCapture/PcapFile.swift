import APNSInput
import CPcap

/// A classic pcap file, read by libpcap and closed with its owner.
///
/// The pointers are safe, because they have no other owner. The handle and the source that serves it live until
/// `deinit`; packets and messages that libpcap lends are copied or used before the next call.
@safe struct PcapFile: ~Copyable {
  /// Nil if the input was interrupted before the end of the file header: the capture has no packets.
  private let handle: OpaquePointer?
  private let source: ByteSource
  private let isNanosecondFile: Bool

  init(_ source: ByteSource) throws(ReadError) {
    isNanosecondFile = isNanosecondPcap(source.head)
    let context = unsafe Unmanaged.passUnretained(source).toOpaque()
    let file = unsafe served_file(context) { context, buffer, size in
      guard let context = unsafe context else { return -1 }
      // The source outlives the file, because it is stored beside the handle.
      let source = unsafe Unmanaged<ByteSource>.fromOpaque(context).takeUnretainedValue()
      return unsafe source.serve(UnsafeMutableRawBufferPointer(start: buffer, count: size))
    }
    guard let file = unsafe file else { throw ReadError(.unreadable, "there is not enough memory to read the capture") }
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    // libpcap writes at most PCAP_ERRBUF_SIZE bytes. It only becomes the owner of the file if it succeeds.
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

  /// The next packet, valid until the next call; nil at the end.
  func next() throws(ReadError) -> CapturedPacket? {
    guard let handle = unsafe handle else { return nil }
    var header: UnsafeMutablePointer<pcap_pkthdr>?
    var data: UnsafePointer<UInt8>?
    let result = unsafe pcap_next_ex(handle, &header, &data)
    if result == 1, let header = unsafe header, let data = unsafe data {
      // libpcap provides `caplen` bytes at this address.
      let bytes = unsafe UnsafeBufferPointer(start: data, count: Int(header.pointee.caplen))
      return unsafe CapturedPacket(
        link: link, time: CaptureTime(unsigned(header.pointee.ts), inNanosecondFile: isNanosecondFile),
        originalLength: Int(header.pointee.len), storage: .library(bytes))
    }
    if result == PCAP_ERROR_BREAK { return nil }
    // For libpcap, an interruption inside a packet looks like a cut file.
    if source.wasInterrupted { return nil }
    throw Self.error("cannot read the rest of the capture", message, source.failure)
  }

  /// Seconds in a file are unsigned, but libpcap sign-extends them, which turns 2038 into 1901.
  private func unsigned(_ time: timeval) -> timeval {
    var time = time
    if time.tv_sec < 0, time.tv_sec >= -(1 << 31) { time.tv_sec += 1 << 32 }
    return time
  }

  /// The link type, with libpcap's number.
  var link: LinkType {
    guard let handle = unsafe handle else { return .ethernet }
    return unsafe LinkType(rawValue: Int(pcap_datalink(handle)))
  }

  /// libpcap's message for its last error, copied from the handle.
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
  /// With nanosecond precision, libpcap stores nanoseconds in `tv_usec`.
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

/// The string in a C buffer, up to its terminating zero.
func text(_ characters: [CChar]) -> String {
  String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
