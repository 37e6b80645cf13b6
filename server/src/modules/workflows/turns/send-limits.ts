// How much workflows may write to one contact, whichever they are: two that answer each other, or one that talks to a machine, end here.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { lastWordsOf } from '../../conversations/index.ts';

const minuteMs = 60 * 1000;
const hourMs = 60 * minuteMs;
export const maxSendsPerHour = 120;
export const maxUnanswered = 5;

export type Limit = { most: number; within: string };

/** Tells the limit the next send to a contact would meet; each that is allowed counts for the next. */
export async function sendLimits(
  t: TenantTx,
  contactSids: readonly string[],
): Promise<(contactSid: string) => Limit | null> {
  if (contactSids.length === 0) return () => null;
  const [rows, words] = await Promise.all([
    t.many<{ contactSid: string; sentAt: string }>(sql`
      select contact_sid as "contactSid", sent_at as "sentAt" from workflow_sends
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${[...contactSids]}::text[])
         and sent_at > ${new Date(t.now.getTime() - hourMs)}`),
    lastWordsOf(t, contactSids),
  ]);
  const sent = Map.groupBy(rows, ({ contactSid }) => contactSid);
  const counts = new Map<string, { hour: number; unanswered: number }>();
  for (const contactSid of contactSids) {
    const times = (sent.get(contactSid) ?? []).map(({ sentAt }) => Date.parse(sentAt));
    const word = words.get(contactSid);
    const since = Math.max(t.now.getTime() - 10 * minuteMs, word ? Date.parse(word) : 0);
    counts.set(contactSid, { hour: times.length, unanswered: times.filter((at) => at > since).length });
  }
  return (contactSid) => {
    const count = counts.get(contactSid)!;
    if (count.hour >= maxSendsPerHour) return { most: maxSendsPerHour, within: 'an hour' };
    if (count.unanswered >= maxUnanswered)
      return { most: maxUnanswered, within: 'ten minutes, without a word from them' };
    count.hour += 1;
    count.unanswered += 1;
    return null;
  };
}

type Sent = { contactSid: string; runSid: string; position: number };

export async function noteSends(t: TenantTx, sent: readonly Sent[]): Promise<void> {
  if (sent.length === 0) return;
  await t.run(sql`
    insert into workflow_sends (account_sid, livemode, contact_sid, run_sid, position, sent_at)
    select ${t.accountSid}, ${t.livemode}, item.contact_sid, item.run_sid, item.position, ${t.now}
      from unnest(${sent.map(({ contactSid }) => contactSid)}::text[], ${sent.map(({ runSid }) => runSid)}::text[],
        ${sent.map(({ position }) => position)}::integer[]) as item (contact_sid, run_sid, position)`);
}
