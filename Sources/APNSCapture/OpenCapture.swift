import APNSInput
import CPcap

/// A capture file that libpcap has open, closed with its owner.
///
/// The pointers in here are safe to use because nobody else has them: the handle lives until `deinit`, the source as
/// long as the handle, and what libpcap lends (packets, messages) is copied or used before it is called again.
@safe struct OpenCapture: ~Copyable {
  /// Nil when the input was interrupted before the file header ended: a capture without packets.
  private let handle: OpaquePointer?
  private let source: UnsafeMutablePointer<capture_source>?

  init(descriptor: Int32, head: [UInt8]) throws(ReadError) {
    var source: UnsafeMutablePointer<capture_source>?
    // C copies the head before it returns.
    let file = unsafe head.withUnsafeBufferPointer { head in
      unsafe capture_source_open(descriptor, head.baseAddress, head.count, &source)
    }
    guard let file = unsafe file, let source = unsafe source else {
      throw ReadError(.unreadable, "there is no memory to read the capture")
    }
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    // libpcap writes at most PCAP_ERRBUF_SIZE bytes, and takes the file only when it succeeds.
    let handle = unsafe message.withUnsafeMutableBufferPointer { message in
      unsafe pcap_fopen_offline_with_tstamp_precision(file, UInt32(PCAP_TSTAMP_PRECISION_NANO), message.baseAddress)
    }
    if unsafe handle == nil {
      let (wasInterrupted, failure) = unsafe (source.pointee.interrupted, source.pointee.failure)
      unsafe fclose(file)  // frees the source too
      guard wasInterrupted else { throw Self.error("the capture cannot be opened", text(message), failure: failure) }
    }
    unsafe self.handle = handle
    unsafe self.source = handle == nil ? nil : source
  }

  deinit {
    // Closes the file, which frees the source.
    if let handle = unsafe handle { unsafe pcap_close(handle) }
  }

  /// The next packet, whose bytes live until this is called again; nil at the end.
  func next() throws(ReadError) -> CapturedPacket? {
    guard let handle = unsafe handle else { return nil }
    var header: UnsafeMutablePointer<pcap_pkthdr>?
    var data: UnsafePointer<UInt8>?
    let result = unsafe pcap_next_ex(handle, &header, &data)
    if result == 1, let header = unsafe header, let data = unsafe data {
      return unsafe CapturedPacket(header: header, data: data)
    }
    if result == PCAP_ERROR_BREAK { return nil }
    // An interrupt in the middle of a packet looks like a cut file to libpcap.
    if let source = unsafe source, unsafe source.pointee.interrupted { return nil }
    throw Self.error("the capture cannot be read further", message, failure: unsafe source?.pointee.failure ?? 0)
  }

  var linkType: Int32 {
    guard let handle = unsafe handle else { return Int32(LinkType.ethernet.rawValue) }
    return unsafe pcap_datalink(handle)
  }

  /// What the file begins with.
  var magic: [UInt8] {
    guard let source = unsafe source else { return [] }
    let magic = unsafe source.pointee.magic
    return [magic.0, magic.1, magic.2, magic.3]
  }

  /// Number and, where libpcap knows one, name.
  var linkTypeName: String {
    // Names are string constants of libpcap.
    guard let name = unsafe pcap_datalink_val_to_name(linkType) else { return "\(linkType)" }
    return unsafe "\(linkType) (\(String(cString: name)))"
  }

  /// Nil where there is no file to filter.
  func compile(_ expression: String, into program: UnsafeMutablePointer<bpf_program>) throws(ReadError) {
    guard let handle = unsafe handle else { return }
    guard unsafe pcap_compile(handle, program, expression, 1, PCAP_NETMASK_UNKNOWN) == 0 else {
      throw ReadError(.badFilter, "the filter \"\(expression)\" is not one that libpcap takes: \(message)")
    }
  }

  /// What libpcap says of its last error. The text lives in the handle, and is copied.
  private var message: String {
    guard let handle = unsafe handle, let text = unsafe pcap_geterr(handle) else { return "unknown error" }
    return unsafe String(cString: text)
  }

  private static func error(_ what: String, _ message: String, failure: Int32) -> ReadError {
    guard failure == 0 else {
      // strerror gives a string that lives until its next call.
      let reason = unsafe strerror(failure).map { unsafe String(cString: $0) } ?? "error \(failure)"
      return ReadError(.unreadable, "\(what): \(reason)")
    }
    return ReadError(.damagedCapture, "\(what): \(message)")
  }
}

/// A packet in a buffer that libpcap owns.
@unsafe struct CapturedPacket {
  let header: UnsafeMutablePointer<pcap_pkthdr>
  let data: UnsafePointer<UInt8>

  /// libpcap has read that many bytes to there.
  var bytes: UnsafeBufferPointer<UInt8> { unsafe UnsafeBufferPointer(start: data, count: Int(header.pointee.caplen)) }
  var originalLength: Int { unsafe Int(header.pointee.len) }

  /// Read with nanosecond precision, libpcap gives nanoseconds where the name says microseconds.
  func time(inNanosecondFile isNanosecondFile: Bool) -> CaptureTime {
    let second = 1_000_000_000
    let fraction = unsafe Int(header.pointee.ts.tv_usec)
    let seconds = unsafe Int(header.pointee.ts.tv_sec)
    let carry = fraction >= 0 ? fraction / second : -1  // a damaged fraction can be anything
    let nanoseconds = ((fraction % second) + second) % second
    return CaptureTime(
      seconds: seconds &+ carry, nanoseconds: nanoseconds,
      digits: isNanosecondFile || nanoseconds % 1000 != 0 ? 9 : 6)
  }
}

/// A compiled expression, freed with its owner.
@safe struct PacketFilter: ~Copyable {
  private let program: UnsafeMutablePointer<bpf_program>

  init(_ expression: String, for capture: borrowing OpenCapture) throws(ReadError) {
    unsafe program = .allocate(capacity: 1)
    unsafe program.initialize(to: bpf_program())
    // From here on the deinitialiser frees, also when this throws.
    try unsafe capture.compile(expression, into: program)
  }

  deinit {
    unsafe pcap_freecode(program)
    unsafe program.deallocate()
  }

  /// Filtering here and not in libpcap keeps the packet numbers of the file.
  func matches(_ packet: CapturedPacket) -> Bool {
    unsafe pcap_offline_filter(program, packet.header, packet.data) != 0
  }
}

private func text(_ characters: [CChar]) -> String {
  String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
