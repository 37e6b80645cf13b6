// When an event happened: at the provider's instant where it tells one, and never after we heard of it.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Messages, messagesOf } from '../../../../test/harness/messages.ts';
import { wabaHooks } from '../../../main/hooks.ts';
import { applyUserPreferences } from '../../consent/index.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import type { AccountUpdate, PhoneNumberUpdate, TemplateUpdate } from '../../provider/index.ts';
import { applyPhoneNumberUpdates } from '../../senders/index.ts';
import { applyTemplateUpdates, templatesListed } from '../../templates/index.ts';
import { applyAccountUpdates } from '../../wabas/index.ts';

let app: TestApp;
let messages: Messages;
let headers: object;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  messages = await messagesOf(app);
  headers = bearer((await app.key(['webhooks:read'], { accountSid: messages.accountSid })).key);
});

const ago = (seconds: number) => new Date(app.clock.now().getTime() - seconds * 1000);

/** The last event of a type, as its account reads it. */
async function last(type: string): Promise<{ occurredAt: string; createdAt: string }> {
  const { body } = await app.get(`/v1/accounts/${messages.accountSid}/events?type=${type}&limit=1`, headers);
  assert.equal(body.data?.length, 1, `${type}: ${JSON.stringify(body)}`);
  return body.data[0];
}

async function happened(type: string, at: Date): Promise<void> {
  const { occurredAt, createdAt } = await last(type);
  assert.deepEqual([occurredAt, createdAt], [at.toISOString(), app.clock.now().toISOString()], type);
}

suite('an event happened when the provider says, and was made when we heard of it', () => {
  test('for every status of a message', async () => {
    const sid = await messages.accepted({ status: 'sending' });
    for (const [status, seconds] of [
      ['sent', 90],
      ['delivered', 60],
      ['read', 30],
    ] as const) {
      await messages.apply(messages.status(sid, status, { occurredAt: ago(seconds) }));
      await happened(`message.${status}`, ago(seconds));
    }
    const failing = await messages.accepted({ status: 'sending' });
    await messages.apply(messages.status(failing, 'failed', { occurredAt: ago(20) }));
    await happened('message.failed', ago(20));
  });

  test('for what people write, with the conversation it opens and the opt-out it means', async () => {
    const from = {
      waId: newPhone().slice(1),
      bsuid: null,
      parentBsuid: null,
      profileName: null,
      username: null,
    };
    await messages.receive(messages.inbound({ type: 'text', body: 'STOP' }, { from, occurredAt: ago(300) }));
    for (const type of ['message.received', 'conversation.opened', 'suppression.created', 'consent.recorded'])
      await happened(type, ago(300));
    await messages.receive(messages.inbound({ type: 'text', body: 'START' }, { from, occurredAt: ago(200) }));
    for (const type of ['suppression.removed', 'consent.recorded']) await happened(type, ago(200));
  });

  test('for a preference told to the provider', async () => {
    const user = { waId: newPhone().slice(1), bsuid: null, parentBsuid: null };
    const said = { user, profileName: null, category: 'marketing_messages', detail: null };
    const { senderSid, wabaSid } = messages;
    for (const [value, seconds, type] of [
      ['stop', 500, 'suppression.created'],
      ['resume', 400, 'suppression.removed'],
    ] as const) {
      const item = { ...said, value, occurredAt: ago(seconds), senderSid, wabaSid };
      await messages.write((t) => applyUserPreferences(t, [item]));
      for (const one of [type, 'consent.recorded']) await happened(one, ago(seconds));
    }
  });

  test('for templates, numbers and business accounts', async () => {
    const { wabaSid, senderSid } = messages;
    const routed = { wabaSid, senderSid: null, occurredAt: ago(700) };
    const template = {
      id: '770011223344',
      name: 'order_update',
      language: 'en',
      category: 'UTILITY',
      status: 'APPROVED',
      components: [{ type: 'BODY', text: 'Hello' }],
      parameterFormat: 'POSITIONAL' as const,
      qualityScore: null,
      rejectedReason: null,
    };
    await messages.write((t) => templatesListed(t, wabaSid, [template]));
    await happened('template.created', app.clock.now());
    app.clock.advance(1_000_000);
    const named = { templateId: template.id, name: template.name, language: template.language };
    const paused = {
      ...named,
      ...routed,
      kind: 'quality',
      previous: null,
      current: 'RED',
      occurredAt: ago(700),
    };
    await messages.write((t) => applyTemplateUpdates(t, [paused as TemplateUpdate & typeof routed]));
    await happened('template.updated', ago(700));

    const [sender] = await app.sql<{ phone: string }>(
      'select phone_number as phone from senders where sid = $1',
      [senderSid],
    );
    const update = {
      displayPhoneNumber: sender!.phone,
      kind: 'quality',
      event: 'FLAGGED',
      messagingLimit: null,
    };
    const flagged = { ...routed, ...update, occurredAt: ago(600) };
    await messages.write((t) => applyPhoneNumberUpdates(t, [flagged as PhoneNumberUpdate & typeof routed]));
    await happened('sender.updated', ago(600));

    const about = {
      field: 'account_update',
      banState: null,
      restrictions: [],
      messagingLimit: null,
      value: {},
    };
    const tell = (event: string, at: Date, more: Partial<AccountUpdate> = {}) =>
      messages.write((t) =>
        applyAccountUpdates(wabaHooks)(t, [{ ...about, ...routed, event, ...more, occurredAt: at }]),
      );
    await tell('DISABLED_UPDATE', ago(500), { banState: 'DISABLE' });
    await happened('waba.updated', ago(500));
    await tell('PARTNER_REMOVED', ago(400));
    for (const type of ['waba.disconnected', 'sender.disconnected']) await happened(type, ago(400));
  });
});

test('an instant that has not come yet is taken for now', async () => {
  for (const ahead of [3, 3_000_000_000]) {
    await messages.receive(messages.inbound({ type: 'text', body: 'Hi' }, { occurredAt: ago(-ahead) }));
    await happened('message.received', app.clock.now());
  }
});
