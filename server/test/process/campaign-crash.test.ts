// A service that is killed at any moment of a campaign and started again, or whose PostgreSQL is killed then: each recipient is written to once.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { crowd, hello } from '../../src/modules/campaigns/campaigns.test-data.ts';
import { bearer, type TestApp } from '../harness/app.ts';
import { beginDeadline } from '../harness/deadline.ts';
import type { Death } from '../harness/dying-service.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { until } from './godwit.ts';
import { dueAtOnce, dueByClock, type RestartedService, startKilledWork } from './killed-work.ts';
import { diesOnce, patientMs } from './restarted-service.ts';

// CAMPAIGN_RECIPIENTS=100000 CAMPAIGN_CRASHES=100 writes to so many, and kills the service or its PostgreSQL so often on the way.
const crashes = Number(process.env.CAMPAIGN_CRASHES ?? 0);
const people = Number(process.env.CAMPAIGN_RECIPIENTS ?? 60);
// Commits of the launch, of the cut, of the turn and of the end, counted as moments before and after each.
const few: Death[] = [{ at: 2 }, { at: 5 }, { at: 7 }, { at: 8, cut: true }, { at: 10, cut: true }];
// The more there are, the further apart, so that it dies from the first to the last of them.
const apart = Math.ceil(people / 50);
/** Somewhere within the next commits and hand-offs, by turns of the service and of PostgreSQL. */
const many: Death[] = Array.from({ length: crashes }, (_, at) => ({
  at: 1 + ((at * 7) % 5) * apart + (at % 3),
  cut: at % 2 === 1,
}));
/** How far the clock goes between two looks. A sender hands over a thousand in a second of it. */
const stepMs = Math.max(50, people / 200);
// Each tenth has said that they want no messages.
const unwilling = Math.floor(people / 10);

let app: TestApp;
let service: RestartedService;
let segmentSid: string;
const lifetime = sharedLifetime();
before(async () => {
  // Whoever was written to is looked up at the end.
  const simulator = { recordLimit: 50_000 + people };
  ({ app, service } = await startKilledWork(lifetime, 'campaigns', { ownPostgres: true, simulator }));
  segmentSid = await crowd(app, people);
  await app.sql(
    `insert into suppressions (account_sid, livemode, sid, contact_sid, reason, scope, source, mirror_to_provider, created_by, created_at, updated_at)
     select account_sid, livemode, 'SU' || right(sid, 26), sid, 'CUSTOMER_OPT_OUT', 'ALL', 'test', false, 'test', $2, $2 from contacts
      where account_sid = $1 and right(sid, 1) = '0'`,
    [app.accountSid, app.clock.now()],
  );
  await app.sql(
    `with defined as (
       insert into plans (name, monthly_messages, created_at, updated_at) values ('large', 1000000000, $2, $2) returning name)
     update accounts set plan = defined.name from defined where sid = $1`,
    [app.accountSid, app.clock.now()],
  );
  await app.sql('update senders set throughput_per_second = 1000 where account_sid = $1', [app.accountSid]);
});

const one = async <Row extends object>(query: string, ...values: unknown[]) =>
  (await app.sql<Row & Record<string, unknown>>(query, values))[0]!;

const post = (path: string, body?: object) =>
  service.send('POST', `${app.at}${path}`, {
    headers: bearer(app.sandboxKey),
    ...(body && { body }),
    key: randomUUID(),
  });

const nameOf = ({ cut = false }: Death) =>
  `${cut ? 'PostgreSQL' : 'service'} killed ${service.moments().at(-1)}`;

let handled = 0;
/** Waits as long as the machine needs; `afterDeath` is called once for each. */
const wait = (what: string, condition: () => Promise<boolean>, afterDeath = async () => {}) =>
  until(
    what,
    async () => {
      // It ends by itself, however many there are.
      beginDeadline();
      await service.ready();
      if (service.deaths() > handled) {
        handled = service.deaths();
        service.advance(10_000);
        await afterDeath();
        await dueAtOnce(app);
      }
      service.advance(stepMs);
      await dueByClock(app);
      return condition();
    },
    patientMs + crashes * 30_000 + people * 20,
  );

