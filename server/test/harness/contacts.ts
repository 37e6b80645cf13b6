// Contacts and what belongs to them, in few words: for tests that tell stories about them.
import assert from 'node:assert/strict';
import { newPhone } from '../../src/modules/contacts/fixtures.ts';
import { lockSurvivor } from '../../src/modules/contacts/index.ts';
import { openWindows } from '../../src/modules/conversations/index.ts';
import { insertSender } from '../../src/modules/senders/fixtures.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import { systemPrincipal } from '../../src/platform/principal.ts';
import type { Reply, TestApp } from './app.ts';

export const phone = (value = newPhone()) => ({ identifierType: 'phone_e164', value });

const good = (reply: Reply, ...statuses: number[]) => {
  assert.ok(statuses.includes(reply.status), reply.text);
  return reply.body;
};

export type People = ReturnType<typeof peopleOf>;

export function peopleOf(app: TestApp) {
  const { at } = app;
  return {
    async contact(body: object = {}) {
      return good(await app.post(`${at}/contacts`, { identifiers: [phone()], ...body }), 200, 201);
    },
    async read(sid: string) {
      return good(await app.get(`${at}/contacts/${sid}`), 200);
    },
    async consent(sid: string, body: object = {}) {
      const defaults = { purpose: 'MARKETING', source: 'FORM', status: 'OPTED_IN' };
      return good(await app.post(`${at}/contacts/${sid}/consents`, { ...defaults, ...body }), 201);
    },
    async consents(sid: string) {
      return good(await app.get(`${at}/contacts/${sid}/consents?limit=100`), 200).data;
    },
    async suppress(sid: string, body: object = {}) {
      const defaults = { reason: 'CUSTOMER_OPT_OUT', scope: 'MARKETING', source: 'test' };
      return good(await app.post(`${at}/contacts/${sid}/suppressions`, { ...defaults, ...body }), 201);
    },
    async suppressions(sid: string) {
      return good(await app.get(`${at}/contacts/${sid}/suppressions?limit=100`), 200).data;
    },
    async merge(survivor: string, merged: string) {
      const body = { mergeContactSid: merged, reason: 'The same person' };
      return good(await app.post(`${at}/contacts/${survivor}/merge`, body), 200);
    },
    revert: (mergeId: string) => app.post(`${at}/contacts/merges/${mergeId}/revert`),
    async window(sender: string, sid: string) {
      return good(await app.get(`${at}/senders/${sender}/contacts/${sid}/window`), 200);
    },
    sender: () => insertSender(app, { accountSid: app.accountSid, livemode: false }),
    /** The contact wrote to the sender: by default now. */
    async inbound(sender: string, sid: string, when = app.clock.now(), { referred = false } = {}) {
      const requestContext = {
        principal: systemPrincipal('test', false),
        now: app.clock.now(),
        requestId: 'test',
        log: silentLog,
      };
      await app.database.write({ accountSid: app.accountSid, livemode: false }, requestContext, async (t) => {
        const contactSid = await lockSurvivor(t, sid);
        await openWindows(t, [{ senderSid: sender, contactSid, at: when, referred }]);
      });
    },
  };
}

/** All that can be seen of a contact but the instant of its last change. */
export async function portrait(app: TestApp, sid: string, sender?: string) {
  const people = peopleOf(app);
  const { updatedAt: _, ...contact } = await people.read(sid);
  return {
    contact,
    consents: await people.consents(sid),
    suppressions: await people.suppressions(sid),
    ...(sender && { window: await people.window(sender, sid) }),
  };
}

export function refused(reply: Reply, status: number, code: string, path?: string): void {
  assert.deepEqual([reply.status, reply.body?.error?.code], [status, code], reply.text);
  if (path === undefined) return;
  const paths = (reply.body.error.details ?? []).map((detail: { path: string }) => detail.path);
  assert.ok(paths.includes(path), `${path} is not among ${paths.join(', ')}: ${reply.text}`);
}
