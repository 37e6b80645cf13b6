// Runs of jobs that are held at each of their commits, before and after, so that others can come meanwhile.
import type { Static, TSchema } from 'typebox';
import type { Job } from '../../src/platform/jobs/jobs.ts';
import type { Ports } from '../../src/platform/ports.ts';
import type { TestApp } from './app.ts';
import { runJob } from './jobs.ts';
import { until } from './until.ts';

export type Moment = { at: number; name: string };
type Meanwhile = (moment: Moment) => Promise<unknown>;
type Place = { app: TestApp; accountSid: string; ports?: Partial<Ports> };

/** One run, held at every moment until `meanwhile` lets it go. Answers with how many there were. */
export async function runHeld<P extends TSchema>(
  { app, accountSid, ports = {} }: Place,
  job: Job<P>,
  payload: Static<P>,
  meanwhile: Meanwhile,
): Promise<number> {
  let at = 0;
  const moment = (name: string) => {
    at += 1;
    return meanwhile({ at, name });
  };
  const write: TestApp['database']['write'] = async (tenant, context, work) => {
    const result = await app.database.write(tenant, context, async (t) => {
      const done = await work(t);
      await moment('before commit');
      return done;
    });
    await moment('after commit');
    return result;
  };
  const database = new Proxy(app.database, {
    get: (target, name) => (name === 'write' ? write : Reflect.get(target, name)),
  });
  await runJob({ app: { ...app, database }, accountSid, ports }, job, payload);
  return at;
}

/** Begins it, and comes back when it is done or waits for what the run holds. What is to be awaited later stands in `under`. */
export async function besides(
  app: TestApp,
  under: Promise<unknown>[],
  begin: () => Promise<unknown>,
): Promise<void> {
  let isOver = false;
  const work = begin().finally(() => {
    isOver = true;
  });
  under.push(work);
  work.catch(() => {}); // whoever awaits it later hears of it
  const waits =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await until('it is done or waits', async () => isOver || (await app.sql(waits)).length > 0);
}

type Held<T> = { id: string; name: string; stood: T };

/**
 * A hold comes at one moment of the run. Answers with what stood at its answer, looked at before the run goes further; null where the run
 * has no such moment.
 */
export async function holdAt<T>(
  app: TestApp,
  nth: number,
  run: (meanwhile: Meanwhile) => Promise<unknown>,
  { place, look }: { place: () => Promise<string>; look: () => Promise<T> },
): Promise<Held<T> | null> {
  const under: Promise<unknown>[] = [];
  const held: Held<T>[] = [];
  await run(async ({ at, name }) => {
    if (at > nth) await Promise.all(under);
    if (at !== nth) return;
    await besides(app, under, async () => {
      const id = await place();
      held.push({ id, name, stood: await look() });
    });
  });
  await Promise.all(under);
  return held[0] ?? null;
}
