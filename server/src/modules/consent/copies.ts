// What a person is shown of what they agreed to, and of what stands against writing to them.
import { type Copying, copied, type Person } from '../../platform/belongings.ts';
import type { Link } from '../../platform/chain.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { stored, toConsent } from './consents.ts';
import type { Suppression } from './schema.ts';
import { suppressionColumns } from './suppressions.ts';

const theirs = (
  t: TenantTx,
  { family }: Person,
) => sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}
  and contact_sid = any (${family}::text[])`;

export const copyOfConsents: Copying = {
  provided: true,
  purpose: 'To show that the person agreed, or did not, to what is sent to them.',
  source: 'The person, in the way each record names.',
  async page(t, person, page) {
    const rows = await t.many<Link>(sql`
      select ${stored} from consents
       where ${theirs(t, person)} and sequence > ${page.after ?? '0'}::bigint order by sequence limit ${page.limit}`);
    return copied(
      rows.map((row) => {
        const { object: _, accountSid: __, livemode: ___, ledger: ____, ...consent } = toConsent(row);
        return { place: row.sequence, ...consent };
      }),
      page,
    );
  },
};

export const copyOfSuppressions: Copying = {
  purpose: 'To keep to what the person has forbidden.',
  source: 'The person, the provider that carries their messages, and the business, as each record names.',
  async page(t, person, page) {
    const rows = await t.many<Suppression>(sql`
      select ${suppressionColumns(t.now)} from suppressions
       where ${theirs(t, person)} and sid > ${page.after ?? ''} order by sid limit ${page.limit}`);
    return copied(
      rows.map(({ object: _, accountSid: __, livemode: ___, createdBy: ____, liftedBy: _____, ...row }) => ({
        place: row.sid,
        ...row,
      })),
      page,
    );
  },
};

type Block = { senderSid: string; providerUser: string; confirmed: boolean; createdAt: string };

export const copyOfBlocks: Copying = {
  purpose: 'To have the provider, too, keep to what the person has forbidden.',
  source: 'What was forbidden, as told to the provider.',
  async page(t, person, page) {
    const rows = await t.many<Block & { place: string }>(sql`
      select sender_sid || ' ' || provider_user as place, sender_sid as "senderSid", provider_user as "providerUser", confirmed,
        created_at as "createdAt"
        from provider_blocks
       where ${theirs(t, person)} and sender_sid || ' ' || provider_user > ${page.after ?? ''}
       order by 1 limit ${page.limit}`);
    return copied(rows, page);
  },
};
