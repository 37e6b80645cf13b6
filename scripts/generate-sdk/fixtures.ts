// What every SDK is tried with, in whatever language: errors and events as they travel, and signatures as the service makes them.
import { createHash } from 'node:crypto';
import { eventTypes } from '../../server/src/main/modules.ts';
import { type SignedParts, signatureOf } from '../../server/src/modules/api-keys/request-signature.ts';
import { signatureOf as webhookSignatureOf } from '../../server/src/modules/webhooks/sending/signature.ts';
import { type ErrorCode, errorCatalogue } from '../../server/src/platform/errors/error-catalogue.ts';
import { docUrlOf } from '../../server/src/platform/errors/errors.ts';
import { apiVersion } from '../../server/src/platform/events.ts';
import { sampleOwner, sampleSid, sampleTime } from '../../server/src/platform/samples.ts';

const requestId = 'req_4c9b2k7xq0m3t8wz';

/** Every code, as the service answers with it. */
export const errorFixtures = () =>
  (Object.keys(errorCatalogue) as ErrorCode[]).map((code) => {
    const { status, type, message, retryable, retryAfterSeconds } = errorCatalogue[code];
    const docUrl = docUrlOf('http://localhost:8080/docs/errors', code);
    const details = status === 422 ? { details: [{ path: 'to', issue: 'is required' }] } : {};
    return {
      status,
      body: { error: { code, type, message, retryable, retryAfterSeconds, docUrl, requestId, ...details } },
    };
  });

/** A sample of every type of event, as webhooks bring it; the last is of a type no SDK knows. */
export function eventFixtures(): object[] {
  const known = [...eventTypes].sort((one, other) => (one.name < other.name ? -1 : 1));
  const later = { name: 'a_later_noun.appeared', sample: { object: 'a_later_noun', wings: 2 } };
  return [...known, later].map(({ name, sample }, at) => ({
    id: sampleSid('EV'),
    type: name,
    apiVersion,
    occurredAt: sampleTime,
    createdAt: sampleTime,
    sequence: at + 1,
    ...sampleOwner,
    subaccountSid: null,
    data: sample,
  }));
}

const at = new Date(sampleTime);
const timestamp = String(at.getTime() / 1000);

const webhook = (
  name: string,
  body: string,
  signedBy: string[],
  secrets: string[],
  holds: boolean,
  late = 0,
) => ({
  name,
  body,
  header: webhookSignatureOf(Buffer.from(body), signedBy, at),
  secrets,
  now: new Date(at.getTime() + late * 1000).toISOString(),
  holds,
});

const event = '{"id":"EV1","type":"message.delivered","data":{"text":"é 👋"}}';

const request = (method: string, path: string, query: [string, string][], body: string) => {
  const signingSecret = 'signing-secret';
  const nonce = 'abcdefghijklmnop';
  const url = `${path}${query.length > 0 ? `?${new URLSearchParams(query)}` : ''}`;
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  const parts: SignedParts = { method, url, timestamp, nonce, bodySha256 };
  return {
    method,
    path,
    query,
    body,
    timestamp,
    nonce,
    signingSecret,
    signature: signatureOf(signingSecret, parts),
  };
};

export const signatureFixtures = () => ({
  webhooks: [
    webhook('one secret', event, ['one'], ['one'], true),
    webhook('while a secret is rotated, by the old one', event, ['new', 'old'], ['old'], true),
    webhook('while a secret is rotated, by the new one', event, ['new', 'old'], ['new'], true),
    webhook('a receiver that knows both', event, ['new'], ['old', 'new'], true),
    webhook('five minutes late', event, ['one'], ['one'], true, 300),
    webhook('more than five minutes late', event, ['one'], ['one'], false, 301),
    webhook('more than five minutes early', event, ['one'], ['one'], false, -301),
    webhook('another secret', event, ['one'], ['two'], false),
    { ...webhook('a changed body', event, ['one'], ['one'], false), body: event.replace('EV1', 'EV2') },
  ],
  requests: [
    request('GET', '/v1/me', [], ''),
    request('POST', '/v1/accounts/AC1/messages', [], '{"to":"+33612345678"}'),
    request(
      'GET',
      '/v1/accounts/AC1/contacts',
      [
        ['limit', '1'],
        ['identifier', '+33 612'],
        ['cursor', "a/b=(c)*'!~"],
      ],
      '',
    ),
    request(
      'GET',
      '/v1/accounts/AC1/contacts/%C3%A9%2F..',
      [
        ['q', 'é'],
        ['q', 'a'],
        ['p', ''],
      ],
      '',
    ),
  ],
});
