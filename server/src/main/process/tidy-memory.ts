// Loading seventeen hundred modules leaves a heap behind that is three times as large as what is kept in it, and V8 gives nothing back of
// itself while there is memory enough. So it is asked to once, when the service rests for the first time after its start:
// under load the smaller heap would have to grow again at once, at the cost of many collections.
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const lookEveryMs = 10_000;
/** The part of the time in which a service without traffic does something is far below this. */
const atRest = 0.02;

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'regular' }) => void;

export function tidyMemoryAtRest(before: EventLoopUtilization = performance.eventLoopUtilization()): void {
  setTimeout(() => {
    const now = performance.eventLoopUtilization();
    if (performance.eventLoopUtilization(now, before).utilization > atRest) return tidyMemoryAtRest(now);
    setFlagsFromString('--expose-gc');
    // A last resort would give back a little more, and throw away what was compiled for speed.
    (runInNewContext('gc') as Collect)({ type: 'major', execution: 'sync', flavor: 'regular' });
  }, lookEveryMs).unref();
}
