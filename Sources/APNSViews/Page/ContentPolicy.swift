extension ReportView {
  /// The content security policy of the page: it runs its own script, uses its own styles, and loads nothing.
  static let policy = """
    default-src 'none'; script-src '\(scriptHash)'; style-src '\(styleHash)'; base-uri 'none'; form-action 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'
    """

  // A test compares these with the files; after a change it prints the new ones.
  private static let scriptHash = "sha256-5oDjf2axSPIwhjim8vpsigWRGFxgOtMl50Qm/M2ix5o="
  private static let styleHash = "sha256-HrXGeGCYOGIux/Ydil+dhoTFYt1N3inZ1u4MkW08m8g="
}
