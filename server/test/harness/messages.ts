// Messages in tests, as they stand once they were accepted, and what the provider says of them and brings.
import assert from 'node:assert/strict';
import { creditWallet, hold } from '../../src/modules/billing/index.ts';
import { consentsOf } from '../../src/modules/consent/index.ts';
import { newPhone } from '../../src/modules/contacts/fixtures.ts';
import { contactsFor, findAddressees } from '../../src/modules/contacts/index.ts';
import { createDispatcher } from '../../src/modules/messages/dispatch/dispatcher.ts';
import { wakeLanes } from '../../src/modules/messages/dispatch/lanes.ts';
import { applyStatuses, receiveMessages } from '../../src/modules/messages/index.ts';
import { ranks, type Status, turnAt } from '../../src/modules/messages/statuses.ts';
import type {
  Answered,
  Connection,
  InboundContent,
  InboundMessage,
  OutboundMessage,
  Provider,
  Accepted as ProviderAccepted,
  ProviderFailure,
  ProviderStatus,
  Routed,
} from '../../src/modules/provider/index.ts';
import { insertSender } from '../../src/modules/senders/index.ts';
import { findOrCreatePortfolio, insertWaba } from '../../src/modules/wabas/index.ts';
import type { TenantTx } from '../../src/platform/db/database.ts';
import { sql } from '../../src/platform/db/query.ts';
import { newSid, newUuid, randomToken } from '../../src/platform/ids.ts';
import { money } from '../../src/platform/money.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import { createMetrics } from '../../src/platform/observability/metrics.ts';
import { noTracing } from '../../src/platform/observability/tracing.ts';
import type { Ports } from '../../src/platform/ports.ts';
import { systemPrincipal } from '../../src/platform/principal.ts';
import type { TestApp } from './app.ts';
import { lockRows } from './locks.ts';
import { until } from './until.ts';

export type Messages = Awaited<ReturnType<typeof messagesOf>>;

export type Accepted = {
  senderSid?: string;
  to?: string;
  type?: string;
  content?: object;
  category?: 'authentication' | 'utility' | 'marketing' | 'service';
  priority?: number;
  sendAt?: Date;
  expiresAt?: Date;
  deferIfCapped?: boolean;
  estimateMinor?: bigint;
  rateCardVersion?: number;
  /** The operator pays the provider for it. */
  partnerBilled?: boolean;
  status?: Status;
  context?: object;
};

const digits = () => Array.from({ length: 15 }, () => Math.floor(Math.random() * 10)).join('');

/** A business account in a portfolio without limits. */
export async function connectedWaba(t: TenantTx) {
  const portfolioId = await findOrCreatePortfolio(t, {
    providerBusinessId: digits(),
    name: 'Shop',
    messagingLimit: 'TIER_UNLIMITED',
    phoneNumberCap: 20,
  });
  return insertWaba(t, {
    portfolioId,
    providerWabaId: digits(),
    name: 'Shop',
    accessToken: `SIM.${randomToken()}`,
  });
}

