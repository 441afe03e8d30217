#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "child.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

void child_prepare(void) {
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  // Whoever started this process may have had it ignored; then nobody could wait for a child.
  signal(SIGCHLD, SIG_DFL);
#ifdef __linux__
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
}

static bool put(int from, int to) {
  if (from < 0) return false;
  if (from == to) return true;
  return dup2(from, to) == to && close(from) == 0;
}

pid_t child_start(char *const words[], const char *input, int output, int errors, int kept) {
  // A child of vfork runs in our memory until it is another program, so no handler of ours may run in it. Forking
  // copies page tables instead, which costs more than a small decoder's whole run.
  sigset_t all, none, before;
  sigfillset(&all);
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  volatile int failure = 0;
  const pid_t parent = getpid();
#ifdef __linux__
  const pid_t process = vfork();
#else
  const pid_t process = fork();
#endif
  if (process == 0) {
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent) _exit(127);
#endif
    signals_restore();
#if defined(__linux__) && defined(SYS_close_range)
    // Such as the sockets of a server, which would stay open as long as the child.
    syscall(SYS_close_range, 3, ~0U, 1U << 2);  // CLOSE_RANGE_CLOEXEC
#endif
    if (kept >= 0) fcntl(kept, F_SETFD, 0);
    if (put(open(input, O_RDONLY), 0) && put(output < 0 ? open("/dev/null", O_WRONLY) : output, 1) && put(errors, 2)) {
      // A signal that was blocked by whoever started us would never end it.
      sigprocmask(SIG_SETMASK, &none, NULL);
      execvp(words[0], words);
    }
    failure = errno;
    _exit(127);
  }
  const int reason = process < 0 ? errno : failure;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (reason == 0) return process;
  if (process > 0) waitpid(process, NULL, 0);
  errno = reason;
  return -1;
}

int child_watch(pid_t process) {
#if defined(__linux__) && defined(SYS_pidfd_open)
  return (int)syscall(SYS_pidfd_open, process, 0);
#else
  (void)process;
  return -1;
#endif
}

bool child_has_ended(pid_t process) {
  siginfo_t info;
  info.si_pid = 0;
  return waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == process;
}
