// Stands in for `node:test` where several test files share a process. What a file registers while it is loaded is kept
// until the whole file is, and then belongs to a suite of its own: its hooks begin and end with that file.
import { AsyncResource } from 'node:async_hooks';
import * as real from 'node:test';

// What is registered belongs to the test in which the runner believes to be; here that is none, whatever the last file still did.
const outside = new AsyncResource('test files');

let registering: (() => void)[] | null = null;

// biome-ignore lint/suspicious/noExplicitAny: whatever the real one takes is handed on as it is
type Register = (...given: any[]) => unknown;

const keptUntilLoaded = <R extends Register>(register: R): R =>
  ((...given) => {
    if (!registering) return register(...given);
    registering.push(() => void register(...given));
    return undefined;
  }) as R;

const named = <R extends Register & { skip: Register; only: Register; todo: Register }>(register: R): R =>
  Object.assign(keptUntilLoaded(register), {
    skip: keptUntilLoaded(register.skip),
    only: keptUntilLoaded(register.only),
    todo: keptUntilLoaded(register.todo),
  });

export const test = named(real.test);
export const it = named(real.it);
export const suite = named(real.suite);
export const describe = named(real.describe);
export const before = keptUntilLoaded(real.before);
export const after = keptUntilLoaded(real.after);
export const beforeEach = keptUntilLoaded(real.beforeEach);
export const afterEach = keptUntilLoaded(real.afterEach);
export const { mock } = real;
export default test;

/** Loads a file and runs its tests as one suite; over when its last hook is. */
export async function runFile(name: string, load: () => Promise<unknown>): Promise<void> {
  const registered: (() => void)[] = [];
  registering = registered;
  const failure = await load().then(
    () => null,
    (error: unknown) => ({ error }),
  );
  registering = null;
  const registerAll = () => {
    if (failure) real.test('the file can be loaded', () => Promise.reject(failure.error));
    else for (const register of registered) register();
  };
  await new Promise<void>((resolve) => {
    outside.runInAsyncScope(() =>
      real.suite(name, () => {
        registerAll();
        // Hooks run in the order in which they were registered, so this is the last.
        real.after(() => resolve());
      }),
    );
  });
}
