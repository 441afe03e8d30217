import APNSDiagnosis

/// The frame types, rules and root causes that all commands use.
package let protocolDefinitions = Definitions.standard
