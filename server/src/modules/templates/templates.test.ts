import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { type Reply, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { refused } from '../../../test/harness/contacts.ts';
import { runJob, write } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import type { Answered, Provider, ProviderTemplate, Routed, TemplateUpdate } from '../provider/index.ts';
import { fixtures } from './fixtures.ts';
import { applyTemplateUpdates } from './provider-updates.ts';
import { submitTemplate } from './submit-template.ts';
import { readTemplates } from './sync-templates.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const dayMs = 86_400_000;
let names = 0;
const newName = () => {
  names += 1;
  return `parcel_${names}`;
};
const body = (more: object = {}) => ({
  name: newName(),
  language: 'en',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Your parcel {{1}} arrives.', example: { bodyText: [['77']] } }],
  ...more,
});
const create = async (more: object = {}) => {
  const reply = await app.post(`${app.at}/templates`, body(more));
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};
const read = async (sid: string) => (await app.get(`${app.at}/templates/${sid}`)).body;
const ok = <T>(value: T): Answered<T> => ({ ok: true, value });
const failed = (
  code: 'PROVIDER_RESULT_UNKNOWN' | 'CONFLICT' | 'PROVIDER_TEMPORARY_ERROR' | 'VALIDATION_ERROR',
) => ({
  ok: false as const,
  failure: {
    code,
    retryable: code === 'PROVIDER_TEMPORARY_ERROR',
    providerCode: 100,
    providerSubcode: null,
    reason: 'as told',
    retryAfterMs: null,
  },
});
let ids = 7_000_000_000;
const newId = () => {
  ids += 1;
  return String(ids);
};
const submit = (template: { sid: string }, provider: Partial<Provider>, revision = 1) =>
  runJob({ app, provider }, submitTemplate, { templateSid: template.sid, revision });
const taken = (status = 'PENDING', id = newId()): Partial<Provider> => ({
  createTemplate: async (_connection, _waba, { category }) => ok({ id, status, category }),
});
/** A template the provider has approved. */
const approved = async (more: object = {}) => {
  const template = await create(more);
  await submit(template, taken('APPROVED'));
  return read(template.sid);
};
const listed = (template: { name: string; language: string }, more: Partial<ProviderTemplate> = {}) =>
  ok({
    items: [
      {
        id: newId(),
        name: template.name,
        language: template.language,
        category: 'UTILITY',
        status: 'APPROVED',
        components: [{ type: 'BODY', text: 'Your parcel {{1}} arrives.' }],
        parameterFormat: 'POSITIONAL' as const,
        qualityScore: null,
        rejectedReason: null,
        ...more,
      },
    ],
    after: null,
  });

suite('creation', () => {
  test('stores a draft, queues its submission and becomes what the provider says', async () => {
    const template = await create();
    assert.deepEqual([template.status, template.pendingChange], ['DRAFT', 'CREATE']);
    await submit(template, taken());
    const after = await read(template.sid);
    assert.deepEqual([after.status, after.pendingChange, after.failure], ['PENDING', null, null]);
    const history = (await app.get(`${app.at}/templates/${template.sid}/status-history`)).body.data;
    assert.deepEqual(
      history.map(({ status }: { status: string }) => status),
      ['PENDING', 'DRAFT'],
    );
  });
  test('every fault of a template is told at its path', async () => {
    const components = [{ type: 'BODY', text: '{{1}} arrives.' }];
    const reply = await app.post(`${app.at}/templates`, body({ components }));
    refused(reply, 400, 'VALIDATION_ERROR', 'components[0].text');
    refused(reply, 400, 'VALIDATION_ERROR', 'components[0].example.bodyText');
  });
  test('of twenty that want one name and language one gets it', async () => {
    const wanted = body();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => app.post(`${app.at}/templates`, wanted)),
    );
    const codes = replies.map(({ status }) => status).sort();
    assert.deepEqual(codes, [201, ...Array(19).fill(409)]);
    assert.equal(await app.count(`templates where name = '${wanted.name}'`), 1);
  });
  test('the cap holds for creations at once', async () => {
    const [waba] = await app.sql<{ sid: string; held: number }>(
      `select w.sid, (select count(*)::int from templates f where f.waba_sid = w.sid and f.deleted_at is null) as held
         from wabas w where account_sid = $1 and not livemode limit 1`,
      [app.accountSid],
    );
    await app.sql('update wabas set template_cap = $2 where sid = $1', [waba!.sid, waba!.held + 2]);
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => app.post(`${app.at}/templates`, body({ wabaSid: waba!.sid }))),
    );
    assert.equal(replies.filter(({ status }) => status === 201).length, 2);
    refused(replies.find(({ status }) => status !== 201) as Reply, 422, 'TEMPLATE_CAP_REACHED');
    await app.sql('update wabas set template_cap = 6000 where sid = $1', [waba!.sid]);
  });
  test('a refusal of the provider is kept beside the draft, which can be mended and submitted again', async () => {
    const template = await create();
    await submit(template, { createTemplate: async () => failed('VALIDATION_ERROR') });
    const draft = await read(template.sid);
    assert.deepEqual([draft.status, draft.pendingChange], ['DRAFT', null]);
    assert.deepEqual(draft.failure, { code: 'VALIDATION_ERROR', message: 'as told', providerCode: 100 });
    const components = [{ type: 'BODY', text: 'Your parcel arrives.' }];
    const mended = await app.patch(`${app.at}/templates/${template.sid}`, { components });
    assert.deepEqual([mended.body.pendingChange, mended.body.failure], ['CREATE', null]);
    await submit(template, taken(), 2);
    assert.equal((await read(template.sid)).status, 'PENDING');
  });
});

