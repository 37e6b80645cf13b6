// What happens in the service, and who finds it in their notifications.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { wabaHooks } from '../../src/main/hooks.ts';
import type { AccountUpdate, PhoneNumberUpdate, TemplateUpdate } from '../../src/modules/provider/index.ts';
import { applyPhoneNumberUpdates } from '../../src/modules/senders/index.ts';
import { applyTemplateUpdates, templatesListed } from '../../src/modules/templates/index.ts';
import { applyAccountUpdates } from '../../src/modules/wabas/index.ts';
import { suspendIfDead } from '../../src/modules/webhooks/endpoints/suspension.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type Desk, deskOf } from '../harness/inboxes.ts';
import { write } from '../harness/jobs.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { type Messages, messagesOf } from '../harness/messages.ts';
import { type Person, person } from '../harness/people.ts';
import { createEndpoint } from '../harness/webhooks.ts';

let app: TestApp;
let messages: Messages;
let desk: Desk;
let owner: Person;
let developer: Person;
let compliance: Person;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  messages = await messagesOf(app);
  desk = deskOf(app);
  owner = await person(app);
  developer = await person(app, { roles: ['DEVELOPER'], factor: 'none' });
  compliance = await person(app, { roles: ['COMPLIANCE_MANAGER'], factor: 'none' });
});

type Item = { category: string; type: string; resource: string; count: number };

/** What somebody is told of one thing, newest first: its category, type and how often. */
async function toldOf(who: { headers: object; accountSid?: string }, resource: string): Promise<string[]> {
  const { accountSid = app.accountSid } = who;
  const reply = await app.get(`/v1/accounts/${accountSid}/notifications?limit=100`, who.headers);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data
    .filter((item: Item) => item.resource === resource)
    .map(({ category, type, count }: Item) => `${category} ${type} ${count}`);
}

test("an account begins with nothing to be told: the keys it is made with are nobody's news", async () => {
  const { accountSid } = await app.newAccount();
  assert.equal(await app.count(`notifications where account_sid = '${accountSid}'`), 0);
  assert.equal(
    await app.count(`audit_entries where account_sid = '${accountSid}' and action = 'api_key.created'`),
    2,
  );
});

test('a key is told of to those who watch over the account, and to nobody who only builds on it', async () => {
  const { id } = await app.key(['contacts:read']);
  for (const who of [owner, compliance])
    assert.deepEqual(await toldOf(who, id), ['security api_key.created 1']);
  assert.deepEqual(await toldOf(developer, id), []);
});

test('a request to become an owner waits for owners, and its end is told to the watchful', async () => {
  const [second, candidate] = [await person(app), await person(app, { roles: ['VIEWER'], factor: 'none' })];
  const admin = await person(app, { roles: ['ADMIN'], factor: 'none' });
  const body = {
    principalType: 'USER',
    principalRef: candidate.userSid,
    role: 'OWNER',
    scopeKind: 'ORGANIZATION',
    stepUpToken: await owner.stepUp('ROLE_BINDING_CREATE'),
  };
  const asked = await app.post(`${app.at}/role-bindings`, body, owner.headers);
  const approvalSid = asked.body.error.details[0].issue;
  assert.deepEqual(await toldOf(second, approvalSid), ['action_required approval.requested 1']);
  assert.deepEqual(await toldOf(admin, approvalSid), [], 'an administrator cannot decide it');
  const approved = await app.post(`${app.at}/approvals/${approvalSid}/approve`, {}, second.headers);
  const bindingId = approved.body.result.id;
  for (const who of [owner, admin, compliance])
    assert.deepEqual(await toldOf(who, bindingId), ['security role_binding.owner_created 1']);
  assert.deepEqual(await toldOf(developer, bindingId), []);
});

test('factors that are taken away are told to the watchful', async () => {
  const them = await person(app, { roles: ['VIEWER'] });
  const stepUpToken = await owner.stepUp('MFA_RESET');
  const at = `${app.at}/identity/users/${them.userSid}/mfa/reset`;
  const reset = await app.post(at, { stepUpToken }, owner.headers);
  assert.equal(reset.status, 200, reset.text);
  assert.deepEqual(await toldOf(compliance, them.userSid), ['security mfa.reset 1']);
});

test('an operation that ends is told to whoever began it', async () => {
  const begun = await app.post(`${app.at}/contacts/export`, { format: 'csv' }, owner.headers);
  assert.equal(begun.status, 202, begun.text);
  const canceled = await app.post(
    `${app.at}/operations/${begun.body.sid}/cancel`,
    undefined,
    developer.headers,
  );
  assert.equal(canceled.status, 200, canceled.text);
  assert.deepEqual(await toldOf(owner, begun.body.sid), ['operation_complete operation.canceled 1']);
  assert.deepEqual(await toldOf(developer, begun.body.sid), []);
});

