extension ReportView {
  /// The content security policy of the page: it runs its own script, uses its own styles, and loads nothing.
  static let policy = """
    default-src 'none'; script-src '\(scriptHash)'; style-src '\(styleHash)'; base-uri 'none'; form-action 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'
    """

  // A test compares these with the files; after a change it prints the new ones.
  private static let scriptHash = "sha256-4UzqezGKyOf73/aOnpECdCX+Cyx5HrfsS80HXU0Mmrs="
  private static let styleHash = "sha256-W347/12tfMPDj3BbNXtWTKqn94YZaczaDn5mgnShmYc="
}
