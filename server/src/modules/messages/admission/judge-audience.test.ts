import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { connectedWaba } from '../../../../test/harness/messages.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { newSid, newUuid } from '../../../platform/ids.ts';
import { silentLog } from '../../../platform/observability/logging.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { moveMoney, readWallet } from '../../billing/index.ts';
import { recordConsents } from '../../consent/index.ts';
import { openWindows } from '../../conversations/index.ts';
import { insertSender } from '../../senders/index.ts';
import { countRecipients } from '../../wabas/index.ts';
import type { NewMessage } from '../schema.ts';
import { admitMessages } from './admit-messages.ts';
import { AudienceJudge, type Prospect } from './judge-audience.ts';

// `AUDIENCES=10000` tries as many as the aim says.
const numRuns = Number(process.env.AUDIENCES ?? 60);

let app: TestApp;
const lifetime = sharedLifetime();
const author = systemPrincipal('test', false);
/** The sandbox's own sender with its templates, and one of another business that has none. */
let senderSids: string[];
let portfolioIds: string[];
let poolSid: string;
let people: string[];

const inTenant = <T>(work: (t: TenantTx) => Promise<T>) =>
  app.database.write(
    { accountSid: app.accountSid, livemode: false },
    { principal: author, now: app.clock.now(), requestId: 'test', log: silentLog },
    work,
  );

before(async () => {
  app = await startTestApp(lifetime);
  const [own] = (await app.get(`${app.at}/senders`)).body.data;
  const second = await inTenant(async (t) => {
    const { sid: wabaSid } = await connectedWaba(t);
    const facts = {
      wabaSid,
      phoneNumber: '+33100000001',
      providerPhoneNumberId: '991',
      displayName: 'Depot',
    };
    return insertSender(t, { ...facts, status: 'CONNECTED' }, 'test');
  });
  senderSids = [own.sid, second.sid];
  const rows = await app.sql<{ id: string }>(
    `select w.portfolio_id as id from senders s join wabas w on w.account_sid = s.account_sid and w.sid = s.waba_sid
      where s.sid = any($1) order by array_position($1, s.sid)`,
    [senderSids],
  );
  portfolioIds = rows.map(({ id }) => id);
  poolSid = (await app.post(`${app.at}/sender-pools`, { name: 'Both' })).body.sid;
  for (const senderSid of senderSids) {
    const joined = await app.send('PUT', `${app.at}/sender-pools/${poolSid}/members/${senderSid}`, {
      body: {},
    });
    assert.equal(joined.status, 200, joined.text);
  }
  people = await makePeople();
});

/** Reached by numbers of several countries, by an id with one of the businesses, by no address at all, through a merge, or nobody. */
async function makePeople(): Promise<string[]> {
  const phone = (value: string) => [{ identifierType: 'phone_e164', value }];
  const numbers = [
    '+33612340001',
    '+33612340002',
    '+33612340003',
    '+14155550123',
    '+5352345678',
    '+32470123456',
  ];
  const known = [
    ...numbers.map(phone),
    ...portfolioIds.map((scopeRef, at) => [
      { identifierType: 'bsuid', value: `FR.4812007731${at}`, scopeRef },
    ]),
    [{ identifierType: 'username', value: 'ines.martin' }],
    phone('+33612340004'),
    phone('+33612340005'),
  ];
  const sids: string[] = [];
  for (const identifiers of known) {
    const made = await app.post(`${app.at}/contacts`, { identifiers });
    assert.equal(made.status, 201, made.text);
    sids.push(made.body.sid);
  }
  const [survivor, merged] = sids.slice(-2);
  const body = { mergeContactSid: merged, reason: 'The same person' };
  assert.equal((await app.post(`${app.at}/contacts/${survivor}/merge`, body)).status, 200);
  await inTenant(async (t) => {
    const purposes = ['MARKETING', 'TRANSACTIONAL', 'SUPPORT'] as const;
    const entries = sids.slice(0, -1).flatMap((contactSid) =>
      purposes.map((purpose) => ({
        contactSid,
        input: { purpose, source: 'API' as const, status: 'OPTED_IN' as const },
      })),
    );
    await recordConsents(t, entries);
  });
  return [...sids, newSid('CT', app.clock.now())];
}

