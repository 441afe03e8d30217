import APNSDiagnosis

/// The frame types, rules, root causes and text formats that all commands use.
package let protocolDefinitions = Definitions.standard
