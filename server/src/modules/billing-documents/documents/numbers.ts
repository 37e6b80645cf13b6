// Numbers without gaps: the next one is taken in the transaction that issues what carries it.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { DocumentKind } from '../document.ts';
import { lockHead } from './chain.ts';

const marks: Record<DocumentKind, string> = {
  invoice: '',
  credit_note: 'CN-',
  receipt: 'RC-',
  statement: 'ST-',
};

/**
 * The next number of a series. Also takes the lock that issuing needs, so whoever locks a wallet asks for the number before:
 * whoever holds a wallet waits for nobody.
 */
export async function nextNumber(t: TenantTx, series: DocumentKind): Promise<string> {
  await lockHead(t);
  const { last } = await t.one<{ last: string }>(sql`
    insert into billing_document_numbers as n (account_sid, livemode, series, last_number)
    values (${t.accountSid}, ${t.livemode}, ${series}, 1)
    on conflict (account_sid, livemode, series) do update set last_number = n.last_number + 1
    returning last_number as last`);
  return numberOf(t, series, last);
}

/** Numbers must differ between accounts: the random half of the account's SID tells them apart, and is half as long. */
export function numberOf(
  { accountSid, livemode }: Pick<TenantTx, 'accountSid' | 'livemode'>,
  series: DocumentKind,
  count: string,
): string {
  return `${livemode ? 'GW' : 'TEST'}-${accountSid.slice(-16)}-${marks[series]}${count.padStart(6, '0')}`;
}