const body = (text: string) => ({
  type: 'body',
  parameters: [
    { type: 'text', text },
    { type: 'text', text: '20%' },
  ],
});
const messages: Record<string, object> = {
  utility: { type: 'template', template: { name: 'hello_world', language: 'en' } },
  marketing: {
    type: 'template',
    template: { name: 'spring_offer', language: 'en', components: [body('Ines')] },
  },
  incomplete: { type: 'template', template: { name: 'spring_offer', language: 'en' } },
  unknown: { type: 'template', template: { name: 'no_such', language: 'en' } },
  text: { type: 'text', text: { body: 'Hello' } },
};

const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2 });
const which = fc.nat({ max: 1 });
const person = fc.record({
  who: fc.nat({ max: 11 }),
  consent: fc.constantFrom('OPTED_IN', 'OPTED_IN', 'OPTED_IN', 'OPTED_OUT', 'UNKNOWN'),
  suppression: rarely(
    fc.record({
      scope: fc.constantFrom('ALL', 'MARKETING'),
      reason: fc.constantFrom('CUSTOMER_OPT_OUT', 'COMPLAINT', 'RISK_BLOCK'),
      by: fc.option(which),
      over: fc.boolean(),
    }),
  ),
  window: rarely(fc.record({ by: which, hoursAgo: fc.constantFrom(1, 23, 25), referred: fc.boolean() })),
  cappedForHours: rarely(fc.constantFrom(-1, 5)),
  countedBy: rarely(which),
});
/** Whoever was merged is the same person as the one they were merged with: an audience has them once, under either name. */
const personOf = ({ who }: { who: number }) => (who === 10 ? 9 : who);
const world = fc.record({
  people: fc.uniqueArray(person, { selector: personOf, minLength: 1, maxLength: 12 }),
  message: fc.constantFrom(...Object.keys(messages)),
  speaks: fc.constantFrom('first', 'second', 'pool', 'anybody'),
  deferIfCapped: fc.boolean(),
  /** How many messages can be paid for, about; null for all. */
  funds: fc.option(fc.nat({ max: 12 })),
  /** How many may still be written to first by each business; null for everybody. */
  rooms: fc.tuple(fc.option(fc.nat({ max: 8 })), fc.option(fc.nat({ max: 8 }))),
  part: fc.integer({ min: 1, max: 12 }),
});
type World = typeof world extends fc.Arbitrary<infer W> ? W : never;

const somebody: World['people'][number] = {
  who: 0,
  consent: 'OPTED_IN',
  suppression: null,
  window: null,
  cappedForHours: null,
  countedBy: null,
};
const plain: World = {
  people: [somebody],
  message: 'utility',
  speaks: 'first',
  deferIfCapped: false,
  funds: null,
  rooms: [null, null],
  part: 1,
};
/** Tried whatever else is. */
const examples: [World][] = [
  [plain],
  [{ ...plain, funds: 0 }],
  [{ ...plain, rooms: [0, null] }],
  [{ ...plain, message: 'marketing', people: [{ ...somebody, consent: 'UNKNOWN' }] }],
];

class TakenBack extends Error {}

