// Runs the loops of a process, and whatever wakes them: tellings, instants that come, and the net below both.
import type { Clock } from '../clock.ts';
import { throwTogether } from '../errors/throw-together.ts';
import { type Loop, type LoopContext, startLoop } from './claim-loop.ts';
import { type Watched, watchDue } from './watch-due.ts';

type Options = {
  loops: Loop[];
  context: Omit<LoopContext, 'signal' | 'now'>;
  clock: Clock;
  /** What else sleeps until something is due. */
  others: Watched[];
};

/** All begin and end together; ends what it gives back. */
export async function runLoops({ loops, context, clock, others }: Options): Promise<() => Promise<void>> {
  const { database, processId, log } = context;
  const now = () => clock.now();
  const running = loops.map((loop) => ({ loop, ...startLoop(loop, { ...context, now }) }));
  const watched = running.map(({ loop, wake }) => ({ nextDue: loop.nextDue(processId), now, wake }));
  const watch = watchDue({ database, watched: [...watched, ...others], log });
  const stopMoving = clock.onMoved?.(watch.look);
  const listening = running.flatMap(({ loop, wake }) =>
    loop.toldOn.map((channel) => database.listen(channel, wake, wake)),
  );
  for (const one of listening) one.catch((error) => log.warn({ err: error }, 'cannot hear of new work'));
  await Promise.allSettled(listening);
  return async () => {
    stopMoving?.();
    await watch.stop();
    const stopped = await Promise.allSettled([
      ...running.map((loop) => loop.stop()),
      ...listening.map(async (one) => (await one.catch(() => null))?.()),
    ]);
    const failures = stopped.filter((end) => end.status === 'rejected').map(({ reason }) => reason);
    throwTogether('not every loop could be ended', failures);
  };
}
