import ArgumentParser

// Options are declared as help shows them: `@Option("-T, --format <format>", "Output format.")`.

extension Option {
  init(
    wrappedValue: Value, _ shown: String, _ help: String, rare: Bool = false, completion: CompletionKind? = nil
  ) where Value: ExpressibleByArgument {
    self.init(wrappedValue: wrappedValue, name: .shown(shown), help: .of(shown, help, rare), completion: completion)
  }

  init<T: ExpressibleByArgument>(_ shown: String, _ help: String, rare: Bool = false) where Value == T? {
    self.init(name: .shown(shown), help: .of(shown, help, rare))
  }

  init<T: ExpressibleByArgument>(
    wrappedValue: [T], _ shown: String, _ help: String, rare: Bool = false, completion: CompletionKind? = nil
  ) where Value == [T] {
    self.init(wrappedValue: wrappedValue, name: .shown(shown), help: .of(shown, help, rare), completion: completion)
  }
}

// Options that name files. The kinds differ, so that `RunFiles` knows every file that is read and written.

extension Option {
  init(reads shown: String, _ help: String) where Value == InputPath? {
    let name = shown.firstWord
    self.init(
      name: .shown(shown), help: .of(shown, help), completion: .file(), transform: { InputPath($0, name) })
  }

  init(wrappedValue: [InputPath], reads shown: String, _ help: String, rare: Bool = false) where Value == [InputPath] {
    let name = shown.firstWord
    self.init(
      wrappedValue: wrappedValue, name: .shown(shown), help: .of(shown, help, rare), completion: .file(),
      transform: { InputPath($0, name) })
  }

  /// An option that writes a file, or files to an `<outdir>`.
  /// - Parameter replaceable: An option whose file may be replaced.
  init(writes shown: String, _ help: String, rare: Bool = false, mayReplace replaceable: String? = nil)
  where Value == OutputPath? {
    let name = shown.firstWord
    self.init(
      name: .shown(shown), help: .of(shown, help, rare),
      completion: shown.hasSuffix("<outdir>") ? .directory : .file(),
      transform: { OutputPath($0, name, mayReplace: replaceable) })
  }
}

extension InputPath: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}

extension NameSpecification {
  fileprivate static func shown(_ shown: String) -> NameSpecification {
    let words = shown.split { $0 == " " || $0 == "," }.filter { $0.hasPrefix("-") }
    return NameSpecification(
      words.map { $0.hasPrefix("--") ? .customLong(String($0.dropFirst(2))) : .customShort($0.last ?? " ") })
  }
}

extension ArgumentHelp {
  /// The help of an option. Help shows a rare one only if everything is asked for.
  fileprivate static func of(_ shown: String, _ help: String, _ rare: Bool = false) -> ArgumentHelp {
    let value = shown.drop { $0 != "<" }.dropFirst().dropLast()
    return ArgumentHelp("\(help)", valueName: String(value), visibility: rare ? .rare : .default)
  }
}

/// `one, two or three`.
func listed(_ words: [String]) -> String { words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "") }

extension String {
  fileprivate var firstWord: String { String(prefix { $0 != " " }) }
}
