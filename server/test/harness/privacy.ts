// What people ask for about their data, in few words: asked for by an owner of the account with a second factor.
import assert from 'node:assert/strict';
import type { Reply, TestApp } from './app.ts';
import { type Person, person } from './people.ts';

export type Privacy = ReturnType<typeof privacyOf>;

/** Of the app's account, or of another. */
export function privacyOf(
  app: TestApp,
  { accountSid, livemode }: { accountSid: string; livemode: boolean } = {
    accountSid: app.accountSid,
    livemode: false,
  },
) {
  const all = `/v1/accounts/${accountSid}/privacy/requests`;
  let owner: Promise<Person> | undefined;
  const by = () => {
    owner ??= person(app, { accountSid, livemode });
    return owner;
  };
  /** A session ends when the clock moves far; the person stays. */
  const confirmed = async (action: string) => {
    const them = await by();
    const { headers } = await them.signInAgain();
    return { headers, stepUpToken: await them.stepUp(action, headers) };
  };
  const accepted = (reply: Reply, status: number) => {
    assert.equal(reply.status, status, reply.text);
    return reply.body;
  };
  const privacy = {
    all,
    owner: by,
    confirmed,
    /** Asked for, whatever comes of it. */
    async ask(kind: string, subject: unknown, more: object = {}): Promise<Reply> {
      const { headers, stepUpToken } = await confirmed('PRIVACY_REQUEST_CREATE');
      return app.post(all, { kind, reason: 'They wrote to us', subject, stepUpToken, ...more }, headers);
    },
    asked: async (kind: string, subject: unknown, more: object = {}) =>
      accepted(await privacy.ask(kind, subject, more), 202),
    restrict: (contactSid: string) => privacy.asked('RESTRICTION', { contactSid }),
    async lift(sid: string): Promise<Reply> {
      const { headers, stepUpToken } = await confirmed('PRIVACY_RESTRICTION_LIFT');
      return app.post(`${all}/${sid}/lift-restriction`, { reason: 'It is settled', stepUpToken }, headers);
    },
    lifted: async (sid: string) => accepted(await privacy.lift(sid), 200),
    withdraw: async (sid: string) =>
      app.post(`${all}/${sid}/withdraw`, undefined, (await by().then((one) => one.signInAgain())).headers),
    get: async (sid: string) =>
      accepted(await app.get(`${all}/${sid}`, (await by().then((one) => one.signInAgain())).headers), 200),
  };
  return privacy;
}
