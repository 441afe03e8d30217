/// Apple's documents as rules cite them: title, edition and chapter.
enum Guide {
  static let of2013 = "Local and Push Notification Programming Guide (2013), "
  private static let of2017 = "Local and Remote Notification Programming Guide (2017), "

  static let binaryInterface = of2013 + "The Binary Interface and Notification Format"
  static let statuses = of2013 + "Table 5-1, Codes in error-response packet"
  static let payload = of2013 + "The Notification Payload"
  static let payloadExamples = of2013 + "Examples of JSON Payloads"
  static let enhancedFormat = of2013 + "Enhanced Notification Format"
  static let simpleFormat = of2013 + "Simple Notification Format"
  static let feedbackService = of2013 + "The Feedback Service"
  static let ports = of2013 + "Provider Communication: port 2195 for notifications; The Feedback Service: port 2196"
  static let oneAnswer = binaryInterface + ": it returns an error-response packet and closes the connection"

  static let binaryInterface2017 = of2017 + "Binary Provider API"
  static let payloadKeys2017 = of2017 + "Payload Key Reference"
  static let legacyFormats2017 = of2017 + "Legacy Notification Format"

  static let revisions = "revision history of Apple's guide"
}
