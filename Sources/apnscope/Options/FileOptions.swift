import ArgumentParser

// Options that name files. The kinds differ, so that `RunFiles` knows every file that is read and written.

extension Option {
  /// An option that reads a file.
  init(reads name: String, help: String, visibility: ArgumentVisibility = .default) where Value == InputPath? {
    let help = ArgumentHelp("\(help)", valueName: "file", visibility: visibility)
    self.init(name: Self.name(name), help: help, completion: .file(), transform: { InputPath($0, name) })
  }

  /// An option that reads files.
  init(
    wrappedValue: [InputPath], reads name: String, help: String, visibility: ArgumentVisibility = .default
  ) where Value == [InputPath] {
    let help = ArgumentHelp("\(help)", valueName: "file", visibility: visibility)
    self.init(
      wrappedValue: wrappedValue, name: Self.name(name), help: help, completion: .file(),
      transform: { InputPath($0, name) })
  }

  /// An option that writes a file, or files to a folder.
  /// - Parameter replaceable: An option whose file may be replaced.
  init(
    writes name: String, toFolder: Bool = false, mayReplace replaceable: String? = nil, help: String,
    visibility: ArgumentVisibility = .default
  ) where Value == OutputPath? {
    self.init(
      name: Self.name(name),
      help: ArgumentHelp("\(help)", valueName: toFolder ? "outdir" : "outfile", visibility: visibility),
      completion: toFolder ? .directory : .file(), transform: { OutputPath($0, name, mayReplace: replaceable) })
  }

  /// `-w` or `--frames`.
  private static func name(_ name: String) -> NameSpecification {
    name.hasPrefix("--") ? .customLong(String(name.dropFirst(2))) : .customShort(name.last ?? " ")
  }
}

extension InputPath: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}
