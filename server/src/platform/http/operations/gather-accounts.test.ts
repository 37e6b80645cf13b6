import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { accountGatherer, fairShares, type Measure, type Outcome } from './gather-accounts.ts';

type Member = { account: string; number: number };
type Batch = { members: string[]; own: boolean; end(): void };

/** Batches that stay under way until they are ended. */
function stage(
  measure: Measure,
  outcomeOf: (member: Member, own: boolean) => Outcome<string> = ({ account, number }) => ({
    result: `${account}${number}`,
  }),
) {
  const batches: Batch[] = [];
  const gather = accountGatherer<Member, string>(measure, async (members, { own }) => {
    await new Promise<void>((end) =>
      batches.push({ members: members.map(({ account, number }) => `${account}${number}`), own, end }),
    );
    return members.map((member) => outcomeOf(member, own));
  });
  let number = 0;
  const send = (account: string, needsOwnBatch = false) => {
    number += 1;
    return gather({ room: 'sandbox', account, needsOwnBatch }, { account, number });
  };
  return { batches, gather, send, seen: () => batches.map(({ members }) => members) };
}

const aTurn = () => new Promise(setImmediate);
const never = 2 ** 31 - 1;

suite('a gatherer of accounts', () => {
  test('puts what accounts ask for in the same moment into one batch, and what comes meanwhile into the next', async () => {
    const { batches, send, seen } = stage({ most: 10, lateMs: never });
    const first = [send('a'), send('b')];
    await aTurn();
    const second = [send('c'), send('a')];
    await aTurn();
    assert.deepEqual(seen(), [['a1', 'b2']]);
    batches[0]!.end();
    assert.deepEqual(await Promise.all(first), ['a1', 'b2']);
    await aTurn();
    assert.deepEqual(seen()[1]!.toSorted(), ['a4', 'c3']);
    batches[1]!.end();
    await Promise.all(second);
  });

  test('waits after a batch of many while those who were answered come back, and not for ever', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { batches, send, seen } = stage({ most: 10, many: 2, lateMs: never });
    const pass = async () => {
      context.mock.timers.tick(2);
      await aTurn();
    };
    const ends = [send('a'), send('b')];
    await aTurn();
    batches[0]!.end();
    await Promise.all(ends);
    for (const account of ['a', 'b']) {
      ends.push(send(account));
      await pass();
    }
    assert.equal(batches.length, 1, 'as long as somebody comes back');
    await pass();
    assert.deepEqual(seen()[1], ['a3', 'b4']);
    batches[1]!.end();
    await Promise.all(ends);
    for (let at = 0; at < 5; at += 1) {
      assert.equal(batches.length, 2);
      ends.push(send('a'));
      await pass();
    }
    assert.equal(seen()[2]!.length, 5);
    batches[2]!.end();
    ends.push(send('b'));
    await pass();
    await pass();
    batches[3]!.end();
    ends.push(send('c'));
    await aTurn();
    assert.deepEqual(seen().slice(3), [['b10'], ['c11']], 'after a batch of few nobody waits');
    batches[4]!.end();
    await Promise.all(ends);
  });

  test('shares the places of a batch out among the accounts that wait', async () => {
    const { batches, send, seen } = stage({ most: 4, lateMs: never });
    const ends = [...Array.from({ length: 6 }, () => send('flood')), send('b'), send('c')];
    await aTurn();
    assert.deepEqual(seen(), [['flood1', 'flood2', 'b7', 'c8']]);
    batches[0]!.end();
    await ends[0];
    await aTurn();
    assert.deepEqual(seen()[1], ['flood3', 'flood4', 'flood5', 'flood6']);
    batches[1]!.end();
    await Promise.all(ends);
  });

  test('lets everybody have a turn when there are more accounts than places', async () => {
    const { batches, send, seen } = stage({ most: 2, lateMs: never });
    const ends = ['a', 'b', 'c', 'a', 'b', 'c'].map((account) => send(account));
    for (let at = 0; at < 3; at += 1) {
      await aTurn();
      batches[at]!.end();
    }
    await Promise.all(ends);
    assert.deepEqual(seen(), [
      ['a1', 'b2'],
      ['c3', 'a4'],
      ['b5', 'c6'],
    ]);
  });

  test('begins a further batch when ample wait, without an account that is in one', async () => {
    const { batches, send, seen } = stage({ most: 10, ample: 2, atOnce: 2, lateMs: never });
    const ends = [send('a')];
    await aTurn();
    ends.push(send('a'), send('b'));
    await aTurn();
    assert.deepEqual(seen(), [['a1']]);
    ends.push(send('c'));
    await aTurn();
    assert.deepEqual(seen(), [['a1'], ['b3', 'c4']]);
    ends.push(send('d'), send('e'));
    await aTurn();
    assert.equal(batches.length, 2, 'no more than may be under way');
    for (const { end } of batches) end();
    await ends[0];
    await aTurn();
    for (const { end } of batches) end();
    await Promise.all(ends);
  });

  test('gives an account with ample of its own a second batch beside the first, and never a third', async () => {
    const { batches, send, seen } = stage({ most: 10, ample: 2, lateMs: never });
    const ends: Promise<string>[] = [];
    for (let at = 0; at < 6; at += 1) {
      ends.push(send('a'));
      await aTurn();
    }
    assert.deepEqual(seen(), [['a1'], ['a2', 'a3']]);
    assert.deepEqual(
      batches.map(({ own }) => own),
      [false, true],
    );
    for (const { end } of batches) end();
    await ends[0];
    await aTurn();
    for (const { end } of batches) end();
    assert.deepEqual(await Promise.all(ends), ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']);
  });

  test('begins a further batch for whoever waits long for one that does not end', async () => {
    const { batches, send, seen } = stage({ most: 10, atOnce: 2, lateMs: 1 });
    const stuck = send('a');
    await aTurn();
    const other = send('b');
    while (batches.length < 2) await aTurn();
    assert.deepEqual(seen(), [['a1'], ['b2']]);
    batches[1]!.end();
    assert.equal(await other, 'b2');
    batches[0]!.end();
    await stuck;
  });

  test('does an account that would keep the others waiting again, in a batch of its own', async () => {
    const { batches, send } = stage({ most: 10, lateMs: never }, ({ account, number }, own) =>
      account === 'held' && !own ? { needsOwnBatch: true } : { result: `${account}${number}` },
    );
    const ends = [send('held'), send('b'), send('held')];
    await aTurn();
    batches[0]!.end();
    assert.equal(await ends[1], 'b2');
    await aTurn();
    const third = send('held');
    const neighbour = send('b');
    await aTurn();
    assert.deepEqual(
      batches.slice(1).map(({ members, own }) => [members, own]),
      [
        [['held1', 'held3'], true],
        [['b5'], false],
      ],
      'the account waits by itself, and for itself',
    );
    batches[2]!.end();
    assert.equal(await neighbour, 'b5');
    batches[1]!.end();
    await Promise.all(ends);
    await aTurn();
    assert.deepEqual(
      [batches[3]!.members, batches[3]!.own],
      [['held4'], false],
      'and shares again afterwards',
    );
    batches[3]!.end();
    await aTurn();
    batches[4]!.end();
    await third;
  });

  test('does not try in company what is known to need a batch of its own', async () => {
    const { batches, send } = stage({ most: 10, lateMs: never });
    const ends = [send('a', true), send('b')];
    await aTurn();
    assert.deepEqual(
      batches.map(({ members, own }) => [members, own]),
      [
        [['a1'], true],
        [['b2'], false],
      ],
    );
    // Also of an account that is in a shared batch just now.
    ends.push(send('b', true));
    await aTurn();
    assert.equal(batches.length, 2);
    for (const { end } of batches) end();
    await ends[1];
    await aTurn();
    assert.deepEqual([batches[2]!.members, batches[2]!.own], [['b3'], true]);
    batches[2]!.end();
    await Promise.all(ends);
  });

  test('has no more batches of single accounts under way than it may', async () => {
    const { batches, send, seen } = stage({ most: 10, atOnce: 1, lateMs: never });
    const ends = [send('a', true), send('b', true), send('b')];
    await aTurn();
    assert.deepEqual(seen(), [['a1']]);
    batches[0]!.end();
    await ends[0];
    await aTurn();
    assert.deepEqual(seen()[1], ['b2', 'b3']);
    batches[1]!.end();
    await Promise.all(ends);
  });

  test('does not let one room wait for another', async () => {
    const { batches, gather } = stage({ most: 10, lateMs: never });
    const stuck = gather({ room: 'live', account: 'a' }, { account: 'a', number: 1 });
    await aTurn();
    const other = gather({ room: 'sandbox', account: 'a' }, { account: 'a', number: 2 });
    await aTurn();
    batches[1]!.end();
    assert.equal(await other, 'a2');
    batches[0]!.end();
    await stuck;
  });

  test('tells each member its own end, and all of them when the batch itself fails', async () => {
    const gather = accountGatherer<number, number>({ most: 10 }, async (members) => {
      if (members.includes(0)) throw new Error('no batch');
      return members.map((member) => (member === 2 ? { error: new Error('not two') } : { result: member }));
    });
    const place = { room: 'live', account: 'a' };
    const ends = await Promise.allSettled([1, 2, 3].map((member) => gather(place, member)));
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    await assert.rejects(gather(place, 0), /no batch/);
    assert.equal(await gather(place, 5), 5, 'an account goes on after a failure');
  });

  test('answers everybody once, takes the members of an account in their order, and has it in one shared batch at most, whatever comes when', async () => {
    const step = fc.record({
      account: fc.constantFrom('a', 'b', 'c', 'd'),
      own: fc.boolean(),
      turns: fc.nat({ max: 2 }),
    });
    const measures = fc.record({
      most: fc.integer({ min: 1, max: 5 }),
      ample: fc.integer({ min: 1, max: 6 }),
      atOnce: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), measures, async (steps, measure) => {
        const running = new Map<string, number>();
        const shared = new Map<string, number>();
        const count = (counts: Map<string, number>, account: string, by: number) =>
          counts.set(account, (counts.get(account) ?? 0) + by);
        const gather = accountGatherer<Member, number>(
          { ...measure, lateMs: 1 },
          async (members, { own }) => {
            assert.ok(members.length <= measure.most);
            const accounts = new Set(members.map(({ account }) => account));
            assert.ok(!own || accounts.size === 1);
            for (const account of accounts) {
              const numbers = members
                .filter((member) => member.account === account)
                .map(({ number }) => number);
              assert.deepEqual(
                numbers,
                numbers.toSorted((a, b) => a - b),
              );
              count(running, account, 1);
              if (!own) count(shared, account, 1);
              assert.ok(running.get(account)! <= 2 && (shared.get(account) ?? 0) <= 1);
            }
            await aTurn();
            for (const account of accounts) {
              count(running, account, -1);
              if (!own) count(shared, account, -1);
            }
            return members.map(({ number }) =>
              number % 5 === 0 && !own ? { needsOwnBatch: true } : { result: number },
            );
          },
        );
        const ends: Promise<number>[] = [];
        for (const [number, { account, own, turns }] of steps.entries()) {
          ends.push(gather({ room: 'live', account, needsOwnBatch: own }, { account, number }));
          for (let turn = 0; turn < turns; turn += 1) await aTurn();
        }
        assert.deepEqual(await Promise.all(ends), [...steps.keys()]);
      }),
      { numRuns: 60 },
    );
  });
});

test('fair shares use every place and give nobody more than a place beyond whoever is left waiting', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 50 }), { maxLength: 20 }), fc.nat({ max: 100 }), (waiting, places) => {
      const shares = fairShares(waiting, places);
      const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
      assert.equal(sum(shares), Math.min(places, sum(waiting)));
      const most = Math.max(0, ...shares);
      for (const [at, share] of shares.entries()) {
        assert.ok(share <= waiting[at]!);
        assert.ok(share === waiting[at] || share >= most - 1);
      }
    }),
  );
});
