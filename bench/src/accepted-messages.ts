// Messages as they stand once they were accepted, stored without the request: what comes after acceptance is measured alone.
import { hold } from '../../server/src/modules/billing/index.ts';
import { consentsOf } from '../../server/src/modules/consent/index.ts';
import { contactsFor } from '../../server/src/modules/contacts/index.ts';
import { wakeLanes } from '../../server/src/modules/messages/index.ts';
import type { TenantTx } from '../../server/src/platform/db/database.ts';
import { sql } from '../../server/src/platform/db/query.ts';
import { newSid } from '../../server/src/platform/ids.ts';

const content = JSON.stringify({ name: 'hello_world', language: 'en' });
const estimateMinor = 5_000n;

/** So many utility templates to distinct people, spread over the senders. `dueAt` in the future holds them back. */
export async function acceptMessages(
  t: TenantTx,
  {
    count,
    senderSids,
    firstPerson,
    dueAt,
  }: { count: number; senderSids: string[]; firstPerson: number; dueAt: Date },
): Promise<void> {
  const phones = Array.from({ length: count }, (_, i) => `+336${String(firstPerson + i).padStart(8, '0')}`);
  const contacts = await contactsFor(
    t,
    { consentsOf },
    phones.map((value) => ({ identifierType: 'phone_e164' as const, value, scopeRef: null })),
  );
  const sids = phones.map(() => newSid('SM', t.now));
  const senders = phones.map((_, i) => senderSids[i % senderSids.length]!);
  await Promise.all([
    t.run(sql`
      insert into messages (account_sid, livemode, sid, direction, type, category, transport, sender_sid, contact_sid,
        identifier_type, address, content, extras, priority, currency, scale, estimate_minor, estimate_pricing_type,
        market, rate_card_version, created_by, created_at)
      select ${t.accountSid}, ${t.livemode}, item.sid, 'outbound', 'template', 'utility', 'cloud_api', item.sender,
        item.contact, 'phone_e164', item.phone, ${content}::json, '{}'::json, 1, 'USD', 6,
        ${estimateMinor.toString()}::bigint, 'REGULAR', 'FR', 1, 'bench', ${t.now}
        from unnest(${sids}::text[], ${senders}::text[], ${contacts}::text[], ${phones}::text[])
          as item (sid, sender, contact, phone)`),
    t.run(sql`
      insert into message_states (account_sid, livemode, sid, sender_sid, status, rank, waiting, due_at, turn_at,
        updated_at)
      select ${t.accountSid}, ${t.livemode}, item.sid, item.sender, 'queued', 0, true, ${dueAt}::timestamptz,
        ${dueAt}::timestamptz + interval '5 seconds', ${t.now}
        from unnest(${sids}::text[], ${senders}::text[]) as item (sid, sender)`),
    hold(
      t,
      sids.map((messageSid) => ({ messageSid, amountMinor: estimateMinor })),
    ),
  ]);
  await wakeLanes(t, new Map(senderSids.map((sid) => [sid, dueAt])));
}
