import Foundation
import TestSupport
import Testing

/// Every public declaration of the libraries has a doc comment. `make doc` checks what the comments say. Only the rules
/// have none, since their rows begin with what they are.
@Suite struct DocumentationTests {
  /// All targets written in Swift that are part of a library.
  static let modules: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: sources.path)) ?? []
    return names.filter { name in
      !["apnscope"].contains(name) && (try? files(of: name))?.isEmpty == false
    }.sorted()
  }()

  private static let sources = GuidePage.root.appending(path: "Sources")

  private static func files(of module: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: sources.appending(path: module).path)
      .filter { $0.hasSuffix(".swift") }
  }

  @Test func thereAreModules() { #expect(Self.modules.count >= 10) }

  @Test(arguments: modules) func declarationsAreDocumented(_ module: String) throws {
    let folder = try Scratch()
    defer { folder.remove() }
    let symbols = try Self.symbolGraphs(of: module, in: folder).flatMap(\.symbols)
    let undocumented = symbols.filter { $0.docComment == nil && !$0.isSynthesized && !$0.isRule }.map { symbol in
      let file = symbol.location.map { $0.uri.trimmingPrefix("file://\(Self.sources.path)/") } ?? ""
      let line = symbol.location.map { $0.position.line + 1 } ?? 0
      return "\(file):\(line): \(symbol.pathComponents.joined(separator: "."))"
    }
    #expect(undocumented.isEmpty, "without a doc comment:\n\(undocumented.sorted().joined(separator: "\n"))")
  }

  /// What the compiler says of the module and of its extensions of other modules.
  private static func symbolGraphs(of module: String, in folder: Scratch) throws -> [SymbolGraph] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      [
        "swift-symbolgraph-extract", "-module-name", module, "-minimum-access-level", "public",
        "-target", target, "-output-dir", folder.folder.path, "-I",
        TranscriptTests.binFolder.appending(path: "Modules").path,
      ] + ["CPcap", "CZlib"].flatMap { ["-I", sources.appending(path: $0).path] }
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "swift-symbolgraph-extract fails for \(module)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.folder.path)
    try #require(names.contains("\(module).symbols.json"))
    return try names.map { name in
      try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: folder.folder.appending(path: name)))
    }
  }

  private static var target: String {
    #if arch(arm64)
      "aarch64-unknown-linux-gnu"
    #else
      "x86_64-unknown-linux-gnu"
    #endif
  }
}

private struct SymbolGraph: Decodable {
  let symbols: [Symbol]

  struct Symbol: Decodable {
    let identifier: Identifier
    let kind: Kind
    let pathComponents: [String]
    let docComment: Comment?
    let location: Location?

    /// A member that a protocol's extension gives to a type: it has its comment there.
    var isSynthesized: Bool { identifier.precise.contains("::SYNTHESIZED::") }
    var isRule: Bool { kind.identifier == "swift.type.property" && pathComponents.first == "Rule" }
  }

  struct Identifier: Decodable { let precise: String }
  struct Kind: Decodable { let identifier: String }
  struct Comment: Decodable {}
  struct Location: Decodable {
    let uri: String
    let position: Position
  }
  struct Position: Decodable { let line: Int }
}
