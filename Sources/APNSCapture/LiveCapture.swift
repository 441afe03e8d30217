import APNSInput
import CPcap

/// Captures packets from a network interface.
///
/// Only opening needs the privilege to capture, so privileges can be dropped before reading.
///
/// Memory that libpcap lends is used before libpcap is called again.
public struct LiveCapture: ~Copyable {
  /// The name of the interface.
  public let interface: String
  /// The link type of all packets.
  public let linkType: LinkType
  /// Number of packets read so far.
  public private(set) var packetCount = 0

  /// Also receives each packet before it is read, with its length on the wire in bytes. An error ends the capture.
  public var saver: ((_ packet: Span<UInt8>, _ originalLength: Int, _ time: CaptureTime) throws(ReadError) -> Void)?

  private let handle: LiveHandle
  /// Set if libpcap cannot filter packets of this link type.
  private var filters: PacketFilters?

  private static let pollMilliseconds: Int32 = 250

  /// Opens an interface.
  /// - Parameters:
  ///   - interface: The name of the interface, such as `eth0`.
  ///   - filter: A libpcap filter expression, such as `tcp port 2195`.
  /// - Throws: `ReadError` if there is no such interface, the process may not capture, the filter is invalid, or the
  ///   link type is not supported.
  public init(interface: String, filter: String?) throws(ReadError) {
    let handle = try LiveHandle(interface)
    let linkType = try handle.open(interface)
    var filters = linkType.mayBePKTAP ? filter.map { PacketFilters($0) } : nil
    try filters?.check(for: linkType)
    if filters == nil { try handle.setFilter(filter) }
    self.interface = interface
    self.linkType = linkType
    self.handle = handle
    self.filters = filters
  }

  /// Reads until the sink needs no more or `limit` packets have been read.
  /// - Throws: `ReadError` if the interface fails, or a packet cannot be saved.
  public mutating func read(
    packets limit: Int?, into reassembler: inout Reassembler, _ sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    var header: UnsafeMutablePointer<pcap_pkthdr>?
    var data: UnsafePointer<UInt8>?
    while sink.wantsMore, packetCount < limit ?? .max {
      switch unsafe pcap_next_ex(handle.pointer, &header, &data) {
      case 1:
        guard let header = unsafe header, let data = unsafe data else { continue }
        // libpcap provides `caplen` bytes at this address.
        let captured = unsafe UnsafeBufferPointer(start: data, count: Int(header.pointee.caplen))
        let bytes = unsafe captured.span
        let length = unsafe Int(header.pointee.len)
        guard try filters?.match(bytes, originalLength: length, link: linkType) ?? true else { continue }
        packetCount += 1
        // With nanosecond precision, libpcap stores nanoseconds in `tv_usec`.
        let stamp = unsafe header.pointee.ts
        let time = CaptureTime(seconds: Int(stamp.tv_sec), nanoseconds: Int(stamp.tv_usec), digits: 9)
        let origin = Origin.Packet(number: packetCount, time: time)
        try saver?(bytes, length, time)
        reassembler.packet(bytes, originalLength: length, link: linkType, origin: origin, into: &sink)
      case 0:
        reassembler.wait(until: Self.now, into: &sink)
        unsafe capture_wait(handle.pointer, Self.pollMilliseconds)
      default:
        throw ReadError(.unreadable, "\(interface): \(handle.message)")
      }
    }
  }

  private static var now: CaptureTime {
    let (seconds, nanoseconds) = Int(now_nanoseconds()).quotientAndRemainder(dividingBy: 1_000_000_000)
    return CaptureTime(seconds: seconds, nanoseconds: nanoseconds, digits: 9)
  }

  /// Number of packets dropped by the kernel and by the interface; nil if they are not counted.
  public var losses: (kernel: Int, interface: Int)? {
    var statistics = pcap_stat()
    guard unsafe pcap_stats(handle.pointer, &statistics) == 0 else { return nil }
    return (Int(statistics.ps_drop), Int(statistics.ps_ifdrop))
  }
}

/// An open libpcap handle. It is safe, because it has no other owner; it is closed with its owner.
@safe struct LiveHandle: ~Copyable {
  let pointer: OpaquePointer

  /// Bytes per packet: longer than any packet, so that none is cut.
  private static let snapLength: Int32 = 262_144
  /// Size of the kernel's buffer, which absorbs packets while the output stalls.
  private static let bufferBytes: Int32 = 32 << 20
  /// How long the kernel may collect packets before it delivers them.
  private static let milliseconds: Int32 = 5