/** An account's sandbox with a connected sender and money. */
export async function messagesOf(app: TestApp, { throughput = 80 } = {}) {
  const account = await app.newAccount();
  const { accountSid } = account;
  const tenant = { accountSid, livemode: false };
  const write = <T>(work: (t: TenantTx) => Promise<T>) =>
    app.database.write(
      tenant,
      { principal: systemPrincipal('test', false), now: app.clock.now(), requestId: 'test', log: silentLog },
      work,
    );
  const waba = await write(connectedWaba);
  await write((t) =>
    creditWallet(t, { amount: money(10n ** 12n, 'USD', 6), reason: 'test', reference: newUuid(t.now) }),
  );
  const newSender = async () => {
    const sender = await write((t) =>
      insertSender(
        t,
        {
          wabaSid: waba.sid,
          phoneNumber: newPhone(),
          providerPhoneNumberId: digits(),
          displayName: 'Shop',
          status: 'CONNECTED',
        },
        'test',
      ),
    );
    await app.sql('update senders set throughput_per_second = $2 where sid = $1', [sender.sid, throughput]);
    return sender.sid;
  };
  const senderSid = await newSender();

  /** An accepted message, with its money held and its lane told. */
  const accepted = (given: Accepted = {}) => write((t) => accept(t, { senderSid, ...given }));
  const status = (
    sid: string | null,
    what: ProviderStatus['status'],
    more: Partial<ProviderStatus> = {},
  ) => ({
    providerMessageId: `wamid.${sid}`,
    status: what,
    opaque: sid,
    occurredAt: app.clock.now(),
    recipient: { waId: null, bsuid: null, parentBsuid: null },
    pricing: null,
    conversation: null,
    failure: null,
    senderSid,
    wabaSid: waba.sid,
    ...more,
  });
  return {
    tenant,
    account,
    accountSid,
    senderSid,
    wabaSid: waba.sid,
    portfolioId: waba.portfolioId,
    newSender,
    write,
    accepted,
    status,
    apply: (...statuses: ProviderStatus[]) => write((t) => applyStatuses(t, statuses)),
    inbound: (content: InboundContent, more: Partial<Routed<InboundMessage>> = {}) => ({
      providerMessageId: `wamid.in.${randomToken(8)}`,
      occurredAt: app.clock.now(),
      from: {
        waId: newPhone().slice(1),
        bsuid: null,
        parentBsuid: null,
        profileName: 'Ines',
        username: null,
      },
      content,
      replyTo: null,
      forwarded: 'no' as const,
      referredProduct: null,
      referral: null,
      senderSid,
      wabaSid: waba.sid,
      ...more,
    }),
    receive: (...items: Routed<InboundMessage>[]) => write((t) => receiveMessages(t, items)),
    async state(sid: string) {
      const [row] = await app.sql('select * from message_states where sid = $1', [sid]);
      assert.ok(row, `no message ${sid}`);
      return row;
    },
    /** The events about a resource, or of the whole account, oldest first. */
    async events(sid?: string) {
      return app.sql<{ type: string; data: Record<string, unknown> }>(
        `select type, data from events where account_sid = $1 and ($2::text is null or resource_sid = $2)
          order by sequence`,
        [accountSid, sid ?? null],
      );
    },
    /** What is held for a message, and what was taken for it. */
    async money(sid: string) {
      const [row] = await app.sql<{ state: string; final: string | null }>(
        'select state, final_minor as final from message_holds where message_sid = $1',
        [sid],
      );
      return row && [row.state, row.final];
    },
  };
}

async function accept(t: TenantTx, given: Accepted & { senderSid: string }): Promise<string> {
  const sid = newSid('SM', t.now);
  const {
    to = newPhone(),
    type = 'text',
    category = 'service',
    priority = 1,
    estimateMinor = 5_000n,
  } = given;
  const phone = { identifierType: 'phone_e164', value: to, scopeRef: null } as const;
  const known = (await findAddressees(t, [phone]))(phone);
  const contactSid = known ?? (await contactsFor(t, { consentsOf }, [phone]))[0];
  const dueAt = given.sendAt ?? t.now;
  const status = given.status ?? (given.sendAt ? 'scheduled' : 'queued');
  const waiting = ranks[status] === 0;
  await t.run(sql`
    insert into messages (account_sid, livemode, sid, direction, type, category, transport, sender_sid, contact_sid,
      identifier_type, address, content, extras, priority, send_at, expires_at, defer_if_capped, currency, scale,
      estimate_minor, estimate_pricing_type, market, rate_card_version, partner_billed, created_by, created_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, 'outbound', ${type}, ${category}, 'cloud_api', ${given.senderSid},
      ${contactSid}, 'phone_e164', ${to}, ${JSON.stringify(given.content ?? { body: 'Hello' })}::json,
      ${JSON.stringify(given.context ? { context: given.context } : {})}::json, ${priority}, ${given.sendAt ?? null},
      ${given.expiresAt ?? null}, ${given.deferIfCapped ?? false}, 'USD', 6, ${estimateMinor.toString()}::bigint,
      'REGULAR', 'FR', ${given.rateCardVersion ?? 1}, ${given.partnerBilled ?? null}, 'test', ${t.now})`);
  await t.run(sql`
    insert into message_states (account_sid, livemode, sid, sender_sid, status, rank, waiting, due_at, turn_at,
      expires_at, attempts, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${given.senderSid}, ${status}, ${ranks[status]}, ${waiting},
      ${dueAt}, ${turnAt(dueAt, priority)}, ${given.expiresAt ?? null}, ${waiting ? 0 : 1}, ${t.now})`);
  await hold(t, [{ messageSid: sid, amountMinor: estimateMinor }]);
  if (waiting) await wakeLanes(t, new Map([[given.senderSid, dueAt]]));
  return sid;
}