/** What the account is in for the length of one transaction. */
async function plant(t: TenantTx, given: World): Promise<void> {
  const hours = (count: number) => new Date(t.now.getTime() + count * 3_600_000);
  for (const { who, consent, suppression, window, cappedForHours, countedBy } of given.people) {
    const contactSid = people[who]!;
    if (who > 9) continue; // merged, or nobody: whatever is known is known of somebody else
    await t.run(sql`
      update consent_states set status = ${consent} where account_sid = ${t.accountSid} and contact_sid = ${contactSid}`);
    if (suppression) {
      const { scope, reason, by, over } = suppression;
      await t.run(sql`
        insert into suppressions (account_sid, livemode, sid, contact_sid, reason, scope, sender_sid, source, expires_at,
          mirror_to_provider, created_by, created_at, updated_at)
        values (${t.accountSid}, false, ${newSid('SU', t.now)}, ${contactSid}, ${reason}, ${scope},
          ${by === null ? null : senderSids[by]!}, 'test', ${over ? hours(-1) : null}, false, 'test', ${t.now}, ${t.now})`);
    }
    if (window) {
      const { by, hoursAgo, referred } = window;
      await openWindows(t, [{ senderSid: senderSids[by]!, contactSid, at: hours(-hoursAgo), referred }]);
    }
    if (cappedForHours !== null)
      await t.run(sql`
        insert into marketing_caps (account_sid, livemode, contact_sid, until, created_at)
        values (${t.accountSid}, false, ${contactSid}, ${hours(cappedForHours)}, ${t.now})
        on conflict (account_sid, contact_sid) do update set until = excluded.until`);
    if (countedBy !== null) await countRecipients(t, portfolioIds[countedBy]!, [contactSid]);
  }
  for (const [at, room] of given.rooms.entries()) {
    const limit = room === null ? 'TIER_UNLIMITED' : 'TIER_50';
    await t.run(sql`update portfolios set messaging_limit = ${limit}
      where account_sid = ${t.accountSid} and id = ${portfolioIds[at]!}`);
    const strangers = Array.from({ length: 50 - (room ?? 50) }, (_, n) => `CT${at}${n}`);
    await countRecipients(t, portfolioIds[at]!, strangers);
  }
  if (given.funds === null) return;
  const { id: walletId, availableMinor } = await readWallet(t);
  // Most of the templates cost this much; some cost more, so that a later one may still fit.
  const left = BigInt(given.funds) * 4_000n;
  await moveMoney(t, {
    walletId,
    reference: newUuid(t.now),
    moves: { play_money_back: availableMinor - left },
  });
}

function submissionsOf({ people: chosen, message, speaks, deferIfCapped }: World) {
  const speaker = {
    first: { from: senderSids[0] },
    second: { from: senderSids[1] },
    pool: { senderPoolSid: poolSid },
    anybody: {},
  }[speaks];
  const more = deferIfCapped && message === 'marketing' ? { deferIfCapped } : {};
  return chosen.map(({ who }) => ({
    author,
    body: { ...speaker, ...messages[message], ...more, contactSid: people[who]! } as NewMessage,
  }));
}

const partsOf = <T>(all: T[], size: number) =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

const refused = ({ code, facts }: ApiError) => ({ code, details: facts.details ?? [] });
const foreseen = ({ refusal, quote, category, sender }: Prospect) =>
  refusal ? refused(refusal) : { cost: quote!.totalMinor.toString(), category, senderSid: sender!.sid };

suite('judging an audience', () => {
  test('says of everybody what admitting them does, and stores nothing', async () => {
    const met = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const parts = partsOf(submissionsOf(given), given.part);
        const compared = inTenant(async (t) => {
          await plant(t, given);
          const judging = new AudienceJudge();
          const expected: object[] = [];
          for (const part of parts)
            expected.push(...judging.judge(await judging.load(t, part)).map(foreseen));
          const actual: object[] = [];
          for (const part of parts) {
            const admitted = await admitMessages(t, part);
            actual.push(
              ...admitted.map((one) =>
                one instanceof ApiError
                  ? refused(one)
                  : {
                      cost: one.price!.estimate.amountMinor,
                      category: one.category,
                      senderSid: one.from,
                    },
              ),
            );
          }
          assert.deepEqual(actual, expected);
          for (const one of actual) {
            const code = 'code' in one ? String(one.code) : 'admitted';
            met.set(code, (met.get(code) ?? 0) + 1);
          }
          throw new TakenBack();
        });
        await assert.rejects(compared, TakenBack);
      }),
      { numRuns, examples },
    );
    // What was tried is worth trying: most refusals that can meet an audience were among it.
    for (const code of ['admitted', 'CONSENT_REQUIRED', 'PORTFOLIO_LIMIT_EXHAUSTED', 'INSUFFICIENT_FUNDS'])
      assert.ok(met.has(code), `${code} is not among ${[...met.keys()].join(', ')}`);
    assert.equal(await app.count('messages'), 0);
  });
});
