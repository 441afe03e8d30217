#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "privileges.h"

#include <errno.h>
#include <grp.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

bool privileges_drop(uid_t user, gid_t group) {
#ifdef __linux__
  // Ends at the first number that is no capability. Only root may do this; for others, the next call has the same effect.
  for (unsigned long capability = 0; prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0;) capability++;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
#endif
  if (geteuid() == 0) {
    if (setgroups(1, &group) != 0 || setgid(group) != 0 || setuid(user) != 0) return false;
    if (setuid(0) == 0) {
      errno = EPERM;
      return false;
    }
  }
#ifdef __linux__
  // A user other than root has some if the program file does. Ambient ones go with the inheritable ones.
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
  if (syscall(SYS_capset, &header, none) != 0) return false;
#endif
  return true;
}
