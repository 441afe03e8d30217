import APNSDiagnosis

/// The frame types, rules and causes that the command goes by.
package let protocolDefinitions = Definitions.standard
