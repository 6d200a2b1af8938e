/**
 * When a commit fails, lmdb (3.5.6) rejects promises of its own besides those it has given away: that of the turn's
 * batch, and sometimes the one with the reason. Nobody can catch them, and Node ends the process for it - on a full
 * disk, where the commit itself was refused in good order. So they are told from others, which stay what they were.
 */
let isWatching = false;

export function ignoreStrayRejections(): void {
  if (isWatching) return;
  isWatching = true;
  process.on('unhandledRejection', (reason) => {
    if (isStray(reason)) return;
    // Without a listener Node throws what nobody has caught; somebody else's listener decides for itself.
    if (process.listenerCount('unhandledRejection') === 1) throw reason;
  });
}

function isStray(reason: unknown): boolean {
  if (!(reason instanceof Error)) return false;
  if ('commitError' in reason) return true;
  // The codes of lmdb are numbers; those of Node are words, and a DOMException is no plain error.
  return reason.constructor === Error && 'code' in reason && typeof reason.code === 'number';
}
