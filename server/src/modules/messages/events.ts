import { declareEvents } from '../../platform/events.ts';
import { sampleTime } from '../../platform/samples.ts';
import { messageErrorSample, messageSample } from './samples.ts';
import { Message } from './schema.ts';

const question = { body: 'When will it arrive?' };
const sent = { status: 'sent', providerMessageId: 'wamid.SAMPLE', sentAt: sampleTime } as const;
const delivered = { ...sent, status: 'delivered', deliveredAt: sampleTime } as const;

/** One for every status: a message tells of each it comes to. And one for a price that is known only after that. */
export const messageEvents = declareEvents('message', Message, messageSample, {
  queued: { since: '2026-05-04', description: 'A message was accepted and waits for its turn.' },
  scheduled: {
    since: '2026-08-21',
    description: 'A message was accepted for later.',
    sample: { status: 'scheduled', sendAt: '2026-08-22T08:00:00.000Z' },
  },
  deferred: {
    since: '2026-08-21',
    description: 'A message waits until its recipient may get it.',
    sample: { status: 'deferred', deferIfCapped: true },
  },
  sending: {
    since: '2026-08-21',
    description: 'A message is being handed to the provider.',
    sample: { status: 'sending' },
  },
  sent: { since: '2026-05-04', description: 'The provider took a message.', sample: sent },
  delivered: { since: '2026-05-04', description: 'A message reached its recipient.', sample: delivered },
  read: {
    since: '2026-05-04',
    description: 'The recipient read a message.',
    sample: { ...delivered, status: 'read', readAt: sampleTime },
  },
  failed: {
    since: '2026-05-04',
    description: 'A message failed; data.error says why.',
    sample: { status: 'failed', error: messageErrorSample, failedAt: sampleTime },
  },
  canceled: {
    since: '2026-05-04',
    description: 'A message was canceled before it was handed over.',
    sample: { status: 'canceled', canceledAt: sampleTime },
  },
  expired: {
    since: '2026-05-04',
    description: 'A message was not sent within its validity period.',
    sample: { status: 'expired', validityPeriodSeconds: 3600, expiresAt: sampleTime },
  },
  unknown: {
    since: '2026-08-21',
    description:
      "The provider's answer was lost; the message is not sent again, and its final status follows.",
    sample: { status: 'unknown' },
  },
  priced: {
    since: '2026-08-21',
    description:
      'The final price of a message is known, after its delivery was told without it; data.price.final says what it is.',
    sample: { ...delivered, price: { ...messageSample.price!, final: messageSample.price!.estimate } },
  },
  received: {
    since: '2026-05-04',
    description: 'A customer wrote.',
    sample: {
      ...sent,
      direction: 'inbound',
      status: 'received',
      content: question,
      text: question,
      category: null,
      transport: null,
      price: null,
      metadata: {},
      queuedAt: null,
    },
  },
});
