import CProcess

/// Drops privileges: only opening a live capture needs them, and parsing untrusted packets should not have them.
enum Privileges {
  /// Drops all privileges permanently: root becomes the user who ran `sudo`, or else the user nobody, and no capability
  /// is left. Call it before there are other threads.
  static func drop() throws(Failure) {
    let owner = invoker ?? (nobodyID, nobodyID)
    guard privileges_drop(owner.user, owner.group) else {
      throw .unreadable("cannot drop privileges: \(systemError()); run apnscope as a user with the right to capture")
    }
  }

  /// Whether root runs apnscope without `sudo`.
  static var leadToNobody: Bool { geteuid() == 0 && invoker == nil }

  private static var invoker: (user: uid_t, group: gid_t)? {
    guard let user = environment("SUDO_UID").flatMap({ uid_t($0) }), user != 0,
      let group = environment("SUDO_GID").flatMap({ gid_t($0) })
    else { return nil }
    return (user, group)
  }

  #if canImport(Darwin)
    private static let nobodyID = UInt32(bitPattern: -2)
  #else
    private static let nobodyID: UInt32 = 65_534
  #endif
}
