// Sends of many accounts in one transaction: each account sees and keeps what is its own, and nobody waits for another.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { leaveOnly } from '../../../../test/harness/billing.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { lockRows, waitersAre } from '../../../../test/harness/locks.ts';
import { programIn } from '../../../../test/harness/program.ts';
import { until } from '../../../../test/harness/until.ts';
import { type MergedQueries, OwnTransactionNeeded, type TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { generateMasterKey } from '../../../platform/sealing.ts';
import { audit } from '../../audit/index.ts';
import { consentsOf } from '../../consent/index.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import { contactsFor } from '../../contacts/index.ts';
import { wakeLanes } from '../dispatch/lanes.ts';
import type { Message } from '../schema.ts';
import { admitMessages } from './admit-messages.ts';
import { phoneOf } from './find-recipients.ts';

type Business = { accountSid: string; key: string; senderSid: string; at: string };

const masterKey = generateMasterKey();
let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { env: { MASTER_KEY: masterKey } });
});

async function newBusiness(): Promise<Business> {
  const { accountSid, sandboxKey: key } = await app.newAccount();
  const at = `/v1/accounts/${accountSid}`;
  const senders = await app.get(`${at}/senders`, bearer(key));
  return { accountSid, key, at, senderSid: senders.body.data[0].sid };
}
const newBusinesses = (count: number) => Promise.all(Array.from({ length: count }, newBusiness));

const hello = ({ senderSid }: Business, to = newPhone()) => ({
  from: senderSid,
  to,
  type: 'template' as const,
  template: { name: 'hello_world', language: 'en' },
});
const post = (business: Business, key: string = randomUUID(), body: object = hello(business)) =>
  app.post(`${business.at}/messages`, body, { ...bearer(business.key), 'idempotency-key': key });

const principal = systemPrincipal('test', false);
const together = <T>(businesses: Business[], work: (t: TenantTx, business: Business) => Promise<T>) => {
  const requestContext = { principal, now: app.clock.now(), requestId: 'test', log: app.log };
  const entrants = businesses.map(({ accountSid }) => ({
    tenant: { accountSid, livemode: false },
    requestContext,
  }));
  const of = (t: TenantTx) => businesses.find(({ accountSid }) => accountSid === t.accountSid)!;
  return app.database.writeTogether(entrants, (t) => work(t, of(t)), { keepsPlans: true });
};
const admit = async (t: TenantTx, business: Business, count = 1) =>
  admitMessages(
    t,
    Array.from({ length: count }, () => ({ body: hello(business), author: principal })),
  );

/** On a busy machine others may need longer than a transaction may do nothing. */
const mayRest = (t: TenantTx) =>
  t.run(sql`select set_config('idle_in_transaction_session_timeout', '0', true)`);

/** A transaction that has made somebody a contact and does not end yet. */
async function makingContact({ accountSid }: Business, phone: string) {
  const made = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  const requestContext = { principal, now: app.clock.now(), requestId: 'test', log: app.log };
  const transaction = app.database.write({ accountSid, livemode: false }, requestContext, async (t) => {
    await mayRest(t);
    await contactsFor(t, { consentsOf }, [phoneOf(phone)]);
    made.resolve();
    await ending.promise;
  });
  await Promise.race([made.promise, transaction]);
  return {
    commit() {
      ending.resolve();
      return transaction;
    },
  };
}

const messagesOf = ({ accountSid }: Business) => app.count(`messages where account_sid = '${accountSid}'`);

/** Every account's events are numbered without a gap, and its head is the last of them. */
async function assertGapFree(): Promise<void> {
  const broken = await app.sql(`
    select h.account_sid from event_heads h
      left join lateral (
        select count(*) as events, coalesce(max(sequence), 0) as last from events e
         where e.account_sid = h.account_sid and e.livemode = h.livemode) e on true
     where e.events <> h.sequence or e.last <> h.sequence`);
  assert.deepEqual(broken, []);
}

