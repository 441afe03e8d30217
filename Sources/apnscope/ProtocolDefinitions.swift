import APNSDiagnosis

/// What the command goes by, everywhere.
let protocolDefinitions = Definitions.standard
