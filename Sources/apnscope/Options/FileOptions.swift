import ArgumentParser

// Options that name files. The kinds differ, so that `RunFiles` knows every file that is read and written.

extension Option {
  /// An option that reads a file.
  init(
    reads name: String, help: String, visibility: ArgumentVisibility = .default
  ) where Value == InputPath? {
    self.init(
      name: Self.name(name), help: Self.help(help, "file", visibility), completion: .file(),
      transform: { InputPath($0, name) })
  }

  /// An option that reads files.
  init(
    wrappedValue: [InputPath], reads name: String, help: String, visibility: ArgumentVisibility = .default
  ) where Value == [InputPath] {
    self.init(
      wrappedValue: wrappedValue, name: Self.name(name), help: Self.help(help, "file", visibility),
      completion: .file(),
      transform: { InputPath($0, name) })
  }

  /// An option that writes a file.
  /// - Parameter replaceable: An option whose file may be replaced.
  init(
    writes name: String, mayReplace replaceable: String? = nil, help: String,
    visibility: ArgumentVisibility = .default
  ) where Value == OutputPath? {
    self.init(
      name: Self.name(name), help: Self.help(help, "outfile", visibility), completion: .file(),
      transform: { OutputPath($0, name, mayReplace: replaceable) })
  }

  /// An option that writes files to a folder.
  init(writesFolder name: String, help: String) where Value == OutputPath? {
    self.init(
      name: Self.name(name), help: Self.help(help, "outdir"), completion: .directory,
      transform: { OutputPath($0, name) })
  }

  private static func help(
    _ text: String, _ value: String, _ visibility: ArgumentVisibility = .default
  ) -> ArgumentHelp {
    ArgumentHelp("\(text)", valueName: value, visibility: visibility)
  }

  /// `-w` or `--frames`.
  private static func name(_ name: String) -> NameSpecification {
    name.hasPrefix("--") ? .customLong(String(name.dropFirst(2))) : .customShort(name.last ?? " ")
  }
}

extension InputPath: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}
