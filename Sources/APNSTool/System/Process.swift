import CSignals

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// What the command asks the system for, apart from files. Foundation would slow the start.

/// Ends the process, after its temporary files are removed.
package func exitProcess(_ status: ExitStatus) -> Never {
  signals_remove_files()
  exit(status.rawValue)
}

/// Why the last call failed, in the system's words.
package func systemError() -> String {
  unsafe String(cString: strerror(errno))  // a static string of the C library
}

/// Seconds since 1970, UTC.
package func now() -> Int { time(nil) }

/// Seconds of a clock that is never set back; only differences mean something.
package func clockSeconds() -> Double {
  var time = timespec()
  guard unsafe clock_gettime(CLOCK_MONOTONIC, &time) == 0 else { return 0 }
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The value of an environment variable; nil if it is not set.
package func environment(_ name: String) -> String? {
  guard let value = unsafe getenv(name) else { return nil }
  return unsafe String(cString: value)  // terminated, and nothing sets the environment here
}

/// Number of processors that are online, at least 1.
package func processorCount() -> Int { max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1) }

/// Ctrl-C ends reading; what was seen so far is shown and the run ends as usual. A second one ends the process at once. The
/// signals by which a supervisor or a closed terminal ends a program do the same.
package enum Interrupt {
  package static var isRaised: Bool { signals_interrupted() }

  package static func catchSignals() { signals_prepare() }
}

/// Opens standard streams that are closed, so that no other file gets their numbers and what is written to them. Using one
/// fails as before, since each is opened the wrong way round.
package func holdStandardStreams() {
  for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
    // The lowest free number is this one.
    _ = unsafe open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
  }
}

package func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

/// Columns of the terminal on standard output; nil if it is none.
func terminalWidth() -> Int? {
  var size = winsize()
  guard isTerminal(1), unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
  return Int(size.ws_col)
}
