extension ReportView {
  /// The content security policy of the page: it runs its own script, uses its own styles, and loads nothing.
  static let policy = """
    default-src 'none'; script-src '\(scriptHash)'; style-src '\(styleHash)'; base-uri 'none'; form-action 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'
    """

  // A test compares these with the files; after a change it prints the new ones.
  private static let scriptHash = "sha256-/Gi/qCmH9W+sxsV7KL8WU0Z9mphsA1+p/EAP3fgfHlg="
  private static let styleHash = "sha256-xL8CWDJ7EpmSBfLAD/0Dx1wBF5SBKs4+xp5agAlkMj4="
}
