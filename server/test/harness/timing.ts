// Whether two things take the same time, on a machine that does other things too.
import assert from 'node:assert/strict';

const rounds = 4;
const pairs = 11;

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

async function timeMs(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/**
 * Compares medians of interleaved runs. A real difference shows in every round; a busy neighbour seldom in all of them,
 * so one round within the bound is enough.
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
    apart.push(Math.abs(median(times[0]) - median(times[1])));
    if (apart.at(-1)! < withinMs) return;
  }
  assert.fail(`the medians were ${apart.map((ms) => ms.toFixed(1)).join(', ')} ms apart`);
}
