// Noticing that whoever started this process is gone. npm hands a signal to the shell of its script and no further, so
// that a fixture started by `npm run` would go on after npm was stopped.

const checkEveryMs = 250;

/** Aborts when the parent process has ended. Does not keep the process alive. */
export function whenOrphaned(): AbortSignal {
  const parent = process.ppid;
  const orphaned = new AbortController();
  const timer = setInterval(() => {
    if (process.ppid !== parent) {
      clearInterval(timer);
      orphaned.abort();
    }
  }, checkEveryMs);
  timer.unref();
  return orphaned.signal;
}
