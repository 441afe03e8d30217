import APNSInput
import CPcap

/// A libpcap filter expression, compiled for each link type of a capture. libpcap cannot look into PKTAP, so packets
/// are filtered by what follows that header.
struct PacketFilters {
  let expression: String
  private var compiled: [LinkType: PacketFilter] = [:]

  init(_ expression: String) { self.expression = expression }

  /// Whether the packet matches. Unreadable packets do, because they are counted.
  mutating func match(_ bytes: Span<UInt8>, originalLength: Int, link: LinkType) throws(ReadError) -> Bool {
    guard let (inner, start) = link.inner(in: bytes), inner.isKnown, inner != .pktap else { return true }
    return try filter(for: inner).matches(bytes.extracting(start...), originalLength: originalLength - start)
  }

  /// - Throws: `ReadError` if the expression is invalid. Whether libpcap can filter packets in PKTAP by it is known
  ///   with the first one.
  mutating func check(for link: LinkType) throws(ReadError) {
    _ = try filter(for: link.mayBePKTAP ? .ethernet : link)
  }

  private mutating func filter(for link: LinkType) throws(ReadError) -> PacketFilter {
    if let filter = compiled[link] { return filter }
    let filter = try PacketFilter(expression, for: link)
    compiled[link] = filter
    return filter
  }
}

/// A compiled expression. It is safe, because its program has no other owner; it is freed with its owner.
@safe final class PacketFilter {
  private let program: UnsafeMutablePointer<bpf_program>

  /// Length limits in bytes. For long expressions, libpcap needs seconds and gigabytes to optimize, and for still
  /// longer ones to compile.
  private static let longestOptimized = 1 << 10
  private static let longest = 1 << 12

  /// Whether libpcap should optimize the expression: 1 or 0.
  static func optimizes(_ expression: String) throws(ReadError) -> Int32 {
    let count = expression.utf8.count
    guard count <= longest else {
      throw ReadError(
        .badFilter,
        "the capture filter has \(count) characters, and libpcap is too slow with more than \(longest); shorten it "
          + "with portrange and net, or select frames with -Y")
    }
    return count <= longestOptimized ? 1 : 0
  }

  init(_ expression: String, for link: LinkType) throws(ReadError) {
    let optimizes = try Self.optimizes(expression)
    unsafe program = .allocate(capacity: 1)
    unsafe program.initialize(to: bpf_program())
    // From here on, the deinitializer frees the memory, even if this throws.
    guard let problem = unsafe Self.compile(expression, optimizes, for: link, into: program) else { return }
    // An expression that is valid for Ethernet is not supported by libpcap for this link type.
    if link != .ethernet, (try? PacketFilter(expression, for: .ethernet)) != nil {
      throw ReadError(
        .badFilter,
        "libpcap cannot filter packets of the link type \(link.name) by \"\(expression)\" (\(problem)); "
          + "drop -f and use --stream")
    }
    throw ReadError(.badFilter, "invalid capture filter \"\(expression)\": \(problem)")
  }

  deinit {
    unsafe pcap_freecode(program)
    unsafe program.deallocate()
  }

  /// Whether the packet matches. Filtering here instead of in libpcap preserves the packet numbers of the file.
  func matches(_ bytes: Span<UInt8>, originalLength: Int) -> Bool {
    var header = pcap_pkthdr()
    header.caplen = UInt32(clamping: bytes.count)
    header.len = UInt32(clamping: originalLength)
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      // libpcap has verified the program, which reads at most `caplen` bytes.
      unsafe pcap_offline_filter(program, &header, bytes.baseAddress) != 0
    }
  }

  /// Compiles the expression. Returns libpcap's error message, or nil on success.
  private static func compile(
    _ expression: String, _ optimizes: Int32, for link: LinkType, into program: UnsafeMutablePointer<bpf_program>
  ) -> String? {
    // The snap length only limits how much of a matching packet is kept.
    guard let handle = unsafe pcap_open_dead(link.inLibpcap, 1 << 18) else { return "there is not enough memory" }
    defer { unsafe pcap_close(handle) }
    guard unsafe pcap_compile(handle, program, expression, optimizes, PCAP_NETMASK_UNKNOWN) != 0 else { return nil }
    // The message belongs to the handle, so it is copied.
    return unsafe pcap_geterr(handle).map { unsafe String(cString: $0) } ?? "unknown error"
  }
}

extension LinkType {
  /// The number that libpcap uses; only raw IP has a different number in files.
  fileprivate var inLibpcap: Int32 { self == .raw ? DLT_RAW : Int32(clamping: rawValue) }

  /// The number, and the name if libpcap knows one.
  var name: String {
    // The names are string constants of libpcap.
    guard let name = unsafe pcap_datalink_val_to_name(inLibpcap) else { return "\(rawValue)" }
    return unsafe "\(rawValue) (\(String(cString: name)))"
  }
}
