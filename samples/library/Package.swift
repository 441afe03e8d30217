// swift-tools-version: 6.2
import PackageDescription

let library: Target.Dependency = .product(name: "APNScope", package: "apnscope")
let capture: Target.Dependency = .product(name: "APNSCapture", package: "apnscope")

// A package of yours that uses apnscope's libraries; instead of the path, give the address of your copy.
let package = Package(
  name: "example",
  dependencies: [.package(name: "apnscope", path: "../..")],
  targets: [
    .executableTarget(name: "example", dependencies: [library, capture]),
    // Without captures there is no need of libpcap.
    .executableTarget(name: "findings", dependencies: [library]),
    // The code of the documentation's pages, and tests of it.
    .target(name: "Overviews", dependencies: [library, capture]),
    .testTarget(name: "OverviewTests", dependencies: ["Overviews", library]),
    .target(name: "Withdrawal", dependencies: [library]),
    .testTarget(name: "WithdrawalTests", dependencies: ["Withdrawal", library]),
    .testTarget(name: "OwnTests", dependencies: [library]),
  ]
)
