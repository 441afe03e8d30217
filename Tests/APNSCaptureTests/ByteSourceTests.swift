import APNSCapture
import APNSInput
import Foundation
import TestSupport
import Testing

@Suite struct ByteSourceTests {
  let text = Array((0..<5000).map { "line \($0) of something that packs well\n" }.joined().utf8)

  @Test func plainBytesAreServedAsTheyAre() throws {
    for bytes in [[], [0x1f], [0x1f, 0x8b], [0x1f, 0x8b, 7], Array(text.prefix(9000))] as [[UInt8]] {
      for peeked in [0, 1, 5000] {
        #expect(try Served(bytes, peeked: peeked).bytes == bytes)
      }
    }
  }

  @Test func membersFollowEachOther() throws {
    let packed = try gzip(text) + gzip([]) + gzip([1, 2, 3])
    #expect(try Served(packed).bytes == text + [1, 2, 3])
    #expect(try Served(packed + [0, 0, 0, 0]).bytes == text + [1, 2, 3])
    for size in [1, 2, 17, 4096] {
      #expect(try Served(packed, pieces: size).bytes == text + [1, 2, 3], "read by \(size)")
    }
    #expect(try Served(packed, decompresses: false).bytes == packed)
  }

  @Test func whatFollowsAndIsNotGzipIsNamed() throws {
    let served = try Served(gzip([1, 2, 3]) + [7, 7])
    #expect(served.bytes == [1, 2, 3])
    #expect(served.error?.code == .damagedGzip)
  }

  @Test func aCutMemberGivesWhatItHas() throws {
    let packed = try gzip(text)
    var longest = 0
    for count in stride(from: 3, to: packed.count, by: 7) {
      let served = try Served([UInt8](packed.prefix(count)))
      #expect(Array(text.prefix(served.bytes.count)) == served.bytes)
      #expect(served.error?.code == .damagedGzip, "cut at \(count)")
      #expect(served.bytes.count >= longest)
      longest = served.bytes.count
    }
    #expect(longest > text.count / 2)
  }

  @Test func damageIsNamedBehindWhatCouldBeRead() throws {
    var packed = try gzip(text)
    packed[packed.count - 6] ^= 1  // the checksum
    let served = try Served(packed)
    #expect(served.bytes == text)
    #expect(served.error?.code == .damagedGzip)

    var random = SeededGenerator(seed: runSeed)
    let whole = try gzip(text)
    for _ in 0..<300 {
      var packed = whole
      packed[3 + Int(random.next() % UInt64(packed.count - 3))] ^= UInt8(1 + random.next() % 255)
      let served = try Served(packed)
      // Only the header holds bytes that do not matter.
      #expect(served.error != nil || served.bytes == text, "APNSCOPE_SEED=\(runSeed)")
    }
  }

  @Test func capturesAreUnpackedForEveryReader() throws {
    for name in ["push-session.pcap", "push-session.pcapng"] {
      let bytes = try Samples.bytes(Samples.folder.appending(path: "captures/\(name)"))
      let packed = try gzip(bytes)
      let whole = CaptureContent(of: bytes)
      let unpacked = CaptureContent(of: packed)
      #expect(unpacked.bytes == whole.bytes && unpacked.packets == whole.packets && unpacked.error == nil)
      let cut = CaptureContent(of: [UInt8](packed.prefix(packed.count / 2)))
      #expect(cut.error?.code == .damagedGzip)
      #expect(whole.packets.starts(with: cut.packets) && !cut.packets.isEmpty)
    }
  }

  @Test func otherFormatsAreNamed() throws {
    let heads: [(String, [UInt8])] = [
      ("zstd", [0x28, 0xb5, 0x2f, 0xfd, 4]), ("lz4", [4, 0x22, 0x4d, 0x18]), ("xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]),
      ("bzip2", Array("BZh91AY&SY".utf8)), ("snoop", Array("snoop\0\0\0\0\0\0\u{2}".utf8)),
      ("Network Monitor", Array("GMBU\0\u{2}".utf8)), ("iptrace", Array("iptrace 2.0".utf8)),
      ("K12", Array("+---------+---------------+----------+\r\n".utf8)),
      ("HAR", Array("{\n  \"log\": {\n    \"version\": \"1.2\",".utf8)),
      ("gzip within gzip", [0x1f, 0x8b, 8, 0]), ("zip", [0x50, 0x4b, 3, 4]),
      ("7-Zip", [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]),
      ("tar", Array(repeating: 0, count: 257) + Array("ustar".utf8)),
    ]
    for (name, head) in heads {
      #expect(ForeignFile.error(for: head)?.reason.contains(name) == true, "\(name)")
      for count in 0..<min(3, head.count) { #expect(ForeignFile.error(for: [UInt8](head.prefix(count))) == nil) }
    }
    for file in try Samples.files(in: "", endingWith: "") where !file.hasDirectoryPath {
      // What is asked is what an unpacked file begins with.
      guard file.pathExtension != "gz", let bytes = try? Samples.bytes(file) else { continue }
      #expect(ForeignFile.error(for: bytes) == nil, "\(file.lastPathComponent)")
    }
    for text in ["{\"log\":1}", "12:34:56 GET", "2741:9:webcam;", "BZh9 is a word", "GMBU stands for nothing"] {
      #expect(ForeignFile.error(for: Array(text.utf8)) == nil, "\(text)")
    }
  }

  private func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["gzip", "-c"]
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    process.standardInput = try FileHandle(forReadingFrom: file)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let packed = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Array(packed)
  }
}

/// What a source serves of bytes in a file.
private struct Served {
  var bytes: [UInt8] = []
  var error: ReadError?

  init(_ input: [UInt8], peeked: Int = 0, pieces: Int = 1 << 16, decompresses: Bool = true) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(input).write(to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    let file = try FileHandle(forReadingFrom: path)
    let source = ByteSource(descriptor: file.fileDescriptor, decompresses: decompresses)
    var buffer = [UInt8](repeating: 0, count: pieces)
    do throws(ReadError) {
      while source.head.count < peeked, try source.peekMore() {}
      while true {
        let count = try source.read(into: &buffer)
        guard count > 0 else { break }
        bytes += buffer[..<count]
      }
    } catch {
      self.error = error
    }
    withExtendedLifetime(file) {}
  }
}
