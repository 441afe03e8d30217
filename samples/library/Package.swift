// swift-tools-version: 6.2
import PackageDescription

// A program of yours that uses apnscope's library; instead of the path, give the address of your copy.
let package = Package(
  name: "example",
  dependencies: [.package(name: "apnscope", path: "../..")],
  targets: [
    .executableTarget(
      name: "example",
      dependencies: [
        .product(name: "APNScope", package: "apnscope"), .product(name: "APNSCapture", package: "apnscope"),
      ]),
    // Without captures there is no need of libpcap.
    .executableTarget(name: "findings", dependencies: [.product(name: "APNScope", package: "apnscope")]),
  ]
)
