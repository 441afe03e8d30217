#pragma once
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

// Signals that end the run. In C, since a handler may touch nothing of Swift.

/// Call first. After a SIGINT, SIGTERM or SIGHUP the flags below say how to end, and the process ends within a second, even
/// if it does not look at them; a second signal ends it at once. Other signals that end a process still do. Files of
/// `signals_create_file` are removed first, in every case but SIGKILL and crashes.
void signals_prepare(void);

/// Everything that `signals_prepare` changed is as it is for a new process, so that no handler runs in a child of vfork.
void signals_restore(void);

extern volatile sig_atomic_t signals_was_interrupted, signals_overdue;

/// From now on the first signal goes to this process as well, which writes the input and ends it then, so that reading goes on
/// to the end; 0 if there is none any more.
void signals_pass_to(pid_t process);
extern volatile pid_t signals_receiver;

/// Read nothing more, and end with what was read. Never true if the input ends by itself.
static inline bool signals_interrupted(void) { return signals_was_interrupted != 0 && signals_receiver == 0; }

/// Wait for no reader any more, so that there is time for the rest.
static inline bool signals_are_overdue(void) { return signals_overdue != 0; }

/// Creates a file that a signal removes: `path` ends in XXXXXX and `suffix` more characters, and is changed to its name.
/// Returns a descriptor, or -1 with errno.
int signals_create_file(char *path, int suffix, mode_t mode, int *slot);

/// Removes those that are left, at the end of the run.
void signals_remove_files(void);

/// The file is kept, or is removed by the caller.
void signals_forget_file(int slot);
