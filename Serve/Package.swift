// swift-tools-version: 6.2
import PackageDescription

let unwarned: [SwiftSetting] = Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// As in the package of `apnscope`: the gateway runs where there is no Swift. NIO needs all of Foundation.
let libraries = ["CoreFoundation", "_FoundationICU", "_FoundationCollections", "_FoundationCShims"]
let standalone: [LinkerSetting] = [
  .unsafeFlags(["-static-stdlib", "-use-ld=lld"] + libraries.map { "-l" + $0 }, .when(platforms: [.linux]))
]

// A package of its own, so that only those who need a gateway build NIO and TLS.
let package = Package(
  name: "apnscope-serve",
  dependencies: [
    .package(name: "apnscope", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
  ],
  targets: [
    .executableTarget(
      name: "apnscope-serve",
      dependencies: [
        .product(name: "APNScope", package: "apnscope"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOTLS", package: "swift-nio"),
      ],
      resources: [.embedInCode("Resources")], swiftSettings: [.strictMemorySafety()] + unwarned,
      linkerSettings: standalone)
  ]
)
