#pragma once
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

// Signals that end the run. In C, since a handler may touch nothing of Swift.

/// Call first. SIGINT, SIGTERM and SIGHUP set the flag below; a second one ends the process, and so does the time if the
/// run takes longer than most of a second to end after the first. Other signals that end a process still do. Files of
/// `signals_create_file` are removed first, in every case but SIGKILL and crashes.
void signals_prepare(void);

/// From now on, the run may take as long as it needs to end after the first signal.
void signals_take_time(void);

/// Everything that `signals_prepare` changed is as it is for a new process, so that no handler runs in a child of vfork.
void signals_restore(void);

extern volatile sig_atomic_t signals_was_interrupted;

static inline bool signals_interrupted(void) { return signals_was_interrupted != 0; }

/// Creates a file that a signal removes: `path` ends in XXXXXX and `suffix` more characters, and is changed to its name.
/// Returns a descriptor, or -1 with errno.
int signals_create_file(char *path, int suffix, mode_t mode, int *slot);

/// Removes those that are left, at the end of the run.
void signals_remove_files(void);

/// The file is kept, or is removed by the caller.
void signals_forget_file(int slot);
