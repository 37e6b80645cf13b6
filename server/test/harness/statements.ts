import type { TenantTx } from '../../src/platform/db/database.ts';

/** The same transaction, counting the statements that go through it. What is written with the commit is not counted. */
export function countingStatements(t: TenantTx): { t: TenantTx; count: () => number } {
  let number = 0;
  const counting = <A extends unknown[], R>(query: (...args: A) => R) =>
    ((...args: A) => {
      number += 1;
      return query(...args);
    }) as never;
  const { many, one, maybe, run } = t;
  return {
    t: { ...t, many: counting(many), one: counting(one), maybe: counting(maybe), run: counting(run) },
    count: () => number,
  };
}
