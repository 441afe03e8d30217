import APNSDiagnosis
import APNSGateway
import APNSServer

/// A server that listens.
struct RunningServer {
  let server: Server
  /// How to judge the packets of its connections: the ports of its services are known. The flags also apply to a
  /// capture of them.
  let settings: StreamSettings

  init(
    _ server: ServerSettings, _ settings: StreamSettings, behavior: Behavior = Behavior()
  ) throws(Failure) {
    // Files, listeners and the connections that are closed at once need descriptors, too.
    let mostConnections = raiseDescriptorLimit() / 4 * 3
    var server = server
    server.mostConnections = min(server.mostConnections, mostConnections)
    do throws(ServerError) {
      self.server = try Server(server, protocolDefinitions, edition: settings.rules.edition, behavior: behavior)
    } catch {
      throw .unreadable("\(error)")
    }
    var settings = settings
    for address in self.server.addresses {
      let (port, service) = (address.endpoint.port, address.service)
      settings.roles.ports[port] = service
      if RolePolicy.documentedPorts[port] != service { settings.flags += ["-d", service.decodeRule(for: port)] }
    }
    self.settings = settings
  }

  /// Says where clients can connect.
  func announce() {
    for address in server.addresses {
      StandardError.write("listening on \(address)\n")
    }
  }
}