suite('an answer that was lost', () => {
  test('is settled by the list: what is there is taken over and not made again', async () => {
    const template = await create();
    await assert.rejects(submit(template, { createTemplate: async () => failed('PROVIDER_RESULT_UNKNOWN') }));
    assert.equal((await read(template.sid)).failure.code, 'PROVIDER_RESULT_UNKNOWN');
    // The scripted provider fails the test when it is asked to create.
    await submit(template, { listTemplates: async () => listed(template) });
    const after = await read(template.sid);
    assert.deepEqual([after.status, after.failure, after.pendingChange], ['APPROVED', null, null]);
  });
  test('what is not there is made', async () => {
    const template = await create();
    await assert.rejects(submit(template, { createTemplate: async () => failed('PROVIDER_RESULT_UNKNOWN') }));
    await submit(template, { listTemplates: async () => ok({ items: [], after: null }), ...taken() });
    assert.equal((await read(template.sid)).status, 'PENDING');
  });
  test('a list that cannot be read decides nothing', async () => {
    const template = await create();
    await assert.rejects(submit(template, { createTemplate: async () => failed('PROVIDER_RESULT_UNKNOWN') }));
    await assert.rejects(submit(template, { listTemplates: async () => failed('PROVIDER_TEMPORARY_ERROR') }));
    assert.equal((await read(template.sid)).pendingChange, 'CREATE');
  });
  test('a submission that runs twice tells the provider once', async () => {
    const template = await create();
    let calls = 0;
    const provider: Partial<Provider> = {
      createTemplate: async (_connection, _waba, { category }) => {
        calls += 1;
        return ok({ id: newId(), status: 'PENDING', category });
      },
    };
    await submit(template, provider);
    await submit(template, provider);
    assert.equal(calls, 1);
  });
});

