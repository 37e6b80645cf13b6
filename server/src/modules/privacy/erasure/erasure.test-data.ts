// People with messages, and a way to let their erasure go on step by step.
import assert from 'node:assert/strict';
import { bearer, methodsOf, type TestApp } from '../../../../test/harness/app.ts';
import { peopleOf, phone } from '../../../../test/harness/contacts.ts';
import { runJob } from '../../../../test/harness/jobs.ts';
import { messagesOf } from '../../../../test/harness/messages.ts';
import { privacyOf } from '../../../../test/harness/privacy.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import { erasureOfPerson } from './erase-person.ts';

export const hour = 60 * 60_000;

/** An account of its own, in its sandbox, with somebody who can be erased. */
export async function erasingIn(app: TestApp) {
  const messages = await messagesOf(app);
  const { account, accountSid } = messages;
  const send: TestApp['send'] = (method, path, init = {}) =>
    app.send(method, path, { ...init, headers: { ...bearer(account.sandboxKey), ...init.headers } });
  const at = `/v1/accounts/${accountSid}`;
  const own: TestApp = { ...app, accountSid, at, send, ...methodsOf(send) };
  const people = peopleOf(own);
  const privacy = privacyOf(app, { accountSid, livemode: false });
  const number = newPhone();
  const { sid: contactSid } = await people.contact({
    identifiers: [phone(number)],
    displayName: 'Marguerite Zq',
    attributes: { note: 'zqmarkzq' },
  });
  const rows = <Row extends object>(text: string, values: unknown[] = []) =>
    app.sql<Row & Record<string, unknown>>(text, [accountSid, ...values]);
  const scene = {
    app: own,
    messages,
    people,
    privacy,
    number,
    contactSid,
    rows,
    /** What they wrote, and what was written to them. */
    async talk(times = 1): Promise<string[]> {
      const waId = number.slice(1);
      for (let i = 0; i < times; i += 1)
        await messages.receive(
          messages.inbound(
            { type: 'text', body: `zqmarkzq ${i}` },
            {
              from: { waId, bsuid: null, parentBsuid: null, profileName: 'Marguerite', username: null },
            },
          ),
        );
      const sids = [];
      for (let i = 0; i < times; i += 1) {
        const sid = await messages.accepted({ to: number, status: 'sending', content: { body: 'zqmarkzq' } });
        await messages.apply(messages.status(sid, 'sent'), messages.status(sid, 'delivered'));
        sids.push(sid);
      }
      return sids;
    },
    erase: async () => privacy.asked('ERASURE', { contactSid }),
    /** One run of the operation. */
    run: ({ operationSid }: { operationSid: string }, { simulatedPeople } = app.ports) =>
      runJob({ app, accountSid, ports: { simulatedPeople } }, erasureOfPerson.job, { operationSid }),
    /** From the first step to the last, with the time between. */
    async toEnd(request: { sid: string; operationSid: string }) {
      await scene.run(request);
      assert.equal((await privacy.get(request.sid)).state, 'SETTLING');
      app.clock.advance(26 * hour);
      await scene.run(request);
      const done = await privacy.get(request.sid);
      assert.equal(done.state, 'COMPLETED', JSON.stringify(done));
      return done;
    },
    events: async (type: string) =>
      rows<{ data: Record<string, unknown> }>(
        'select data from events where account_sid = $1 and type = $2 order by sequence',
        [type],
      ),
  };
  return scene;
}
