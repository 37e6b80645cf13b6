import { cameToBe, type Person, type Store } from '../../platform/belongings.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { changeOf, storeChanges } from './conversation-changes.ts';
import { columnsAt } from './conversations.ts';
import { copyOfConversations, copyOfWindows } from './copies.ts';
import type { Conversation } from './schema.ts';

const theirs = (
  t: TenantTx,
  { family }: Person,
) => sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}
  and contact_sid = any (${family}::text[])`;

export const conversationBelongings: Store[] = [
  {
    name: 'conversations',
    copy: copyOfConversations,
    within: cameToBe((t, person) => sql`select created_at from conversations where ${theirs(t, person)}`),
    kept: 'Which sender and which contact spoke, by SID and instants, because messages refer to it (GDPR Art. 17(3)(b)).',
    async erase(t, person, { after, limit }) {
      const found = await t.many<Conversation>(sql`
        select ${columnsAt(t.now)} from conversations c
         where ${theirs(t, person)} and sid > ${after ?? ''} order by sid limit ${limit} for no key update`);
      const open = found.flatMap((conversation) => changeOf({ kind: 'close' }, conversation, t.now) ?? []);
      await storeChanges(
        t,
        open.map((change) => ({ change, by: t.principal })),
      );
      const resources = found.map(({ sid }) => sid);
      return { rows: open.length, next: found.length < limit ? null : resources.at(-1)!, resources };
    },
  },
  {
    name: 'composer_claims',
    erase: async (t, person) => ({
      rows: await t.run(sql`
        delete from composer_claims
         where account_sid = ${t.accountSid} and livemode = ${t.livemode}
           and conversation_sid in (select sid from conversations where ${theirs(t, person)})`),
      next: null,
    }),
  },
  {
    name: 'service_windows',
    copy: copyOfWindows,
    erase: async (t, person) => ({
      rows: await t.run(sql`delete from service_windows where ${theirs(t, person)}`),
      next: null,
    }),
  },
];
