import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { refused } from '../../../../test/harness/contacts.ts';
import { write } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { type Draft, fillContent, judgeDraft, resolveContent, variablesIn } from './resolve-content.ts';

const text = (body: string): Draft => ({ type: 'text', text: { body } });

suite('filling', () => {
  test('puts values into any text of any type', () => {
    const draft: Draft = {
      type: 'interactive',
      interactive: {
        subtype: 'button',
        body: 'Order {{ order }}?',
        buttons: [{ id: 'yes-{{order}}', title: '{{yes}}' }],
      },
    };
    assert.deepEqual(variablesIn(draft), ['order', 'yes']);
    const filled = fillContent(draft, { order: '77', yes: 'Oui', unused: 'x' });
    assert.deepEqual(filled, {
      content: {
        type: 'interactive',
        interactive: { subtype: 'button', body: 'Order 77?', buttons: [{ id: 'yes-77', title: 'Oui' }] },
      },
    });
  });
  test('names every missing value', () => {
    assert.deepEqual(fillContent(text('{{a}} {{b}} {{a}}'), { constructor: 'x' } as never), [
      { path: 'variables.a', issue: 'is required by the content' },
      { path: 'variables.b', issue: 'is required by the content' },
    ]);
  });
  test('a value is text: what looks like a variable or a pattern in it stays', () => {
    for (const value of ['{{b}}', '$&', '$1', '\\', '{{a}}']) {
      assert.deepEqual(fillContent(text('x {{a}} {{b}}'), { a: value, b: 'B' }), {
        content: { type: 'text', text: { body: `x ${value} B` } },
      });
    }
  });
  test('judges the limits again, at their own paths', () => {
    const issue = 'must be at most 4096 characters';
    assert.deepEqual(fillContent(text('x{{a}}'), { a: 'y'.repeat(4096) }), [{ path: 'text.body', issue }]);
    const link: Draft = {
      type: 'interactive',
      interactive: { subtype: 'cta_url', body: 'See', displayText: 'Go', url: '{{url}}' },
    };
    assert.deepEqual(fillContent(link, { url: 'nothing' }), [
      { path: 'interactive.url', issue: 'must be an absolute URI' },
    ]);
    assert.ok('content' in fillContent(link, { url: 'https://shop.example' }));
  });
  test('a draft is judged but for texts that wait for a value', () => {
    assert.deepEqual(judgeDraft(text('{{a}}')), []);
    assert.deepEqual(
      judgeDraft({ type: 'image', media: { sid: '{{picture}}', caption: 'x'.repeat(1025) } }).map(
        ({ path }) => path,
      ),
      ['media.caption'],
    );
    assert.deepEqual(
      judgeDraft({ type: 'location', location: { latitude: '{{lat}}', longitude: 181 } }).map(
        ({ path }) => path,
      ),
      ['location.longitude'],
    );
    // A number cannot be a text with a variable in it, which shows when it is filled.
    const filled = fillContent(
      { type: 'location', location: { latitude: '{{lat}}', longitude: 1 } },
      { lat: '1' },
    );
    assert.ok(Array.isArray(filled));
  });
  test('without variables whatever was said comes out as it went in', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 200 }), (body) => {
        fc.pre(!/\{\{\s*[A-Za-z_]/.test(body));
        assert.deepEqual(fillContent(text(body), {}), { content: { type: 'text', text: { body } } });
      }),
    );
  });
});

suite('contents', () => {
  let app: TestApp;
  const lifetime = sharedLifetime();
  before(async () => {
    app = await startTestApp(lifetime);
  });
  const hello = { name: 'Hello', type: 'text', text: { body: 'Hello {{name}}' } };
  const create = async (body: object = hello) => (await app.post(`${app.at}/contents`, body)).body;

  test('are made, listed, filled and gone', async () => {
    const content = await create();
    assert.deepEqual([content.version, content.variables, content.media], [1, ['name'], null]);
    const path = `${app.at}/contents/${content.sid}`;
    const filled = await app.post(`${path}/preview`, { variables: { name: 'Ines' } });
    assert.deepEqual(filled.body.content, { type: 'text', text: { body: 'Hello Ines' } });
    refused(await app.post(`${path}/preview`, {}), 400, 'VALIDATION_ERROR', 'variables.name');
    assert.equal((await app.delete(path)).status, 200);
    refused(await app.get(path), 404, 'NOT_FOUND');
    await assert.rejects(
      write({ app }, (t) => resolveContent(t, content.sid, { name: 'x' })),
      (error) => error instanceof ApiError && error.code === 'NOT_FOUND',
    );
  });
  test('an object of another type, and none at all, are told at their paths', async () => {
    const both = { ...hello, location: { latitude: 1, longitude: 2 } };
    refused(await app.post(`${app.at}/contents`, both), 400, 'VALIDATION_ERROR', 'location');
    refused(
      await app.post(`${app.at}/contents`, { name: 'x', type: 'text' }),
      400,
      'VALIDATION_ERROR',
      'text',
    );
    const long = { ...hello, text: { body: 'x'.repeat(4097) } };
    refused(await app.post(`${app.at}/contents`, long), 400, 'VALIDATION_ERROR', 'text.body');
    const odd = { ...hello, text: { body: 'x', surprise: '{{y}}' } };
    assert.equal(
      (await app.post(`${app.at}/contents`, { ...odd, text: { body: 'x', surprise: 1 } })).status,
      400,
    );
  });
  test('of two editors the slower one hears of the other', async () => {
    const { sid } = await create();
    const change = (body: string) =>
      app.patch(`${app.at}/contents/${sid}`, { expectedVersion: 1, text: { body } });
    const replies = await Promise.all([change('One'), change('Two')]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
    assert.equal((await app.get(`${app.at}/contents/${sid}`)).body.version, 2);
  });
  test("another account's content does not exist", async () => {
    const { sid } = await create();
    const { accountSid } = await app.newAccount();
    await assert.rejects(write({ app, accountSid }, (t) => resolveContent(t, sid, { name: 'x' })));
  });
});