  init(_ interface: String) throws(ReadError) {
    let (created, message) = unsafe withMessage { unsafe pcap_create(interface, $0) }
    guard let created = unsafe created else { throw ReadError(.unreadable, "\(interface): \(message)") }
    unsafe pointer = created
    unsafe pcap_set_snaplen(pointer, Self.snapLength)
    unsafe pcap_set_promisc(pointer, 1)
    unsafe pcap_set_timeout(pointer, Self.milliseconds)
    unsafe pcap_set_buffer_size(pointer, Self.bufferBytes)
    unsafe pcap_set_tstamp_precision(pointer, PCAP_TSTAMP_PRECISION_NANO)
  }

  deinit { unsafe pcap_close(pointer) }

  /// Starts the capture. Returns its link type.
  func open(_ interface: String) throws(ReadError) -> LinkType {
    let status = unsafe pcap_activate(pointer)
    switch status {
    case 0...: _ = unsafe withMessage { unsafe pcap_setnonblock(pointer, 1, $0) }
    case PCAP_ERROR_PERM_DENIED, PCAP_ERROR_PROMISC_PERM_DENIED:
      throw ReadError(.noPermission, "\(interface): no permission to capture")
    case PCAP_ERROR_NO_SUCH_DEVICE:
      throw ReadError(.noInterface, "there is no interface \(interface)")
    case PCAP_ERROR_IFACE_NOT_UP:
      throw ReadError(.unreadable, "the interface \(interface) is down")
    default:
      throw ReadError(.unreadable, "\(interface): \(message.isEmpty ? "error \(status)" : message)")
    }
    let linkType = LinkType(rawValue: Int(unsafe pcap_datalink(pointer)))
    guard linkType.isKnown else {
      throw ReadError(.unknownLinkType, "\(interface): the link type \(linkType.name) is not supported")
    }
    return linkType
  }

  func setFilter(_ expression: String?) throws(ReadError) {
    guard let expression else { return }
    let optimizes = try PacketFilter.optimizes(expression)
    var program = unsafe bpf_program()
    // libpcap copies the expression, and the handle copies the program.
    guard unsafe pcap_compile(pointer, &program, expression, optimizes, PCAP_NETMASK_UNKNOWN) == 0 else {
      throw ReadError(.badFilter, "invalid capture filter \"\(expression)\": \(message)")
    }
    defer { unsafe pcap_freecode(&program) }
    guard unsafe pcap_setfilter(pointer, &program) == 0 else {
      throw ReadError(.badFilter, "cannot set the capture filter: \(message)")
    }
  }

  /// libpcap's message for its last error, copied from the handle.
  var message: String {
    guard let text = unsafe pcap_geterr(pointer) else { return "" }
    return unsafe String(cString: text)
  }
}

/// A network interface that packets can be captured from.
public struct CaptureInterface: Sendable, Hashable {
  /// The name for `-i`.
  public let name: String
  /// libpcap's description, if it has one.
  public let description: String?
  /// Whether the interface is up.
  public let isUp: Bool
  /// Whether this is the loopback interface.
  public let isLoopback: Bool

  /// All interfaces visible to this process; those in use come first.
  /// - Throws: `ReadError` if libpcap cannot list them.
  public static func all() throws(ReadError) -> [CaptureInterface] {
    var first: UnsafeMutablePointer<pcap_if_t>?
    let (status, message) = unsafe withMessage { unsafe pcap_findalldevs(&first, $0) }
    guard status == 0 else { throw ReadError(.unreadable, "cannot list the interfaces: \(message)") }
    defer { unsafe pcap_freealldevs(first) }
    var found: [CaptureInterface] = []
    var next = unsafe first
    // The list belongs to libpcap and is freed when this function returns, so its strings are copied.
    while let interface = unsafe next?.pointee {
      let flags = Int32(bitPattern: unsafe interface.flags)
      found.append(
        CaptureInterface(
          name: unsafe String(cString: interface.name),
          description: unsafe interface.description.map { unsafe String(cString: $0) },
          isUp: flags & PCAP_IF_UP != 0, isLoopback: flags & PCAP_IF_LOOPBACK != 0))
      unsafe next = interface.next
    }
    return found
  }
}

/// Calls libpcap with a buffer for its message, to which it writes at most `PCAP_ERRBUF_SIZE` bytes.
private func withMessage<Result>(_ call: (UnsafeMutablePointer<CChar>?) -> Result) -> (Result, message: String) {
  var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
  let result = unsafe message.withUnsafeMutableBufferPointer { unsafe call($0.baseAddress) }
  return (result, String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
}
