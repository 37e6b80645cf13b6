// An account in use: something of everything the console has a page for, and the addresses of all its pages.
import assert from 'node:assert/strict';
import { fixtures } from '../../../server/src/modules/templates/fixtures.ts';
import type { TestApp } from '../../../server/test/harness/app.ts';
import { peopleOf, phone } from '../../../server/test/harness/contacts.ts';
import { formOf } from '../../../server/test/harness/media.ts';
import { person } from '../../../server/test/harness/people.ts';
import { until } from '../../../server/test/harness/until.ts';
import { createEndpoint } from '../../../server/test/harness/webhooks.ts';
import { tinyPng } from '../../../simulator/test/tiny-files.ts';

export type Furnished = Awaited<ReturnType<typeof furnish>>;

/**
 * Everything has its own second, so that lists have one order, and nothing is drawn by chance but SIDs. Time stands still while
 * something is waited for: how long that takes is to be seen nowhere.
 */
export async function furnish(app: TestApp) {
  const made = async (path: string, body: unknown) => {
    app.clock.advance(1_000);
    const reply = await app.post(`${app.at}/${path}`, body);
    assert.ok(reply.status < 300, reply.text);
    return reply.body;
  };
  const firstOf = async (name: string): Promise<string> =>
    (await app.get(`${app.at}/${name}`)).body.data[0].sid;
  const becomes = (path: string, field: string, value: string) =>
    until(`${path} is ${value}`, async () => {
      await app.simulator.control.advance(0);
      return (await app.get(`${app.at}/${path}`)).body[field] === value;
    });

  const people = peopleOf(app);
  const somebody = async (displayName: string, ...numbers: string[]) => {
    app.clock.advance(1_000);
    return people.contact({ displayName, identifiers: numbers.map((number) => phone(number)) });
  };
  const ines = await somebody('Inès Moreau', '+33612009901');
  await people.consent(ines.sid, { evidence: { wording: 'I want the newsletter' } });
  await people.suppress(ines.sid);
  const other = await somebody('Ines M.', '+33612009902');
  const [jonas, jo] = [await somebody('Jonas', '+4915112009903'), await somebody('Jo', '+4915112009904')];
  app.clock.advance(1_000);
  const { id: merge } = await people.merge(jonas.sid, jo.sid);
  // One card with the numbers of two people: they may be one.
  await somebody('Both of them', '+33612009901', '+33612009902');

  const sender = await firstOf('senders');
  const template = { name: 'hello_world', language: 'en' };
  const { sid: message } = await made('messages', {
    from: sender,
    to: '+33612009901',
    type: 'template',
    template,
  });
  await becomes(`messages/${message}`, 'status', 'read');

  const content = 'phone,displayName\n+33612009905,Lena\nnot a number,Nobody\n';
  const { sid: operation } = await made('contacts/import', { format: 'csv', content });
  await becomes(`operations/${operation}`, 'state', 'SUCCEEDED');

  const { body, type } = formOf(tinyPng, {}, { filename: 'shop.png', mime: 'image/png' });
  const uploaded = await app.send('POST', `${app.at}/media`, { body, headers: { 'content-type': type } });
  const media = uploaded.body.sid as string;
  await becomes(`media/${media}`, 'status', 'READY');

  const { sid: segment } = await made('segments', { kind: 'DYNAMIC', name: 'Everybody' });
  const { sid: pool } = await made('sender-pools', { name: 'Shops', members: [{ senderSid: sender }] });
  const kept = { name: 'Hello', type: 'text', text: { body: 'Hello {{name}}' } };
  const { sid: saved } = await made('contents', kept);
  const endpoint = await createEndpoint(app, 'http://127.0.0.1:9999/hook');
  const owner = { accountSid: app.accountSid, livemode: false, key: app.sandboxKey };
  const flow = await fixtures.flowSid!({ app, owner } as never);
  const approval = await waitingApproval(app);
  await until('it is counted', async () => {
    const { body: counts } = await app.get(`${app.at}/analytics/messages?groupBy=status`);
    return counts.data.some(({ status }: { status: string }) => status === 'read');
  });
  return {
    message,
    contact: ines.sid as string,
    other: other.sid as string,
    merge,
    segment,
    template: await firstOf('templates'),
    sender,
    pool,
    waba: await firstOf('wabas'),
    media,
    content: saved,
    flow,
    endpoint: endpoint.sid,
    operation,
    approval,
  };
}

/** Somebody wants a third person to own everything, which takes a second one. */
async function waitingApproval(app: TestApp): Promise<string> {
  const [asking, third] = [await person(app), await person(app, { roles: [] })];
  const stepUpToken = await asking.stepUp('ROLE_BINDING_CREATE');
  const wanted = { principalType: 'USER', role: 'OWNER', scopeKind: 'ORGANIZATION', stepUpToken };
  const { body, text } = await app.post(
    `${app.at}/role-bindings`,
    { ...wanted, principalRef: third.userSid },
    asking.headers,
  );
  assert.equal(body.error.code, 'APPROVAL_REQUIRED', text);
  const sid = body.error.details[0].issue;
  await until('others are told of it', async () => {
    const told = await app.get(`${app.at}/notifications?unread=true`, asking.headers);
    return told.body.data.some(({ resource }: { resource: string | null }) => resource === sid);
  });
  return sid;
}

/** Pages for which nobody signs in, by name. */
export const openPages: Record<string, string> = {
  'sign-in': '/console/sign-in',
  invitation: '/console/invitation#token=some',
  'password-reset': '/console/password-reset',
  'nothing-here': '/console/nothing/such/here/at/all',
};

/** All others. */
export function innerPages(accountSid: string, one: Furnished): Record<string, string> {
  const inSandbox = {
    home: '',
    messages: '/messages',
    'new-message': '/messages/new',
    message: `/messages/${one.message}`,
    keys: '/keys',
    contacts: '/contacts',
    contact: `/contacts/${one.contact}`,
    'merge-with-whom': `/contacts/${one.contact}/merge`,
    'merge-preview': `/contacts/${one.contact}/merge?with=${one.other}`,
    merges: '/merges',
    merge: `/merges/${one.merge}`,
    'contact-files': '/contact-files',
    proofs: '/proofs',
    segments: '/segments',
    segment: `/segments/${one.segment}`,
    'why-not': `/segments/${one.segment}/why-not`,
    templates: '/templates',
    'new-template': '/templates/new',
    template: `/templates/${one.template}`,
    media: '/media',
    'one-media': `/media/${one.media}`,
    contents: '/contents',
    content: `/contents/${one.content}`,
    flows: '/flows',
    flow: `/flows/${one.flow}`,
    senders: '/senders',
    sender: `/senders/${one.sender}`,
    pools: '/pools',
    pool: `/pools/${one.pool}`,
    wabas: '/wabas',
    waba: `/wabas/${one.waba}`,
    portfolios: '/portfolios',
    webhooks: '/webhooks',
    endpoint: `/webhooks/${one.endpoint}`,
    events: '/events',
    operations: '/operations',
    operation: `/operations/${one.operation}`,
    security: '/security',
    approvals: '/approvals',
    approval: `/approvals/${one.approval}`,
  };
  const addressed = Object.entries(inSandbox).map(([name, path]) => [
    name,
    `/console/sandbox/${accountSid}${path}`,
  ]);
  return {
    ...Object.fromEntries(addressed),
    'without-account': '/console/sandbox',
    'live-home': `/console/live/${accountSid}`,
  };
}