test('a conversation nobody has is told to its inbox, and one that is given to somebody to them', async () => {
  const inbox = await desk.inbox();
  const [agent, colleague] = [await desk.agent([inbox]), await desk.agent([inbox])];
  const sender = await desk.sender();
  await desk.route(inbox, sender);
  const { sid, version } = await desk.hears(sender);
  for (const who of [agent, colleague])
    assert.deepEqual(await toldOf(who, sid), ['conversation conversation.opened 1']);
  assert.deepEqual(await toldOf(owner, sid), [], 'who is no member is not told');
  const assign = (who: Person, expectedVersion: number, assigneeSid: string | null) =>
    app.post(`${app.at}/conversations/${sid}/assign`, { expectedVersion, assigneeSid }, who.headers);
  app.clock.advance(1_000);
  await assign(colleague, version, agent.userSid);
  assert.deepEqual(await toldOf(agent, sid), [
    'conversation conversation.assigned 1',
    'conversation conversation.opened 1',
  ]);
  assert.deepEqual(await toldOf(colleague, sid), ['conversation conversation.opened 1']);
  await assign(agent, version + 1, null);
  await assign(agent, version + 2, agent.userSid);
  assert.equal(
    (await toldOf(agent, sid))[0],
    'conversation conversation.assigned 1',
    'who takes one knows it',
  );
});

test('a suspended endpoint is told to whoever can repair it', async () => {
  const { sid } = await createEndpoint(app, 'https://example.com/hook');
  const tally = {
    endpointSid: sid,
    succeeded: false,
    failures: 3,
    exhausted: 3,
    firstFailureAt: app.clock.now(),
  };
  await write({ app }, (t) => suspendIfDead(t, [tally]));
  for (const who of [owner, developer])
    assert.deepEqual(await toldOf(who, sid), ['action_required webhook.suspended 1']);
  assert.deepEqual(await toldOf(compliance, sid), []);
});

test('templates, senders and business accounts are told of when they get worse, and not when they recover', async () => {
  const { accountSid, wabaSid, senderSid } = messages;
  const [admin, watcher] = [
    await person(app, { accountSid, roles: ['ADMIN'], factor: 'none' }),
    await person(app, { accountSid, roles: ['DEVELOPER'], factor: 'none' }),
  ];
  const at = () => {
    app.clock.advance(1_000);
    return { wabaSid, senderSid: null, occurredAt: app.clock.now() };
  };
  const template = {
    id: '770011223355',
    name: 'order_update',
    language: 'en',
    category: 'UTILITY',
    status: 'PENDING',
    components: [{ type: 'BODY', text: 'Hello' }],
    parameterFormat: 'POSITIONAL' as const,
    qualityScore: null,
    rejectedReason: null,
  };
  await messages.write((t) => templatesListed(t, wabaSid, [template]));
  const [row] = await app.sql<{ sid: string }>('select sid from templates where provider_template_id = $1', [
    template.id,
  ]);
  for (const event of ['APPROVED', 'PAUSED', 'PAUSED', 'REJECTED']) {
    const named = { templateId: template.id, name: template.name, language: template.language };
    const update = { ...named, kind: 'status', event, category: null, reason: null, title: null, ...at() };
    await messages.write((t) =>
      applyTemplateUpdates(t, [update as never as TemplateUpdate & ReturnType<typeof at>]),
    );
  }
  assert.deepEqual(await toldOf(admin, row!.sid), [
    'template_status template.rejected 1',
    'template_status template.paused 1',
    'template_status template.approved 1',
  ]);

  const [sender] = await app.sql<{ phone: string }>(
    'select phone_number as phone from senders where sid = $1',
    [senderSid],
  );
  for (const event of ['FLAGGED', 'UNFLAGGED', 'THROUGHPUT_UPGRADE', 'FLAGGED']) {
    const update = {
      displayPhoneNumber: sender!.phone,
      kind: 'quality',
      event,
      messagingLimit: null,
      ...at(),
    };
    await messages.write((t) =>
      applyPhoneNumberUpdates(t, [update as never as PhoneNumberUpdate & ReturnType<typeof at>]),
    );
  }
  assert.deepEqual(await toldOf(admin, senderSid), ['sender_health sender.stopped 2']);

  const says = (event: string, more: Partial<AccountUpdate> = {}) => {
    const about = {
      field: 'account_update',
      banState: null,
      restrictions: [],
      messagingLimit: null,
      value: {},
    };
    return messages.write((t) => applyAccountUpdates(wabaHooks)(t, [{ ...about, event, ...more, ...at() }]));
  };
  const restrictions = [{ type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiresAt: null }];
  await says('ACCOUNT_RESTRICTION', { restrictions });
  await says('ACCOUNT_RESTRICTION', { restrictions });
  await says('DISABLED_UPDATE', { banState: 'SCHEDULE_FOR_DISABLE' });
  await says('DISABLED_UPDATE', { banState: 'DISABLE' });
  await says('DISABLED_UPDATE', { banState: 'REINSTATE' });
  await says('PARTNER_REMOVED');
  assert.deepEqual(await toldOf(admin, wabaSid), [
    'sender_health waba.disconnected 1',
    'sender_health waba.disabled 1',
    'sender_health waba.ban_scheduled 1',
    'sender_health waba.restricted 1',
  ]);
  assert.deepEqual(await toldOf(admin, senderSid), [
    'sender_health sender.disconnected 1',
    'sender_health sender.stopped 2',
  ]);
  for (const resource of [row!.sid, senderSid, wabaSid])
    assert.deepEqual(await toldOf(watcher, resource), []);
});
