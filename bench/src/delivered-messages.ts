// Many messages that were delivered long ago.
import type pg from 'pg';
import { firstSid } from '../../server/src/platform/ids.ts';

export type Seed = { accountSid: string; count: number; from: Date; to: Date };

/** Delivered messages, spread over a time, written past the service. */
export async function seedDelivered(
  client: pg.Client,
  { accountSid, count, from, to }: Seed,
): Promise<string> {
  const { rows } = await client.query(
    'select sid from senders where account_sid = $1 and not livemode limit 1',
    [accountSid],
  );
  const sender: string = rows[0].sid;
  const batch = 10_000;
  for (let done = 0; done < count; done += batch) {
    const here = Math.min(batch, count - done);
    const times = Array.from(
      { length: here },
      (_, i) => from.getTime() + ((to.getTime() - from.getTime()) * (done + i)) / count,
    );
    // SIDs begin with their time, and end here with a number.
    const sids = times.map(
      (at, i) => firstSid('SM', new Date(at)).slice(0, 18) + String(done + i).padStart(10, '0'),
    );
    const instants = times.map((at) => new Date(at).toISOString());
    await client.query(
      `with item as (select * from unnest($3::text[], $4::timestamptz[]) as item (sid, at)),
       messages as (
         insert into messages (account_sid, livemode, sid, direction, type, category, transport, sender_sid, contact_sid, identifier_type,
           address, content, extras, currency, scale, estimate_minor, estimate_pricing_type, market, rate_card_version, created_by, created_at)
         select $1, false, sid, 'outbound', 'template', 'utility', 'cloud_api', $2, 'CT', 'phone_e164',
           '+336' || right(sid, 8), '{}', '{}', 'USD', 6, 4000, 'REGULAR', 'FR', 1, 'bench', at from item)
       insert into message_states (account_sid, livemode, sid, sender_sid, status, rank, waiting, attempts, final_minor, pricing_type, sent_at,
         delivered_at, updated_at)
       select $1, false, sid, $2, 'delivered', 30, false, 1, 4000, 'REGULAR', at, at, at from item`,
      [accountSid, sender, sids, instants],
    );
  }
  await client.query('analyze messages');
  await client.query('analyze message_states');
  return sender;
}
