// Loading seventeen hundred modules leaves a heap behind that is three times as large as what is kept in it, and V8 gives nothing back of
// itself while there is memory enough. So it is asked to once, some time after the start.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Whoever starts the service to use it at once does not meet the pause, which is of a few hundredths of a second.
const afterMs = 10_000;

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'regular' }) => void;

export function tidyMemoryLater(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    // A last resort would give back a little more, and throw away what was compiled for speed.
    (runInNewContext('gc') as Collect)({ type: 'major', execution: 'sync', flavor: 'regular' });
  }, afterMs).unref();
}
