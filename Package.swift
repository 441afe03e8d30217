// swift-tools-version: 6.2
import PackageDescription

/// Hostile bytes are decoded here, so no unsafe construct goes without `unsafe`; in CI a warning is an error.
let unwarned: [SwiftSetting] = Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]
/// Tests that spend their time in the libraries and in children: optimizing them takes longer than it saves.
let plain: [SwiftSetting] = unwarned + [.unsafeFlags(["-Onone"])]
let safe: [SwiftSetting] = [.strictMemorySafety()] + unwarned

/// Swift's own libraries go into the command: it starts a fifth sooner, and runs where there is no Swift. The parser's
/// need the two that are named; lld does not warn of `mktemp` in them, which nothing here calls.
let standalone: [LinkerSetting] = [
  .unsafeFlags(
    ["-static-stdlib", "-use-ld=lld", "-l_FoundationCollections", "-l_FoundationCShims"], .when(platforms: [.linux]))
]

/// `make doc` alone needs the plugin.
let documentation: [Package.Dependency] =
  Context.environment["APNSCOPE_DOC"] == nil
  ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0")]

let package = Package(
  name: "apnscope",
  products: [
    .executable(name: "apnscope", targets: ["apnscope"]),
    .library(name: "APNSWire", targets: ["APNSWire"]),
    .library(
      name: "APNScope",
      targets: [
        "Octets", "APNSWire", "APNSPayload", "APNSInput", "APNSDiagnosis", "APNSQuery", "APNSViews", "APNSCraft",
      ]),
    // A product of its own, since it needs libpcap and zlib.
    .library(name: "APNSCapture", targets: ["APNSCapture"]),
    .library(name: "apnscope-mutator", type: .dynamic, targets: ["APNSMutator"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ] + documentation,
  targets: [
    .target(name: "Octets", swiftSettings: safe),
    .target(name: "APNSWire", dependencies: ["Octets"], swiftSettings: safe),
    // Rounding is in libm, which only Foundation and Glibc bring along by themselves.
    .target(
      name: "APNSPayload", dependencies: ["Octets"], swiftSettings: safe,
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
    .target(name: "APNSInput", dependencies: ["Octets", "APNSWire"], swiftSettings: safe),
    .systemLibrary(name: "CPcap", providers: [.apt(["libpcap-dev"]), .brew(["libpcap"])]),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(name: "APNSCapture", dependencies: ["Octets", "APNSInput", "CPcap", "CZlib"], swiftSettings: safe),
    .target(
      name: "APNSDiagnosis", dependencies: ["Octets", "APNSWire", "APNSPayload", "APNSInput"], swiftSettings: safe),
    .target(
      name: "APNSQuery", dependencies: ["Octets", "APNSWire", "APNSPayload", "APNSInput", "APNSDiagnosis"],
      swiftSettings: safe),
    // The page, its styles and the scripts become arrays of bytes, so that the program needs no files beside it.
    .target(
      name: "APNSViews",
      dependencies: ["Octets", "APNSWire", "APNSPayload", "APNSInput", "APNSDiagnosis", "APNSQuery"],
      resources: [
        .embedInCode("Wireshark/dissector.lua"), .embedInCode("Page/page.html"), .embedInCode("Page/report.css"),
        .embedInCode("Page/report.js"), .embedInCode("Explanation/facts.txt"),
      ], swiftSettings: safe),
    .target(
      name: "APNSCraft",
      dependencies: ["Octets", "APNSWire", "APNSPayload", "APNSInput", "APNSDiagnosis", "APNSQuery"],
      swiftSettings: safe),
    .target(name: "CProcess"),
    .target(name: "APNSMutator", dependencies: ["APNSCraft"], swiftSettings: safe),
    .executableTarget(
      name: "apnscope",
      dependencies: [
        "Octets", "APNSWire", "APNSPayload", "APNSInput", "APNSCapture", "APNSDiagnosis", "APNSQuery", "APNSViews",
        "APNSCraft", "CProcess",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: safe, linkerSettings: standalone),
    // Tests
    .target(
      name: "TestSupport",
      dependencies: [
        "Octets", "APNSWire", "APNSPayload", "APNSInput", "APNSDiagnosis", "APNSQuery", "APNSViews", "APNSCraft",
      ], path: "Tests/Support", swiftSettings: unwarned),
    .testTarget(name: "APNSWireTests", dependencies: ["Octets", "APNSWire", "TestSupport"], swiftSettings: unwarned),
    .testTarget(
      name: "APNSPayloadTests", dependencies: ["Octets", "APNSPayload", "TestSupport"], swiftSettings: unwarned),
    .testTarget(
      name: "APNSInputTests", dependencies: ["Octets", "APNSWire", "APNSInput", "TestSupport"],
      swiftSettings: unwarned),
    .testTarget(
      name: "APNSCaptureTests", dependencies: ["Octets", "APNSCapture", "APNSInput", "CPcap", "TestSupport"],
      swiftSettings: plain),
    .testTarget(
      name: "APNSDiagnosisTests",
      dependencies: [
        "Octets", "APNSWire", "APNSPayload", "APNSInput", "APNSDiagnosis", "APNSViews", "TestSupport",
      ], swiftSettings: unwarned),
    .testTarget(
      name: "APNSQueryTests",
      dependencies: [
        "Octets", "APNSWire", "APNSPayload", "APNSInput", "APNSDiagnosis", "APNSQuery", "APNSViews", "TestSupport",
      ], swiftSettings: plain),
    .testTarget(
      name: "APNSViewsTests",
      dependencies: ["Octets", "APNSWire", "APNSInput", "APNSDiagnosis", "APNSQuery", "APNSViews", "TestSupport"],
      swiftSettings: plain),
    .testTarget(
      name: "APNSCraftTests",
      dependencies: [
        "Octets", "APNSWire", "APNSPayload", "APNSInput", "APNSCapture", "APNSDiagnosis", "APNSCraft", "APNSMutator",
        "TestSupport",
      ],
      swiftSettings: unwarned),
    .testTarget(
      name: "APNScopeTests",
      dependencies: ["APNSWire", "APNSInput", "APNSViews", "APNSCraft", "TestSupport"],
      swiftSettings: plain),
    .executableTarget(
      name: "apnscope-bench",
      dependencies: ["Octets", "APNSWire", "APNSPayload", "APNSInput", "APNSDiagnosis", "APNSViews", "TestSupport"],
      path: "Tests/Bench", exclude: ["yardsticks", "compare.py", "RESULTS.md"], swiftSettings: unwarned),
    .executableTarget(
      name: "apnscope-fuzz",
      dependencies: ["Octets", "APNSWire", "APNSInput", "APNSCapture", "APNSDiagnosis", "APNSViews", "TestSupport"],
      path: "Tests/Fuzz",
      exclude: ["dictionary.txt", "slow"],
      swiftSettings: unwarned),
  ]
)
