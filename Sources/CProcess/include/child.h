#pragma once
#include <stdbool.h>
#include <sys/types.h>

// Other people's commands, as Swift cannot start them: between fork and exec a child has to ask for its own death with
// that of its parent, and prctl takes arguments that Swift cannot import.

/// What holds for all commands that are started from now on: they write no core files, end with a status that can be
/// read, and processes that they leave behind become children of this one (on Linux).
void child_prepare(void);

/// Starts `words`, which a null ends, in a process group of its own: `input` becomes its standard input, `output` its standard
/// output (-1 is /dev/null), `errors` its standard error. It gets no other descriptor but `kept` (-1 is none). It dies with the
/// thread that calls this (on Linux).
/// Returns its number, or -1 with errno.
pid_t child_start(char *const words[], const char *input, int output, int errors, int kept);

/// A descriptor that can be read from once the process ends; -1 where the system has none.
int child_watch(pid_t process);

/// Whether it has ended; it stays a zombie, so that nothing else gets its number.
bool child_has_ended(pid_t process);
