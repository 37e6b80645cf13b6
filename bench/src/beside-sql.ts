// A question of the API beside the same question asked in SQL by hand, in turns, one at a time.
import { emptyRow, type Row } from './part.ts';

export type BesideSql = {
  name: string;
  /** How many turns; the slow questions get few. */
  turns: number;
  ask(turn: number): Promise<void>;
  byHand(turn: number): Promise<unknown>;
  aim?: number;
};

export async function measureBeside({ name, turns, ask, byHand, aim }: BesideSql): Promise<Row> {
  const asked: number[] = [];
  const done: number[] = [];
  const warmUp = Math.min(turns, 3);
  for (let turn = 0; turn < turns + warmUp; turn += 1) {
    const start = performance.now();
    await ask(turn);
    const between = performance.now();
    await byHand(turn);
    if (turn < warmUp) continue;
    asked.push(between - start);
    done.push(performance.now() - between);
  }
  const at = (values: number[], part: number) =>
    values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)]!;
  return {
    ...emptyRow,
    name,
    perSecond: 1000 / at(asked, 0.5),
    ratio: at(done, 0.5) / at(asked, 0.5),
    p50Ms: at(asked, 0.5),
    p99Ms: at(asked, 0.99),
    ...(aim !== undefined && { aim }),
  };
}