suite('a transaction of several accounts', () => {
  test('stores what each of them sends, with its own money, events and lanes, in one transaction', async () => {
    const [a, b, c] = (await newBusinesses(3)) as [Business, Business, Business];
    const counts = new Map([
      [a, 1],
      [b, 3],
      [c, 2],
    ]);
    const ends = await together([a, b, c], (t, business) => admit(t, business, counts.get(business)!));
    assert.deepEqual(
      ends.map((end) => (end as Message[]).map(({ accountSid }) => accountSid)),
      [a, b, c].map((business) => Array(counts.get(business)!).fill(business.accountSid)),
    );
    for (const business of [a, b, c]) {
      const [wallet] = (await app.get(`${business.at}/billing/wallets`, bearer(business.key))).body.data;
      const listed = (await app.get(`${business.at}/messages`, bearer(business.key))).body.data;
      const held = listed.reduce(
        (sum: bigint, { price }: Message) => sum + BigInt(price!.estimate.amountMinor),
        0n,
      );
      assert.equal(listed.length, counts.get(business));
      assert.equal(wallet.held.amountMinor, held.toString());
      assert.ok(held > 0n);
      assert.equal(await app.count(`dispatch_lanes where account_sid = '${business.accountSid}'`), 1);
    }
    const sids = [a, b, c].map(({ accountSid }) => accountSid);
    const [{ transactions }] = (await app.sql(
      'select count(distinct xmin::text)::integer as transactions from messages where account_sid = any ($1)',
      [sids],
    )) as [{ transactions: number }];
    assert.equal(transactions, 1);
    await assertGapFree();
  });

  test('is kept by row security from every account that is not its member', async () => {
    const [a, b, other] = (await newBusinesses(3)) as [Business, Business, Business];
    await post(other);
    // Without any account named in the statement: nothing but row security is left.
    const wallets = sql`select account_sid as "accountSid" from wallets order by 1`;
    const seenTogether: string[][] = [];
    const look = async (q: MergedQueries) => {
      const rows = await q.many<{ accountSid: string }>(wallets);
      seenTogether.push(rows.map(({ accountSid }) => accountSid));
      return rows;
    };
    const seen = await together([a, b], async (t) => {
      await t.merged(look, ['']);
      const own = await t.many<{ accountSid: string }>(wallets);
      const touched = await t.run(sql`update message_states set due_at = ${t.now}`);
      return { accounts: own.map(({ accountSid }) => accountSid), touched };
    });
    assert.deepEqual(seen, [
      { accounts: [a.accountSid], touched: 0 },
      { accounts: [b.accountSid], touched: 0 },
    ]);
    assert.deepEqual(seenTogether, [[a.accountSid, b.accountSid].sort()]);
    const intrusion = together([a, b], (t) =>
      t.run(sql`
        insert into event_heads (account_sid, livemode, sequence) values (${other.accountSid}, false, 1)
        on conflict (account_sid, livemode) do update set sequence = 7`),
    );
    await assert.rejects(intrusion, { code: '42501' });
    const live = together([a, b], (t) => t.many(sql`select from wallets where livemode`));
    assert.deepEqual(await live, [[], []], 'nor does it see their other environment');
    await assertGapFree();
  });

  test('runs a statement once for all accounts that need it, and gives each its rows', async () => {
    const [a, b] = (await newBusinesses(2)) as [Business, Business];
    const runs: string[][] = [];
    const echo = async (_q: MergedQueries, asked: readonly { accountSid: string; item: string }[]) => {
      runs.push(asked.map(({ item }) => item));
      return asked.map(({ accountSid, item }) => ({ accountSid, item }));
    };
    const ends = await together([a, b], async (t, { accountSid }) => {
      // One of them takes a step more, and is waited for.
      if (accountSid === b.accountSid) await t.run(sql`select`);
      const rows = await Promise.all([
        t.merged(echo, [`${accountSid} 1`]),
        t.merged(echo, [`${accountSid} 2`]),
      ]);
      return rows.flat().map(({ item }) => item);
    });
    assert.deepEqual(
      ends,
      [a, b].map(({ accountSid }) => [`${accountSid} 1`, `${accountSid} 2`]),
    );
    assert.deepEqual(
      runs.map((items) => items.length),
      [2, 2],
    );
  });

  test('goes on without an account that needs one of its own, and ends nothing of it', async () => {
    const [a, b] = (await newBusinesses(2)) as [Business, Business];
    const late: string[] = [];
    const number = (t: TenantTx) => t.one<{ id: string }>(sql`select pg_current_xact_id()::text as id`);
    const ends = await together([a, b], async (t, business) => {
      const { id } = await number(t);
      if (business === b) {
        // What is still under way when it leaves ends inside the transaction, and not on somebody else's.
        const trailing = t.run(sql`select`).then(() => number(t));
        trailing.then(({ id }) => late.push(id));
        throw new OwnTransactionNeeded();
      }
      return id;
    });
    assert.ok(ends[1] instanceof OwnTransactionNeeded);
    assert.deepEqual(late, [ends[0]]);
    await together([a, b], async (t, business) => {
      audit(t, { action: 'test.done' });
      if (business === b) throw new OwnTransactionNeeded();
    });
    const audited = await app.sql("select account_sid from audit_entries where action = 'test.done'");
    assert.deepEqual(audited, [{ account_sid: a.accountSid }]);
  });

  test('leaves out an account whose wallet somebody holds, and does not wait for it', async () => {
    const businesses = await newBusinesses(3);
    const held = businesses[1]!;
    const lock = await lockRows(app, `wallets where account_sid = '${held.accountSid}'`);
    const ends = await together(businesses, (t, business) => admit(t, business));
    assert.deepEqual(
      ends.map((end) => end instanceof OwnTransactionNeeded),
      [false, true, false],
    );
    assert.deepEqual(await Promise.all(businesses.map(messagesOf)), [1, 0, 1]);
    await lock.release();
    await together([held], (t) => admit(t, held));
    assert.equal(await messagesOf(held), 1);
    await assertGapFree();
  });

  test('leaves out an account whose stranger somebody is just making a contact, and does not wait for it', async () => {
    const businesses = await newBusinesses(3);
    const busy = businesses[1]!;
    const stranger = newPhone();
    const send = (t: TenantTx, business: Business) =>
      admitMessages(t, [{ body: hello(business, stranger), author: principal }]);
    const making = await makingContact(busy, stranger);
    const ends = await together(businesses, send);
    assert.deepEqual(
      ends.map((end) => end instanceof OwnTransactionNeeded),
      [false, true, false],
    );
    assert.deepEqual(await Promise.all(businesses.map(messagesOf)), [1, 0, 1]);
    await making.commit();
    await together([busy], send);
    const [{ contacts }] = (await app.sql(
      `select count(distinct c.sid)::integer as contacts from contacts c
        where c.account_sid = $1 and c.sid in (select contact_sid from messages where account_sid = $1)`,
      [busy.accountSid],
    )) as [{ contacts: number }];
    assert.deepEqual(
      [contacts, await app.count(`contacts where account_sid = '${busy.accountSid}'`)],
      [1, 1],
    );
  });

  test('leaves out one of two that make contacts of strangers at once in the same account', async () => {
    const [both, a, b] = (await newBusinesses(3)) as [Business, Business, Business];
    const send = (t: TenantTx, business: Business) => admit(t, business);
    const first = Promise.withResolvers<void>();
    const made = Promise.withResolvers<void>();
    const slow = together([both, a], async (t, business) => {
      await mayRest(t);
      await contactsFor(t, { consentsOf }, [phoneOf(newPhone())]);
      if (business === both) made.resolve();
      await first.promise;
    });
    await made.promise;
    // The wallet is free, and so is the number: only that somebody else makes contacts there is known.
    const ends = await together([both, b], send);
    assert.deepEqual(
      ends.map((end) => end instanceof OwnTransactionNeeded),
      [true, false],
    );
    first.resolve();
    await slow;
    assert.equal(((await together([both], send))[0] as Message[])[0]!.status, 'queued');
  });

  test('refuses a suspended account and one without money, each alone', async () => {
    const [a, suspended, poor] = (await newBusinesses(3)) as [Business, Business, Business];
    await app.sql("update accounts set status = 'suspended' where sid = $1", [suspended.accountSid]);
    await leaveOnly(app, poor.accountSid, 0n);
    const ends = await together([a, suspended, poor], (t, business) => admit(t, business));
    assert.deepEqual(
      ends.map((end) => {
        const [first] = end as (Message | ApiError)[];
        return first instanceof ApiError ? first.code : first!.status;
      }),
      ['queued', 'ACCOUNT_SUSPENDED', 'INSUFFICIENT_FUNDS'],
    );
    assert.deepEqual([await messagesOf(a), await messagesOf(suspended), await messagesOf(poor)], [1, 0, 0]);
  });

  test('takes the locks of each statement in the order of accounts, and those of the commit in one order too', async () => {
    const businesses = (await newBusinesses(4)).sort((a, b) => (a.accountSid < b.accountSid ? -1 : 1));
    const [last, ...others] = businesses.toReversed() as [Business, ...Business[]];
    const rowsOf = (table: string, of: Business[]) =>
      `${table} where account_sid in (${of.map(({ accountSid }) => `'${accountSid}'`)})
        ${table === 'event_heads' ? 'and not livemode' : table === 'chain_heads' ? "and chain = 'audit' and not livemode" : ''}`;
    const freeOf = async (table: string, of: Business[]) =>
      (await app.sql(`select from ${rowsOf(table, of)} for update skip locked`)).length;
    type Work = (t: TenantTx, business: Business) => Promise<void>;
    const note = async (t: TenantTx) => audit(t, { action: 'test.noted' });
    const tell = async (t: TenantTx) => {
      await contactsFor(t, { consentsOf }, [phoneOf(newPhone())]);
    };
    const wake: Work = (t, { senderSid }) => wakeLanes(t, new Map([[senderSid, t.now]]));
    for (const work of [wake, note, tell]) await together(businesses, work); // what is to be locked exists
    const waits: [table: string, work: Work, taken: string][] = [
      ['dispatch_lanes', wake, 'dispatch_lanes'],
      ['chain_heads', note, 'chain_heads'],
      ['event_heads', tell, 'event_heads'],
      // Whatever is gathered first.
      ['event_heads', (t) => note(t).then(() => tell(t)), 'chain_heads'],
      ['event_heads', (t) => tell(t).then(() => note(t)), 'chain_heads'],
    ];
    for (const [table, work, taken] of waits) {
      for (const order of [businesses, businesses.toReversed()]) {
        const lock = await lockRows(app, rowsOf(table, [last]));
        const waiting = together(order, work);
        await lock.waitersAre(1);
        const free = await freeOf(taken, others);
        await lock.release();
        await waiting;
        assert.equal(free, 0, `${taken} while it waits for the last of ${table}`);
      }
    }
  });

  test('takes locks in one order: two with the same accounts the other way round never deadlock', async () => {
    const businesses = await newBusinesses(8);
    const rounds = 8;
    const left = new Map<Business, number>();
    let works = 0;
    const send = async (order: Business[]) => {
      const ends = await together(order, async (t, business) => {
        works += 1;
        await admit(t, business);
      });
      for (const [at, end] of ends.entries())
        if (end instanceof OwnTransactionNeeded) left.set(order[at]!, (left.get(order[at]!) ?? 0) + 1);
    };
    // Chains and events are locked by whoever writes to them, whether or not a wallet was locked before.
    const note = (order: Business[]) =>
      together(order, async (t) => {
        works += 1;
        await t.run(sql`select`);
        audit(t, { action: 'test.noted' });
      });
    for (let round = 0; round < rounds; round += 1) {
      const reversed = businesses.toReversed();
      await Promise.all([send(businesses), send(reversed), note(businesses), note(reversed)]);
    }
    for (const business of businesses) {
      assert.equal((await messagesOf(business)) + (left.get(business) ?? 0), 2 * rounds);
    }
    assert.equal(works, 4 * rounds * businesses.length, 'what deadlocks is tried again');
    await assertGapFree();
  });
});

