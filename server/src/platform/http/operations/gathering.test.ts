import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { gatherer } from './gathering.ts';

function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

suite('a gatherer', () => {
  test('lets what arrives during a batch form the next one', async () => {
    const batches: number[][] = [];
    const first = gate();
    const gather = gatherer<number, number>({ most: 10 }, async (_lane, members) => {
      batches.push(members);
      if (batches.length === 1) await first.opened;
      return members.map((member) => ({ result: member * 2 }));
    });
    const one = gather('a', 1);
    await new Promise(setImmediate);
    const rest = [gather('a', 2), gather('a', 3)];
    first.open();
    assert.deepEqual(await Promise.all([one, ...rest]), [2, 4, 6]);
    assert.deepEqual(batches, [[1], [2, 3]]);
  });

  test('takes no more than its measure at once, in the order of arrival', async () => {
    const batches: number[][] = [];
    const gather = gatherer<number, null>({ most: 2 }, async (_lane, members) => {
      batches.push(members);
      return members.map(() => ({ result: null }));
    });
    await Promise.all([1, 2, 3, 4, 5].map((member) => gather('a', member)));
    assert.deepEqual(batches, [[1, 2], [3, 4], [5]]);
  });

  test('lets lanes take turns when fewer batches may be under way, and gather meanwhile', async () => {
    const batches: string[] = [];
    const gates = [gate(), gate(), gate()];
    const gather = gatherer<number, null>({ most: 10, atOnce: 1 }, async (lane, members) => {
      batches.push(`${lane} ${members}`);
      await gates[batches.length - 1]!.opened;
      return members.map(() => ({ result: null }));
    });
    const ends = [gather('a', 1)];
    await new Promise(setImmediate);
    ends.push(gather('b', 1));
    await new Promise(setImmediate);
    ends.push(gather('a', 2), gather('b', 2));
    for (const { open } of gates) {
      open();
      await new Promise(setImmediate);
    }
    await Promise.all(ends);
    assert.deepEqual(batches, ['a 1', 'b 1,2', 'a 2']);
  });

  test('does not let one lane wait for another', async () => {
    const stuck = gate();
    const gather = gatherer<number, string>({ most: 10 }, async (lane, members) => {
      if (lane === 'slow') await stuck.opened;
      return members.map(() => ({ result: lane }));
    });
    const slow = gather('slow', 1);
    assert.equal(await gather('fast', 1), 'fast');
    stuck.open();
    assert.equal(await slow, 'slow');
  });

  test('tells each member its own end, and all of them when the batch itself fails', async () => {
    const gather = gatherer<number, number>({ most: 10 }, async (lane, members) => {
      if (lane === 'broken') throw new Error('no batch');
      return members.map((member) => (member === 2 ? { error: new Error('not two') } : { result: member }));
    });
    const ends = await Promise.allSettled([1, 2, 3].map((member) => gather('a', member)));
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    await assert.rejects(gather('broken', 1), /no batch/);
    assert.equal(await gather('a', 5), 5, 'a lane goes on after a failure');
  });
});