suite('edits', () => {
  test('leave what was approved in use until the provider has taken them', async () => {
    const template = await approved();
    const components = [
      { type: 'BODY', text: 'Your parcel {{1}} is here.', example: { bodyText: [['77']] } },
    ];
    const edited = (await app.patch(`${app.at}/templates/${template.sid}`, { components })).body;
    assert.deepEqual([edited.status, edited.pendingChange], ['APPROVED', 'EDIT']);
    assert.equal(edited.components[0].text, 'Your parcel {{1}} arrives.');
    await submit(template, { editTemplate: async () => ok(null) }, 2);
    const after = await read(template.sid);
    assert.deepEqual([after.status, after.components[0].text], ['PENDING', 'Your parcel {{1}} is here.']);
  });
  test('a refused edit changes nothing but the reason', async () => {
    const template = await approved();
    const components = [{ type: 'BODY', text: 'Other.' }];
    await app.patch(`${app.at}/templates/${template.sid}`, { components });
    await submit(template, { editTemplate: async () => failed('VALIDATION_ERROR') }, 2);
    const after = await read(template.sid);
    assert.deepEqual([after.status, after.components[0].text], ['APPROVED', 'Your parcel {{1}} arrives.']);
    assert.equal(after.failure.code, 'VALIDATION_ERROR');
  });
  test('wait for one another, and for a review; a category stays while approved', async () => {
    const template = await approved();
    const path = `${app.at}/templates/${template.sid}`;
    refused(await app.patch(path, { category: 'MARKETING' }), 400, 'VALIDATION_ERROR', 'category');
    refused(await app.patch(path, {}), 400, 'VALIDATION_ERROR');
    const change = { components: [{ type: 'BODY', text: 'Other.' }] };
    const both = await Promise.all([app.patch(path, change), app.patch(path, change)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    await submit(template, { editTemplate: async () => ok(null) }, 2);
    refused(await app.patch(path, change), 409, 'CONFLICT');
  });
});

suite('deletion', () => {
  test('locks the name for 30 days, to the moment', async () => {
    const template = await approved();
    const again = body({ name: template.name });
    const gone = await app.delete(`${app.at}/templates/${template.sid}`);
    assert.deepEqual([gone.status, gone.body.status], [200, 'PENDING_DELETION']);
    refused(await app.post(`${app.at}/templates`, again), 409, 'TEMPLATE_NAME_LOCKED', 'name');
    await submit(template, { deleteTemplate: async () => ok(null) }, 2);
    refused(await app.get(`${app.at}/templates/${template.sid}`), 404, 'NOT_FOUND');
    refused(await app.post(`${app.at}/templates`, again), 409, 'TEMPLATE_NAME_LOCKED', 'name');
    refused(
      await app.post(`${app.at}/templates`, { ...again, language: 'fr' }),
      409,
      'TEMPLATE_NAME_LOCKED',
      'name',
    );
    app.clock.advance(30 * dayMs - 1);
    refused(await app.post(`${app.at}/templates`, again), 409, 'TEMPLATE_NAME_LOCKED', 'name');
    app.clock.advance(1);
    assert.equal((await app.post(`${app.at}/templates`, again)).status, 201);
  });
  test('of one language leaves the others, and only that language locked', async () => {
    const en = await approved();
    await approved({ name: en.name, language: 'fr' });
    await app.delete(`${app.at}/templates/${en.sid}`);
    await submit(en, { deleteTemplate: async () => ok(null) }, 2);
    const again = body({ name: en.name });
    refused(await app.post(`${app.at}/templates`, again), 409, 'TEMPLATE_NAME_LOCKED', 'name');
    assert.equal((await app.post(`${app.at}/templates`, { ...again, language: 'de' })).status, 201);
  });
  test('of a draft the provider never saw is immediate and locks nothing', async () => {
    const template = await create();
    refused(await app.delete(`${app.at}/templates/${template.sid}`), 409, 'CONFLICT');
    await submit(template, { createTemplate: async () => failed('VALIDATION_ERROR') });
    assert.equal((await app.delete(`${app.at}/templates/${template.sid}`)).body.status, 'DELETED');
    assert.equal((await app.post(`${app.at}/templates`, body({ name: template.name }))).status, 201);
  });
  test('that the provider refuses brings the template and its name back', async () => {
    const template = await approved();
    await app.delete(`${app.at}/templates/${template.sid}`);
    await submit(template, { deleteTemplate: async () => failed('VALIDATION_ERROR') }, 2);
    assert.equal((await read(template.sid)).status, 'APPROVED');
    assert.equal(
      await app.count(
        `template_name_locks where name = '${template.name}' and locked_until > '${app.clock.now().toISOString()}'`,
      ),
      0,
    );
  });
  test('asked for by many at once happens once', async () => {
    const template = await approved();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => app.delete(`${app.at}/templates/${template.sid}`)),
    );
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    assert.equal(
      await app.count(`events where resource_sid = '${template.sid}' and type = 'template.pending_deletion'`),
      1,
    );
  });
});

suite('what the provider tells', () => {
  const told = (template: Reply['body'], minutes: number, more: object): Routed<TemplateUpdate> =>
    ({
      templateId: template.providerTemplateId,
      name: template.name,
      language: template.language,
      occurredAt: new Date(app.clock.now().getTime() + minutes * 60_000),
      senderSid: null,
      wabaSid: template.wabaSid,
      kind: 'status',
      category: null,
      reason: null,
      recommendation: null,
      title: null,
      description: null,
      ...more,
    }) as Routed<TemplateUpdate>;
  const apply = (...updates: Routed<TemplateUpdate>[]) =>
    write({ app }, (t) => applyTemplateUpdates(t, updates));

  test('an older word that arrives late changes nothing', async () => {
    const template = await approved();
    await apply(told(template, 10, { event: 'APPROVED' }));
    await apply(told(template, 5, { event: 'PAUSED', title: 'FIRST_PAUSE' }));
    assert.equal((await read(template.sid)).status, 'APPROVED');
  });
  test('a word about quality takes nothing from an older one about status', async () => {
    const template = await approved();
    await apply(told(template, 10, { kind: 'quality', previous: 'GREEN', current: 'RED' }));
    await apply(told(template, 5, { event: 'PAUSED', title: 'FIRST_PAUSE' }));
    const after = await read(template.sid);
    assert.deepEqual([after.status, after.quality], ['PAUSED', 'RED']);
  });
  test('the same word twice is announced once', async () => {
    const template = await approved();
    const update = told(template, 1, { event: 'REJECTED', reason: 'PROMOTIONAL' });
    await apply(update, update);
    assert.equal((await read(template.sid)).rejectedReason, 'PROMOTIONAL');
    assert.equal(
      await app.count(`events where resource_sid = '${template.sid}' and type = 'template.rejected'`),
      1,
    );
  });
  test('a callback that overtakes the answer to the submission stands', async () => {
    const template = await create();
    const id = newId();
    await submit(template, {
      createTemplate: async (_connection, _waba, { category }) => {
        await apply(told({ ...template, providerTemplateId: id }, 1, { event: 'APPROVED' }));
        return ok({ id, status: 'PENDING', category });
      },
    });
    const after = await read(template.sid);
    assert.deepEqual([after.status, after.pendingChange, after.providerTemplateId], ['APPROVED', null, id]);
  });
  test('an announced category is not the category yet', async () => {
    const template = await approved();
    const change = {
      kind: 'category',
      previous: null,
      current: 'UTILITY',
      announced: 'MARKETING',
      announcedFor: null,
    };
    await apply(told(template, 1, change));
    assert.equal((await read(template.sid)).category, 'UTILITY');
    await apply(told(template, 2, { ...change, current: 'MARKETING', announced: null }));
    assert.equal((await read(template.sid)).category, 'MARKETING');
  });
  test('a template nobody knows asks for the list once', async () => {
    const template = await approved();
    const stranger = { ...template, providerTemplateId: newId(), name: 'stranger' };
    await apply(told(stranger, 1, { event: 'APPROVED' }), told(stranger, 2, { event: 'PAUSED' }));
    assert.equal(await app.count("graphile_worker.jobs where task_identifier = 'templates.read'"), 1);
  });
  test("another account's template hears nothing", async () => {
    const template = await approved();
    const { accountSid } = await app.newAccount();
    await write({ app, accountSid }, (t) =>
      applyTemplateUpdates(t, [told(template, 1, { event: 'DISABLED' })]),
    );
    assert.equal((await read(template.sid)).status, 'APPROVED');
  });
});

