import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { Type } from 'typebox';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { issueSampleDocument } from '../../../../test/harness/documents.ts';
import { write } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { NamedObject } from '../../../platform/http/input/schema.ts';
import { openApiDocument } from '../../../platform/http/openapi/openapi.ts';
import { operation, StreamedAnswer } from '../../../platform/http/operations/operation.ts';
import { answerDocument, answersPdf, likesPdf } from './answer-document.ts';
import { documentOf } from './documents.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

test('the PDF goes to whoever likes it better than JSON, and to nobody else', () => {
  const liked: [string | undefined, boolean][] = [
    [undefined, false],
    ['*/*', false],
    ['application/*', false],
    ['application/json', false],
    ['text/html,application/xhtml+xml,*/*;q=0.8', false],
    ['application/pdf', true],
    ['Application/PDF; q=0.5', true],
    ['application/pdf, */*;q=0.1', true],
    ['application/json;q=0.5, application/pdf', true],
    ['application/json, application/pdf', false],
    ['application/pdf;q=0', false],
    ['application/pdf;q=x', false],
    [',;,', false],
  ];
  for (const [accept, expected] of liked) assert.equal(likesPdf(accept), expected, accept);
});

suite('a resource with a document', () => {
  const resource = async () => ({ object: 'receipt' });

  test('is answered as JSON, or as exactly the PDF its document tells of, under the name of the resource', async () => {
    const { subject } = await write({ app }, (t) => issueSampleDocument(t));
    const of = { kind: 'receipt', subject } as const;
    const [asJson, asPdf, document] = await write({ app }, async (t) => [
      await answerDocument(t, undefined, of, resource),
      await answerDocument(t, 'application/pdf', of, resource),
      await documentOf(t, of),
    ]);
    assert.deepEqual(asJson, { object: 'receipt' });
    assert.ok(asPdf instanceof StreamedAnswer);
    const pdf = Buffer.concat(await Array.fromAsync(asPdf.pieces as AsyncIterable<Buffer>));
    assert.equal(pdf.toString('base64'), document!.pdfBase64);
    const { 'content-length': length, 'content-disposition': name, vary } = asPdf.headers;
    assert.deepEqual(
      [asPdf.status, asPdf.contentType, length, name, vary],
      [200, 'application/pdf', String(pdf.length), `attachment; filename="${subject}.pdf"`, 'accept'],
    );
  });

  test('that has none, or is not there, is not found as a PDF', async () => {
    const asked = write({ app }, (t) =>
      answerDocument(t, 'application/pdf', { kind: 'receipt', subject: 'nothing' }, resource),
    );
    await assert.rejects(asked, { code: 'NOT_FOUND' });
  });

  test('shows both types in the OpenAPI document', () => {
    const declared = operation({
      id: 'getThing',
      method: 'GET',
      path: '/v1/things',
      summary: 'Get a thing',
      tag: 'Things',
      access: 'public',
      responses: { 200: NamedObject('Thing', { object: Type.String() }) },
      ...answersPdf,
      open: () => null,
    });
    const { paths } = openApiDocument({ operations: [declared], tags: {} }, '') as {
      paths: { '/v1/things': { get: { responses: { 200: { content: object; headers: object } } } } };
    };
    const { content, headers } = paths['/v1/things'].get.responses[200];
    assert.deepEqual(Object.keys(content), ['application/json', 'application/pdf']);
    assert.ok(Object.hasOwn(headers, 'Content-Disposition'));
  });
});
