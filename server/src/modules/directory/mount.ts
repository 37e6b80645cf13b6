// The directory endpoint as the server sees it.

import { parseJsonBody } from '../../platform/http/input/json-body.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { StoredAnswer } from '../../platform/http/operations/idempotency.ts';
import type { Incoming, Serving } from '../../platform/http/operations/serving.ts';
import { authenticateDirectory } from './authenticate.ts';
import { scimCall } from './protocol/scim-call.ts';
import { asScimError, badRequest, contentType, errorAnswer, ScimError } from './protocol/scim-error.ts';
import { answerScim } from './routes.ts';

const prefix = '/scim/v2';

export const directoryMount: Mount = {
  name: 'directory',
  prefix,
  async answer(serving: Serving, incoming: Incoming, rawBody: Buffer): Promise<StoredAnswer> {
    const known = await authenticateDirectory(serving, incoming);
    const call = scimCall(serving, incoming, known, () => readBody(incoming, rawBody));
    const path = incoming.url.split('?')[0]!.slice(prefix.length);
    const { status, body, headers = {} } = await answerScim(call, incoming.method, path);
    if (body === null) return { status, headers, body: '' };
    return { status, headers: { ...headers, 'content-type': contentType }, body: JSON.stringify(body) };
  },
  refuse(error) {
    const known = asScimError(error);
    return known && errorAnswer(known);
  },
  failed: errorAnswer(new ScimError(500, 'The service failed. The request can be tried again.')),
};

function readBody(incoming: Incoming, rawBody: Buffer): unknown {
  const type = String(incoming.headers['content-type'] ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase();
  if (type !== contentType && type !== 'application/json')
    throw badRequest('invalidSyntax', `The body must be ${contentType} or application/json.`);
  return parseJsonBody(rawBody);
}