async function draft(): Promise<string> {
  const { body: asked } = await post('/messages/preflight', { ...hello, to: '+33612345678' });
  const priceMinor = BigInt(asked.cost.total.amountMinor);
  const { body: campaign, status } = await post('/campaigns', {
    name: 'To all',
    audience: { segmentSid },
    message: hello,
    budget: { amountMinor: (priceMinor * BigInt(people) * 50n).toString(), currency: 'USD', scale: 6 },
  });
  assert.equal(status, 201, JSON.stringify(campaign));
  return campaign.sid;
}

async function launch(sid: string): Promise<void> {
  const { status, body } = await post(`/campaigns/${sid}/launch`);
  assert.equal(status, 202, JSON.stringify(body));
}

const isComplete = async (sid: string) =>
  (
    await one<{ ended: boolean }>(
      `select c.state = 'COMPLETED' and o.state = 'SUCCEEDED' as ended
         from campaigns c join operations o on o.sid = c.operation_sid where c.sid = $1`,
      sid,
    )
  ).ended;

async function isRight(sid: string): Promise<void> {
  await once(sid);
  await handedOver(sid);
  await withinBudget(sid);
  await withinQuota();
  await resultsAreCounted(sid);
}

/** A campaign for each death. */
async function dieAtFew(): Promise<string[]> {
  const died: string[] = [];
  for (const death of few) {
    const story = async () => {
      const sid = await draft();
      return async () => {
        await launch(sid);
        await wait(`${sid} is complete, and so is its operation`, () => isComplete(sid));
        await isRight(sid);
      };
    };
    const moment = await diesOnce(service, story, death);
    assert.ok(moment, `it never came to ${JSON.stringify(death)}: ${service.moments().join(', ')}`);
    died.push(nameOf(death));
  }
  return died;
}

/** One campaign, and one death after the other until it is complete. */
async function dieMuch(): Promise<string[]> {
  const died: string[] = [];
  const sid = await draft();
  await service.dieAt(many[0]!);
  await launch(sid);
  await wait(
    'it is complete, so is its operation, and all is handed over',
    async () => (await isComplete(sid)) && (await isHandedOver(sid)),
    async () => {
      died.push(nameOf(many[died.length]!));
      const next = many[died.length];
      if (next) await service.dieAt(next);
    },
  );
  await service.liveOn();
  assert.ok(died.length > 0, 'it never died');
  await isRight(sid);
  return died;
}

suite('whose service or PostgreSQL is killed at any moment', () => {
  test('a campaign gives each recipient one message or one recorded refusal, within budget and quota, and its results are a count of the messages', async (context) => {
    const died = await (crashes ? dieMuch() : dieAtFew());
    context.diagnostic(`${died.length} deaths: ${died.join(', ')}`);
  });
});

async function once(sid: string): Promise<void> {
  const found = await one<Record<string, number>>(
    `select count(*)::integer as recipients, count(distinct contact_sid)::integer as people,
       count(message_sid)::integer as admitted, count(code)::integer as refused,
       count(*) filter (where code is not null and evidence is null)::integer as unexplained
       from campaign_recipients where campaign_sid = $1`,
    sid,
  );
  const refused = unwilling;
  assert.deepEqual(found, {
    recipients: people,
    people,
    admitted: people - refused,
    refused,
    unexplained: 0,
  });
  const sent = await one<Record<string, number>>(
    `select count(*)::integer as messages, count(distinct m.contact_sid)::integer as people,
       count(*) filter (where r.message_sid is null)::integer as unknown
       from messages m left join campaign_recipients r on r.account_sid = m.account_sid and r.campaign_sid = m.campaign_sid
         and r.message_sid = m.sid and r.contact_sid = m.contact_sid
      where m.campaign_sid = $1`,
    sid,
  );
  assert.deepEqual(sent, { messages: people - refused, people: people - refused, unknown: 0 });
  const told = await one<Record<string, number>>(
    'select admitted, refused, recipients from campaigns where sid = $1',
    sid,
  );
  assert.deepEqual(told, { admitted: people - refused, refused, recipients: people });
  const { events } = await one<{ events: number }>(
    `select count(*)::integer as events from events where account_sid = $1 and type like 'campaign.%' and resource_sid = $2`,
    app.accountSid,
    sid,
  );
  assert.equal(events, 4, 'created, scheduled, started and completed, each once');
}

