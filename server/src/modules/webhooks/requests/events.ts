import { type Static, Type } from 'typebox';
import { declareEvents, heardBy } from '../../../platform/events.ts';
import { NamedObject, Sid, Word } from '../../../platform/http/input/schema.ts';
import { sampleSid } from '../../../platform/samples.ts';

export const WebhookRequest = NamedObject('WebhookRequest', {
  object: Word('webhook_request'),
  /** Names what is asked for: nothing is asked for twice under the same. */
  id: Type.String(),
  endpointSid: Sid('WH'),
  body: Type.Unsafe<object>({ type: 'object', 'x-free-form': true }),
});
export type WebhookRequest = Static<typeof WebhookRequest>;

const sample: WebhookRequest = {
  object: 'webhook_request',
  id: `${sampleSid('WR')} 3`,
  endpointSid: sampleSid('WH'),
  body: { orderId: '1001' },
};

export const requestEvents = heardBy(
  ['webhooks:read'],
  declareEvents('webhook_request', WebhookRequest, sample, {
    made: {
      since: '2026-08-21',
      description: 'A part of the service asks one endpoint, and it alone, for an answer.',
    },
  }),
);
