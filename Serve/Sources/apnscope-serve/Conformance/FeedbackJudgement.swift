import APNSInput
import Octets

/// What the provider does with the feedback service.
extension Judgement {
  static func feedback(_ traffic: ProviderTraffic) -> Judgement {
    let connections = traffic.connections.filter { !$0.isPush }
    guard let first = connections.first else {
      return Judgement(obstacle: "the provider did not connect to the feedback service")
    }
    var judgement = Judgement()
    if let (bytes, connection) = traffic.writtenToFeedback {
      judgement.problems.append(
        Evidence(connection: connection).saying(
          "the provider wrote \(plural(bytes, "byte")) to the feedback service, which reads nothing"))
    }
    for connection in connections {
      let location = Evidence(connection: connection.number)
      let unsent = "the last \(plural(connection.unsentCount, "byte"))"
      switch connection.ending {
      case .open where connection.unsentCount > 0:
        judgement.missing.append(location.saying("the provider does not read \(unsent)"))
      case .open: judgement.missing.append(location.saying("the provider did not close the connection"))
      case .finished where connection.unsentCount > 0, .finishedAfterPeer where connection.unsentCount > 0:
        judgement.problems.append(location.saying("the provider closed the connection without reading \(unsent)"))
      case .reset: judgement.problems.append(location.saying("the provider closed the connection with bytes unread"))
      case .finished, .finishedAfterPeer: break
      }
    }
    judgement.facts = [
      Evidence(connection: first.number).saying("read to its end; nothing was written")
    ]
    judgement.isSettled = judgement.missing.isEmpty
    return judgement
  }
}