let isReporting = false;
/** Reports are made, also again where nobody was there to take them. Among very many there is no moment without any, so none is waited for. */
function keepReporting(): void {
  if (isReporting) return;
  isReporting = true;
  void app.simulator.control.settle().finally(() => {
    isReporting = false;
  });
}

/** Nothing of it waits any more, or is being handed over. */
async function isHandedOver(sid: string): Promise<boolean> {
  const { waits, isSending } = await one<{ waits: boolean; isSending: boolean }>(
    `select coalesce(bool_or(s.waiting), false) as waits, coalesce(bool_or(s.status = 'sending'), false) as "isSending"
       from messages m join message_states s on s.account_sid = m.account_sid and s.sid = m.sid where m.campaign_sid = $1`,
    sid,
  );
  keepReporting();
  return !waits && !isSending;
}

async function handedOver(sid: string): Promise<void> {
  await until(
    'all is handed over',
    async () => {
      beginDeadline();
      service.advance(250);
      return isHandedOver(sid);
    },
    patientMs + people * 20,
  );
  const messages = await app.sql<{ sid: string; status: string }>(
    `select m.sid, s.status from messages m join message_states s on s.account_sid = m.account_sid and s.sid = m.sid where m.campaign_sid = $1`,
    [sid],
  );
  for (const message of messages) {
    const handed = app.simulator.control.messagesWithOpaque(message.sid).length;
    // Killed while it was handed over, a message is not sent again by itself: nobody knows whether it arrived.
    assert.ok(
      message.status === 'unknown' ? handed <= 1 : handed === 1,
      `${message.sid} is ${message.status}: ${handed}`,
    );
  }
}

async function withinBudget(sid: string): Promise<void> {
  const found = await one<{ within: boolean; held: string; reserved: string }>(
    `select c.reserved_minor <= c.budget_minor as within, c.reserved_minor::text as reserved,
       (select sum(m.estimate_minor)::text from messages m where m.campaign_sid = c.sid) as held
       from campaigns c where c.sid = $1`,
    sid,
  );
  assert.ok(found.within && BigInt(found.held) <= BigInt(found.reserved), JSON.stringify(found));
}

/** The plan has counted every message of the month, and none twice. */
async function withinQuota(): Promise<void> {
  const found = await one<{ counted: number; messages: number }>(
    `select u.messages::integer as counted,
       (select count(*)::integer from messages m where m.account_sid = u.account_sid and m.created_at >= u.month) as messages
       from plan_uses u where u.account_sid = $1 and not u.livemode`,
    app.accountSid,
  );
  assert.equal(found.counted, found.messages);
}

/** Reports still come in meanwhile, so they are compared until both have seen the same. */
async function resultsAreCounted(sid: string): Promise<void> {
  let told: object = {};
  let counted: object = {};
  await until(
    'the results are what a count of the messages says',
    async () => {
      service.advance(250);
      const { body } = await service.send('GET', `${app.at}/campaigns/${sid}/results`, {
        headers: bearer(app.sandboxKey),
        key: randomUUID(),
      });
      const { messages, queued, delivered, read, failed, refused } = body.total;
      told = { messages, queued, delivered, read, failed, refused };
      counted = {
        ...(await one(
          `select count(*)::integer as messages, count(*) filter (where s.waiting or s.status in ('sending', 'unknown'))::integer as queued,
             count(*) filter (where s.status in ('delivered', 'read'))::integer as delivered,
             count(*) filter (where s.status = 'read')::integer as read, count(*) filter (where s.status = 'failed')::integer as failed
             from messages m join message_states s on s.account_sid = m.account_sid and s.sid = m.sid where m.campaign_sid = $1`,
          sid,
        )),
        refused: unwilling,
      };
      return isDeepStrictEqual(told, counted);
    },
    patientMs,
  ).catch((error) => {
    throw new Error(`${error.message}: told ${JSON.stringify(told)}, counted ${JSON.stringify(counted)}`);
  });
}
