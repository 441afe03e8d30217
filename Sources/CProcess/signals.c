#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

volatile sig_atomic_t signals_was_interrupted = 0;
volatile sig_atomic_t signals_overdue = 0;
volatile pid_t signals_receiver = 0;

// Tenths of a second after the first signal. The bound is a second; the rest is for the system.
enum { time_for_writes = 4, time_to_end = 8 };

// Files to remove. A handler reads the array while it changes, so each change is one store.
static char *volatile files[1024];
enum { most_files = sizeof files / sizeof *files };

void signals_remove_files(void) {
  for (int index = 0; index < most_files; index++) {
    const char *path = files[index];
    // A directory is what a command under test may have put in its place.
    if (path != NULL && unlink(path) != 0) rmdir(path);
  }
}

static void end(int number) {
  signals_remove_files();
  signal(number, SIG_DFL);
  // Delivered once this handler returns.
  raise(number);
}

static void interrupt(int number) {
  if (signals_was_interrupted) {
    end(number);
    return;
  }
  signals_was_interrupted = 1;
  if (signals_receiver > 0) kill(signals_receiver, SIGINT);
  const struct timeval tenth = {.tv_sec = 0, .tv_usec = 100000};
  const struct itimerval ticks = {.it_interval = tenth, .it_value = tenth};
  setitimer(ITIMER_REAL, &ticks, NULL);
}

// Each tick also ends a wait that began just after the signal.
static void tick(int number) {
  if (!signals_was_interrupted) {
    end(number);
    return;
  }
  static volatile sig_atomic_t count = 0;
  count++;
  if (count >= time_for_writes) signals_overdue = 1;
  if (count < time_to_end) return;
  signals_remove_files();
  static const char text[] = "apnscope: interrupted; nothing more was written\n";
  struct pollfd errors = {.fd = 2, .events = POLLOUT};
  // A full pipe would block even this.
  if (poll(&errors, 1, 0) == 1) {
    const ssize_t ignored = write(2, text, sizeof text - 1);
    (void)ignored;
  }
  _exit(3);
}

// What this program does about each; null ignores it.
static const struct {
  int number;
  void (*handler)(int);
  bool may_stay_ignored;
} actions[] = {
    // A shell starts a background job with SIGINT ignored, but the user may send one all the same.
    {SIGINT, interrupt, false},
    {SIGTERM, interrupt, false},
    // Under nohup it stays ignored.
    {SIGHUP, interrupt, true},
    {SIGALRM, tick, false},
    {SIGQUIT, end, true},
    {SIGUSR1, end, true},
    {SIGUSR2, end, true},
    {SIGXCPU, end, true},
    {SIGVTALRM, end, true},
    {SIGPROF, end, true},
    // Both are reported by the write that fails.
    {SIGPIPE, NULL, true},
    {SIGXFSZ, NULL, true},
};
enum { action_count = sizeof actions / sizeof *actions };

void signals_prepare(void) {
  sigset_t caught;
  sigemptyset(&caught);
  for (int index = 0; index < action_count; index++) {
    // No SA_RESTART: a signal ends a wait for input.
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = actions[index].handler == NULL ? SIG_IGN : actions[index].handler;
    const int number = actions[index].number;
    if (sigaction(number, &action, &before) == 0 && actions[index].may_stay_ignored && before.sa_handler == SIG_IGN)
      signal(number, SIG_IGN);
    sigaddset(&caught, number);
  }
  // The parent may have blocked them.
  sigprocmask(SIG_UNBLOCK, &caught, NULL);
}

void signals_pass_to(pid_t process) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  signals_receiver = process;
  // It was not told of an earlier one.
  if (process > 0 && signals_was_interrupted) kill(process, SIGINT);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  for (int index = 0; index < action_count; index++) {
    struct sigaction action;
    if (sigaction(actions[index].number, NULL, &action) != 0 || action.sa_handler != actions[index].handler) continue;
    action.sa_flags = process > 0 ? SA_RESTART : 0;
    sigaction(actions[index].number, &action, NULL);
  }
}

void signals_restore(void) {
  for (int index = 0; index < action_count; index++) signal(actions[index].number, SIG_DFL);
}

int signals_create_file(char *path, int suffix, mode_t mode, int *slot) {
  // A signal between the two calls would leave the file.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  *slot = -1;
  const int number = mkstemps(path, suffix);
  if (number >= 0) {
    fchmod(number, mode);
    for (int index = 0; index < most_files && *slot < 0; index++) {
      if (files[index] != NULL) continue;
      files[index] = strdup(path);
      *slot = index;
    }
  }
  const int reason = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = reason;
  return number;
}

void signals_forget_file(int slot) {
  if (slot < 0) return;
  char *path = files[slot];
  files[slot] = NULL;
  free(path);
}
