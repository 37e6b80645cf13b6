import { cameToBe, type Person, type Store, untilFew } from '../../platform/belongings.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { forgetDetails } from '../audit/index.ts';
import { copyOfBlocks, copyOfConsents, copyOfSuppressions } from './copies.ts';

const theirs = (
  t: TenantTx,
  { family }: Person,
) => sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}
  and contact_sid = any (${family}::text[])`;

export const consentBelongings: Store[] = [
  {
    name: 'consents',
    copy: copyOfConsents,
    within: cameToBe((t, person) => sql`select created_at from consents where ${theirs(t, person)}`),
    kept: 'Who agreed to what and when, without words: proof of consent (GDPR Art. 7(1), 17(3)(e)).',
    async erase(t, person, { after, limit }) {
      const rows = await t.many<{ sid: string; sequence: string }>(sql`
        select sid, sequence from consents
         where ${theirs(t, person)} and sequence > ${after ?? '0'}::bigint order by sequence limit ${limit}`);
      const erased = await forgetDetails(
        t,
        'consent',
        rows.map(({ sequence }) => sequence),
      );
      return {
        rows: erased,
        next: rows.length < limit ? null : rows.at(-1)!.sequence,
        resources: rows.map(({ sid }) => sid),
      };
    },
  },
  {
    name: 'consent_states',
    erase: async (t, person) => ({
      rows: await t.run(sql`delete from consent_states where ${theirs(t, person)}`),
      next: null,
    }),
  },
  {
    name: 'suppressions',
    copy: copyOfSuppressions,
    within: cameToBe((t, person) => sql`select created_at from suppressions where ${theirs(t, person)}`),
    async erase(t, person, page) {
      const rows = await t.many<{ sid: string }>(sql`
        delete from suppressions
         where ${theirs(t, person)} and sid = any (array(
           select sid from suppressions where ${theirs(t, person)} limit ${page.limit}))
        returning sid`);
      return untilFew(
        rows.length,
        page,
        rows.map(({ sid }) => sid),
      );
    },
  },
  {
    name: 'provider_blocks',
    copy: copyOfBlocks,
    within: cameToBe((t, person) => sql`select created_at from provider_blocks where ${theirs(t, person)}`),
    erase: async (t, person) => ({
      rows: await t.run(sql`delete from provider_blocks where ${theirs(t, person)}`),
      next: null,
    }),
  },
];
