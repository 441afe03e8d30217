import APNSInput
import Octets

/// What the provider does with the feedback service.
extension Judgement {
  static func feedback(_ traffic: ProviderTraffic) -> Judgement {
    let connections = traffic.connections.filter { !$0.isPush }
    guard let first = connections.first else {
      return Judgement(obstacle: "the provider did not connect to the feedback service")
    }
    var own = Judgement()
    if let (bytes, connection) = traffic.writtenToFeedback {
      own.problems.append(
        Evidence(connection: connection).saying(
          "the provider wrote \(plural(bytes, "byte")) to the feedback service, which reads nothing"))
    }
    for connection in connections {
      let place = Evidence(connection: connection.number)
      switch connection.ending {
      case .reset: own.problems.append(place.saying("the provider closed the connection before it had read everything"))
      case .open: own.missing.append(place.saying("the provider did not close the connection"))
      case .finished, .finishedAfterPeer: break
      }
    }
    own.facts = [
      Evidence(connection: first.number).saying("read to its end; nothing was written")
    ]
    own.isSettled = own.missing.isEmpty
    return own
  }
}
