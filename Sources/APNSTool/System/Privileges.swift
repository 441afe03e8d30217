#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Drops root privileges: only capturing needs them, and parsing untrusted packets should not have them.
enum Privileges {
  private struct Owner {
    let user: uid_t
    let group: gid_t
  }

  /// Drops root privileges permanently: to the user who ran `sudo`, otherwise to the user nobody. Does nothing without
  /// root privileges.
  static func drop() throws(Failure) {
    guard geteuid() == 0 else { return }
    let owner = invoker ?? Owner(user: nobodyID, group: nobodyID)
    var group = owner.group
    // The single element is read before the call returns.
    let isDropped =
      unsafe setgroups(1, &group) == 0 && setgid(owner.group) == 0 && setuid(owner.user) == 0
    guard isDropped, setuid(0) != 0 else {
      throw .unreadable(
        "cannot drop root privileges: \(systemError()); run apnscope as a user with the right to capture")
    }
  }

  /// Whether a user runs apnscope as root with `sudo`.
  static var areBorrowed: Bool { geteuid() == 0 && invoker != nil }

  private static var invoker: Owner? {
    guard let user = environment("SUDO_UID").flatMap({ uid_t($0) }), user != 0,
      let group = environment("SUDO_GID").flatMap({ gid_t($0) })
    else { return nil }
    return Owner(user: user, group: group)
  }

  #if canImport(Darwin)
    private static let nobodyID = UInt32(bitPattern: -2)
  #else
    private static let nobodyID: UInt32 = 65_534
  #endif
}
