// Consumers of events: parts of the service that look at every event of the accounts in which they have something to hear for.
// Each has its own cursor and its own loop, so that one that fails or is slow keeps no other back.
import type { Tenant, TenantTx } from '../db/database.ts';
import { eventChannel } from '../events.ts';
import { newRequestId } from '../ids.ts';
import type { Loop, LoopContext, Turns } from '../jobs/claim-loop.ts';
import { systemPrincipal } from '../principal.ts';
import { createWaiter } from '../queue/waiter.ts';
import {
  accountsBehind,
  claimEvents,
  type EventRange,
  hearFromFirst,
  moveCursor,
  nextDueOf,
  putOff,
  restUntil,
} from './cursors.ts';
import { consumerMetrics } from './metrics.ts';

export type EventConsumer = {
  /** By which its cursors are known, for good. */
  name: string;
  /**
   * Handles the events of a range, in the transaction that moves the cursor: all of it is done, or nothing. One that did enough for now
   * says when it wants the next; until then they wait in the log.
   */
  handle(t: TenantTx, range: EventRange): Promise<Date | undefined>;
  /**
   * Hears of every account by itself, from its first event on. `missed` is told, in the transaction that begins, that the log of an
   * account no longer holds that, and the consumer hears from there on.
   */
  everywhere?: { missed(t: TenantTx): void };
  /** How long its turns are apart at the least, where it need not be quick. */
  apartMs?: number;
};

const hearingOf = ({ name, everywhere }: EventConsumer) => ({ name, everywhere: everywhere !== undefined });

export type Measure = {
  /** How many accounts are handled at once, and how many are looked for in a turn. */
  atOnce: number;
  perTurn: number;
  /** How long a turn waits for an account. One that takes longer goes on by itself, and the others have their next turn. */
  waitsMs: number;
};
const measure: Measure = { atOnce: 4, perTurn: 100, waitsMs: 1_000 };

export const consumerLoop = (consumer: EventConsumer): Loop => ({
  name: `events.${consumer.name}`,
  toldOn: [eventChannel],
  nextDue: () => nextDueOf(hearingOf(consumer)),
  apartMs: consumer.apartMs ?? 20,
  begin: (context) => beginConsuming(consumer, context),
});

/** Has the consumer handle what is new in an account, unless somebody else does. Tells whether there is more. */
export async function handleEvents(t: TenantTx, consumer: EventConsumer): Promise<boolean> {
  const { name, handle } = consumer;
  const claimed =
    (await claimEvents(t, name)) ?? ((await begins(t, consumer)) ? await claimEvents(t, name) : null);
  if (!claimed) return false;
  const [again] = await Promise.all([handle(t, claimed.range), moveCursor(t, name, claimed.range)]);
  if (again === undefined || again <= t.now) return claimed.more;
  await restUntil(t, name, again);
  return false;
}

/** Whether the consumer begins with the account here. */
async function begins(t: TenantTx, { name, everywhere }: EventConsumer): Promise<boolean> {
  if (!everywhere) return false;
  const whole = await hearFromFirst(t, name);
  if (whole === false) everywhere.missed(t);
  return whole !== null;
}

/** Handles what is new in all accounts, batch by batch in turn. A turn tells that some may have more. */
export function beginConsuming(
  consumer: EventConsumer,
  context: LoopContext,
  differing: Partial<Measure> = {},
): Required<Pick<Turns, 'turn' | 'end'>> {
  const { atOnce, perTurn, waitsMs } = { ...measure, ...differing };
  const { database, now, log } = context;
  const metrics = consumerMetrics(context.metrics);
  const underWay = new Map<string, Promise<void>>();
  /** Where the last turn stopped: the next begins there, so that no account is passed over for those before it. */
  let after: Tenant | null = null;
  let more = false;

  const requestContext = ({ livemode }: Tenant) => ({
    principal: systemPrincipal(`events.${consumer.name}`, livemode),
    now: now(),
    requestId: newRequestId(),
    log,
  });

  async function handleOne(tenant: Tenant): Promise<void> {
    try {
      if (await database.write(tenant, requestContext(tenant), (t) => handleEvents(t, consumer))) more = true;
    } catch (error) {
      await tellFailure(tenant, error).catch((err) =>
        log.warn({ err, consumer: consumer.name, ...tenant }, 'could not put off events that failed'),
      );
    }
  }

  async function tellFailure(tenant: Tenant, err: unknown): Promise<void> {
    metrics.failures.inc({ consumer: consumer.name });
    const put = await database.write(tenant, requestContext(tenant), (t) => putOff(t, consumer.name));
    log.warn({ err, consumer: consumer.name, ...tenant, ...put }, 'events could not be handled yet');
  }

  async function begin(tenant: Tenant): Promise<void> {
    const key = `${tenant.accountSid} ${tenant.livemode}`;
    if (underWay.has(key)) return;
    if (underWay.size >= atOnce) await Promise.race(underWay.values());
    underWay.set(
      key,
      handleOne(tenant).finally(() => underWay.delete(key)),
    );
  }

  return {
    async turn() {
      const asked = { now: now(), after, most: perTurn };
      const behind = await database.ask<Tenant>(accountsBehind(hearingOf(consumer), asked));
      const isFull = behind.length === perTurn;
      more = isFull || after !== null;
      after = isFull ? behind.at(-1)! : null;
      for (const tenant of behind) await begin(tenant);
      const waiter = createWaiter();
      await Promise.race([Promise.all(underWay.values()).then(waiter.wake), waiter.wait(waitsMs)]);
      return more;
    },
    async end() {
      await Promise.all(underWay.values());
    },
  };
}