suite('the list of the provider', () => {
  test('adds what is new, corrects what is known, removes what is gone, and leaves what was told since', async () => {
    const { accountSid, sandboxKey } = await app.newAccount();
    const headers = { authorization: `Bearer ${sandboxKey}` };
    const at = `/v1/accounts/${accountSid}`;
    const before = (await app.get(`${at}/templates?limit=100`, headers)).body.data;
    const [kept] = before;
    const page = async () => {
      const known = listed(kept, { status: 'PAUSED' });
      const fresh = listed({ name: 'brand_new', language: 'en' });
      if (!known.ok || !fresh.ok) throw new Error('never');
      return ok({ items: [...known.value.items, ...fresh.value.items], after: null });
    };
    app.clock.advance(1_000);
    await runJob({ app, accountSid, provider: { listTemplates: page } }, readTemplates, {
      wabaSid: kept.wabaSid,
    });
    const after = (await app.get(`${at}/templates?limit=100`, headers)).body.data;
    assert.deepEqual(
      after.map(({ name, status }: { name: string; status: string }) => [name, status]).sort(),
      [
        ['brand_new', 'APPROVED'],
        [kept.name, 'PAUSED'],
      ].sort(),
    );
    const told = await app.sql<{ type: string; name: string }>(
      `select type, data ->> 'name' as name from events where account_sid = $1 and type like 'template.%'`,
      [accountSid],
    );
    assert.deepEqual(
      told.filter(({ type }) => type !== 'template.deleted').map(({ type, name }) => [type, name]),
      [
        ['template.created', 'brand_new'],
        ['template.paused', kept.name],
      ],
    );
  });
  test('half a list removes nothing', async () => {
    const { accountSid, sandboxKey } = await app.newAccount();
    const headers = { authorization: `Bearer ${sandboxKey}` };
    const [waba] = (await app.get(`/v1/accounts/${accountSid}/wabas`, headers)).body.data;
    const count = () => app.count(`templates where account_sid = '${accountSid}' and deleted_at is null`);
    const held = await count();
    const listTemplates: Provider['listTemplates'] = async (_connection, _waba, after) =>
      after === null ? ok({ items: [], after: 'next' }) : failed('PROVIDER_TEMPORARY_ERROR');
    app.clock.advance(1_000);
    await assert.rejects(
      runJob({ app, accountSid, provider: { listTemplates } }, readTemplates, { wabaSid: waba.sid }),
    );
    assert.equal(await count(), held);
  });
});

test('a flow that is forgotten is told as it was', async () => {
  const owner = { accountSid: app.accountSid, livemode: false, key: app.sandboxKey };
  const sid = (await fixtures.flowSid!({ app, owner } as never)) as string;
  const reply = await app.delete(`${app.at}/flows/${sid}`);
  assert.equal(reply.status, 200, reply.text);
  const told = await app.sql('select type, data from events where resource_sid = $1', [sid]);
  assert.deepEqual(told, [{ type: 'flow.forgotten', data: reply.body }]);
});