type Sent = { connection: Connection; message: OutboundMessage };

/** A provider that notes what it is handed and answers as it is told; it accepts everything by default. */
export function fakeProvider() {
  const sent: Sent[] = [];
  const provider = {
    sent,
    /** Our SIDs in the order in which they were handed over. */
    sids: () => sent.map(({ message }) => message.opaque),
    answer: async ({ message }: Sent): Promise<Answered<ProviderAccepted>> => accepted(message.opaque),
  };
  const send = async (connection: Connection, message: OutboundMessage) => {
    sent.push({ connection, message });
    return provider.answer({ connection, message });
  };
  return Object.assign(provider, { port: { send } as unknown as Provider });
}

export const accepted = (sid: string): Answered<ProviderAccepted> => ({
  ok: true,
  value: { providerMessageId: `wamid.${sid}`, waId: null, bsuid: null, messageStatus: null },
});

export const failing = (code: ProviderFailure['code'], more: Partial<ProviderFailure> = {}) => ({
  ok: false as const,
  failure: {
    code,
    retryable: false,
    providerCode: 131_000,
    providerSubcode: null,
    reason: 'So it was',
    retryAfterMs: null,
    ...more,
  },
});

type Dispatching = { provider: { port: Provider } } & Parameters<typeof createDispatcher>[1];

// A machine that is busy with other tests leaves no message behind.
const unhurried = { lingerMs: 0, beginWithinMs: Number.POSITIVE_INFINITY };

/** A dispatcher as a worker process of its own would run it; `run` looks once and waits until nothing is left to do. */
export async function dispatcherOf(app: TestApp, { provider, ...options }: Dispatching) {
  const processId = newUuid(app.clock.now());
  const live = (beat: string) =>
    app.sql(
      `insert into processes (id, role, host, pid, beat_at) values ($1, 'worker', 'test', 1, ${beat})
       on conflict (id) do update set beat_at = excluded.beat_at`,
      [processId],
    );
  await live("now() + interval '1 day'");
  const dispatcher = createDispatcher(
    {
      database: app.database,
      sealer: app.sealer,
      site: () => app.site(),
      now: () => app.clock.now(),
      log: silentLog,
      ports: { provider: provider.port } as unknown as Ports,
      processId,
      metrics: createMetrics(),
      tracing: noTracing,
      signal: new AbortController().signal,
    },
    { ...unhurried, ...options },
  );
  return {
    ...dispatcher,
    processId,
    /** What the others see when a process is killed: it beats no more. */
    die: () => live("now() - interval '1 minute'"),
    async run() {
      await dispatcher.look();
      await dispatcher.settled();
      await until('every lane is given back', () => dispatcher.held() === 0);
    },
  };
}

/** A claim of a message to this number stops after its last look and before its commit, until the rows are released. */
export async function stopClaimsOf(app: TestApp, { accountSid, senderSid }: Messages, to: string) {
  await app.sql(
    `insert into pair_rates (account_sid, livemode, sender_sid, address, free_at) values ($1, false, $2, $3, $4)`,
    [accountSid, senderSid, to, app.clock.now()],
  );
  return lockRows(app, `pair_rates where address = '${to}'`);
}
