/// A part of Apple's service. ``DocumentedFact`` has the facts about it.
struct ServiceTopic: Sendable {
  let name: String
  let aliases: [String]
  let title: String

  static let all = [
    ServiceTopic(
      name: "push gateway", aliases: ["gateway", "apns", "2195", "port 2195", "connection", "connections"],
      title: "reads notifications and writes error responses"),
    ServiceTopic(
      name: "feedback service", aliases: ["feedback", "2196", "port 2196"],
      title: "lists the devices on which an app no longer exists"),
  ]
}

extension Topic {
  init(_ service: ServiceTopic) {
    self.init(
      kind: .service, name: service.name, aliases: service.aliases, title: service.title, paragraphs: [])
  }
}
