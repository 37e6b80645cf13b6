// Inboxes, the people who answer in them and the customers who write, in few words: for tests that tell stories of them.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { newPhone } from '../../src/modules/contacts/fixtures.ts';
import { receiveMessages } from '../../src/modules/messages/index.ts';
import type { InboundMessage, Routed } from '../../src/modules/provider/index.ts';
import { randomToken } from '../../src/platform/ids.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import { systemPrincipal } from '../../src/platform/principal.ts';
import type { Reply, TestApp } from './app.ts';
import { type Person, person } from './people.ts';

const good = (reply: Reply) => {
  assert.ok(reply.status < 300, reply.text);
  return reply.body;
};

export type Desk = ReturnType<typeof deskOf>;

/** The desk of the app's own account, in its sandbox. */
export function deskOf(app: TestApp) {
  const { at } = app;

  const bind = (inboxSid: string, userSid: string, role = 'AGENT') =>
    app.sql(
      `insert into role_bindings (id, organization_id, account_sid, inbox_sid, principal_type, principal_ref, role,
         scope_kind, environment, created_by, created_at)
       select $1, organization_id, sid, $3, 'USER', $4, $5, 'INBOX', 'sandbox', 'system:test', $6
         from accounts where sid = $2`,
      [randomUUID(), app.accountSid, inboxSid, userSid, role, app.clock.now()],
    );

  const desk = {
    async inbox(name = 'Orders'): Promise<string> {
      return good(await app.post(`${at}/inboxes`, { name })).sid;
    },
    async sender(): Promise<string> {
      const { data } = good(await app.get(`${at}/senders`));
      return data.find(({ wabaSid }: { wabaSid: string | null }) => wabaSid !== null).sid;
    },
    route: async (inboxSid: string, senderSid: string) =>
      good(await app.put(`${at}/inboxes/${inboxSid}/senders/${senderSid}`)),
    bind,
    join: async (inboxSid: string, userSid: string) =>
      good(await app.put(`${at}/inboxes/${inboxSid}/members/${userSid}`)),
    /** Somebody who answers in these inboxes and may do nothing else. */
    async agent(inboxSids: string[], role = 'AGENT'): Promise<Person> {
      const them = await person(app, { roles: [], factor: 'none' });
      for (const inboxSid of inboxSids) {
        await bind(inboxSid, them.userSid, role);
        await desk.join(inboxSid, them.userSid);
      }
      return them;
    },
    /** Each of these customers writes the same, all at once. */
    async hearsAll(senderSid: string, waIds: string[], body: string): Promise<void> {
      const items = waIds.map(
        (waId): Routed<InboundMessage> => ({
          providerMessageId: `wamid.in.${randomToken(8)}`,
          occurredAt: app.clock.now(),
          from: { waId, bsuid: null, parentBsuid: null, profileName: 'Ines', username: null },
          content: { type: 'text', body },
          replyTo: null,
          forwarded: 'no',
          referredProduct: null,
          referral: null,
          senderSid,
          wabaSid: null,
        }),
      );
      const requestContext = {
        principal: systemPrincipal('test', false),
        now: app.clock.now(),
        requestId: 'test',
        log: silentLog,
      };
      await app.database.write({ accountSid: app.accountSid, livemode: false }, requestContext, (t) =>
        receiveMessages(t, items),
      );
    },
    /** A customer writes; answers with the conversation. */
    async hears(senderSid: string, waId = newPhone().slice(1), body = 'Hello') {
      await desk.hearsAll(senderSid, [waId], body);
      const [row] = await app.sql<{ sid: string }>(
        `select c.sid from conversations c join contact_identifiers i using (account_sid, contact_sid)
          where c.account_sid = $1 and c.merged_into is null and i.value = $2 and c.sender_sid = $3`,
        [app.accountSid, `+${waId}`, senderSid],
      );
      return desk.conversation(row!.sid);
    },
    async conversation(sid: string, who: object = {}) {
      return good(await app.get(`${at}/conversations/${sid}`, who));
    },
    claim: (sid: string, { headers }: { headers: object }, body: object = {}) =>
      app.post(`${at}/conversations/${sid}/composer-claim`, body, headers),
    async token(sid: string, who: { headers: object }): Promise<string> {
      return good(await desk.claim(sid, who)).composerClaimToken;
    },
  };
  return desk;
}
