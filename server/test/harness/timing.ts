// Whether two things take the same time, on a machine that does other things too: it is the processor's time that is compared,
// and what a process waits for a processor that others have does not count.
import assert from 'node:assert/strict';

const rounds = 3;
const pairs = 7;

const at = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;
const median = (values: number[]) => at(values, 0.5);
/** How far the middle half of equal runs lies apart: what this machine adds by itself just now. */
const spread = (values: number[]) => at(values, 0.75) - at(values, 0.25);

async function timeMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Compares medians of interleaved runs. They may differ by the bound, or by what equal runs differ by when the machine
 * is too busy to tell; a real difference shows in every round, so one round without it is enough.
 */
export async function assertSameTime(
  withinMs: number,
  one: () => Promise<void>,
  other: () => Promise<void>,
): Promise<void> {
  const apart: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const times: [number[], number[]] = [[], []];
    for (let pair = 0; pair < pairs; pair += 1) {
      times[0].push(await timeMs(one));
      times[1].push(await timeMs(other));
    }
    const noiseMs = Math.max(spread(times[0]), spread(times[1]));
    apart.push(Math.abs(median(times[0]) - median(times[1])));
    if (apart.at(-1)! < Math.max(withinMs, noiseMs)) return;
  }
  assert.fail(`the medians were ${apart.map((ms) => ms.toFixed(1)).join(', ')} ms apart`);
}