suite('requests of several accounts', () => {
  test('do not wait for one whose wallet somebody holds', async () => {
    const businesses = await newBusinesses(4);
    const [held, ...others] = businesses as [Business, ...Business[]];
    const lock = await lockRows(app, `wallets where account_sid = '${held.accountSid}'`);
    const waiting = [post(held), post(held)];
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(others.map((business) => post(business)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 201, 201],
      );
    }
    assert.equal(await messagesOf(held), 0);
    await lock.waitersAre(1);
    await lock.release();
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ status }) => status),
      [201, 201],
    );
    await assertGapFree();
  });

  test('do not wait for one whose stranger somebody is just making a contact', async () => {
    const [busy, ...others] = (await newBusinesses(4)) as [Business, ...Business[]];
    const stranger = newPhone();
    const making = await makingContact(busy, stranger);
    const waiting = post(busy, undefined, hello(busy, stranger));
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(others.map((business) => post(business)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 201, 201],
      );
    }
    assert.equal(await messagesOf(busy), 0);
    await waitersAre(app, 1);
    await making.commit();
    assert.equal((await waiting).status, 201);
  });

  test('do not fail with one whose rows cannot be stored', async () => {
    const businesses = await newBusinesses(6);
    const bad = businesses[2]!;
    await app.sql(`
      create function refuse_bad() returns trigger language plpgsql as $$
      begin
        if new.account_sid = '${bad.accountSid}' then raise exception 'no room for it'; end if;
        return new;
      end $$;
      create trigger refuse_bad before insert on messages for each row execute function refuse_bad()`);
    try {
      const answers = await Promise.all([...businesses, ...businesses].map((business) => post(business)));
      const expected = businesses.map((business) => (business === bad ? 500 : 201));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [...expected, ...expected],
      );
    } finally {
      await app.sql('drop function refuse_bad cascade');
    }
    assert.equal((await post(bad)).status, 201, 'nor is anything of it left behind');
    await assertGapFree();
  });

  test('may bring the same key: it is one of each account', async () => {
    const businesses = await newBusinesses(3);
    const bodies = new Map(businesses.map((business) => [business, hello(business)]));
    const send = () =>
      Promise.all(businesses.map((business) => post(business, 'the same', bodies.get(business))));
    const first = await send();
    const again = await send();
    assert.deepEqual(
      first.map(({ body }) => body.accountSid),
      businesses.map(({ accountSid }) => accountSid),
    );
    assert.deepEqual(
      again.map(({ body, headers }) => [body, headers.get('idempotent-replayed')]),
      first.map(({ body }) => [body, 'true']),
    );
  });

  for (const moment of ['before-commit', 'before-answer']) {
    test(`in one transaction happen once each when the process is killed ${moment.replace('-', ' the ')} and they are repeated`, async () => {
      const [first, ...businesses] = (await newBusinesses(6)) as [Business, ...Business[]];
      const bodies = new Map(businesses.map((business) => [business, hello(business)]));
      const crashing = programIn(new URL('../../../../test/harness/crashing-service.ts', import.meta.url));
      const child = spawn(
        process.execPath,
        [...crashing, app.databaseUrl, moment, String(businesses.length)],
        {
          env: { ...process.env, PORT: '0', MASTER_KEY: masterKey },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      const exit = once(child, 'exit');
      const lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
      const { value: url } = await lines.next();
      const key = `${moment} ${randomUUID()}`;
      const postTo = (business: Business) =>
        fetch(`${url}${business.at}/messages`, {
          method: 'POST',
          headers: { ...bearer(business.key), 'idempotency-key': key, 'content-type': 'application/json' },
          body: JSON.stringify(bodies.get(business) ?? hello(business)),
        });
      const held = postTo(first);
      held.catch(() => {});
      assert.equal((await lines.next()).value, 'held');
      const dying = [held, ...businesses.map(postTo)];
      assert.deepEqual(
        (await Promise.allSettled(dying)).map(({ status }) => status),
        dying.map(() => 'rejected'),
      );
      assert.equal((await exit)[1], 'SIGKILL');
      // Until the database has noticed, the keys of whoever died are in use, and repeating them is refused.
      const abandoned = `pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
      await until('the database has noticed the death', async () => (await app.count(abandoned)) === 0);
      const isStored = moment === 'before-answer';
      const sids = businesses.map(({ accountSid }) => accountSid);
      const stored = await app.sql(
        `select count(*)::integer as messages, count(distinct xmin::text)::integer as transactions
           from messages where account_sid = any ($1)`,
        [sids],
      );
      assert.deepEqual(stored, [
        isStored ? { messages: 5, transactions: 1 } : { messages: 0, transactions: 0 },
      ]);
      const retries = await Promise.all(
        businesses.map((business) => post(business, key, bodies.get(business))),
      );
      assert.deepEqual(
        retries.map(({ status, headers }) => [status, headers.get('idempotent-replayed')]),
        businesses.map(() => [201, isStored ? 'true' : null]),
      );
      for (const business of businesses) assert.equal(await messagesOf(business), 1);
      await assertGapFree();
    });
  }
});
