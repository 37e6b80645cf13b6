// What messages tell of their money that looks wrong, made into cases.
import type { TenantTx } from '../../../platform/db/database.ts';
import { defineJob } from '../../../platform/jobs/jobs.ts';
import { marketOf, type PricedAs } from '../../billing/index.ts';
import {
  type BilledMessage,
  billedMessages,
  type DoubtedPrice,
  doubtedPrices,
  silentMessages,
  type UnknownMessage,
  unknownMessages,
} from '../../messages/index.ts';
import { loadSenders, type Sender } from '../../senders/index.ts';
import { type CaseMessage, openCase } from '../cases/open-cases.ts';
import { fileDoubtedPrice } from '../cases/prices.ts';
import type { CaseBucket, Source } from '../cases/schema.ts';

export const lookAtPrices = defineJob({
  ...doubtedPrices,
  async run({ write }, { messages }) {
    // One at a time: each takes its case's lock and perhaps the wallet's, and neither for longer than it needs.
    for (const doubted of messages) await write((t) => lookAtPrice(t, doubted));
  },
});

async function lookAtPrice(
  t: TenantTx,
  { messageSid, reportedMinor, ...words }: DoubtedPrice,
): Promise<void> {
  const message = (await billedMessages(t, [messageSid])).get(messageSid);
  if (!message) return;
  const as = words as PricedAs; // the words of the card, as they were queued
  const senders = await loadSenders(t, [message.senderSid]);
  const wabaSid = senders.get(message.senderSid)?.wabaSid ?? null;
  await fileDoubtedPrice(t, {
    message,
    wabaSid,
    reportedMinor: BigInt(reportedMinor),
    as,
    source: 'callback',
  });
}

export const lookAtSilence = defineJob({
  ...silentMessages,
  async run({ write }, { messageSids }) {
    await write(async (t) => {
      const messages = [...(await billedMessages(t, messageSids)).values()];
      await fileByPlace(t, messages, t.now, (place) => ({
        ...place,
        fingerprint: `silence/${place.key}`,
        outcome: 'missing_provider_status',
        source: 'callback',
        findings: [
          'The provider never said what became of these messages, and what was held for them was given back.',
        ],
        of: () => ({ expected: { messages: 1, minor: null }, reported: { messages: 0, minor: null } }),
      }));
    });
  },
});

/** Messages that arrived according to the provider, while nothing told us so. */
export const fileUntold = (t: TenantTx, messages: BilledMessage[], source: Source, at = t.now) =>
  fileByPlace(t, messages, at, (place) => ({
    ...place,
    fingerprint: `untold/${place.key}`,
    outcome: 'missing_platform_event',
    source,
    findings: ['The provider delivered these messages, and no event told so.'],
    of: ({ estimateMinor }) => ({
      expected: { messages: 0, minor: 0n },
      reported: { messages: 1, minor: BigInt(estimateMinor!) },
    }),
  }));

type Place = {
  key: string;
  wabaSid: string | null;
  bucket: CaseBucket;
  currency: string | null;
  scale: number | null;
};
type Filing = Omit<Parameters<typeof openCase>[1], 'messages'> & {
  of(message: BilledMessage): Pick<CaseMessage, 'expected' | 'reported'>;
};

/**
 * One case for all messages of a sender, a country and a category on one day: a bad day at the provider is one case in each place,
 * and all messages of a case can be repriced alike.
 */
async function fileByPlace(
  t: TenantTx,
  messages: BilledMessage[],
  at: Date,
  filing: (place: Place) => Filing,
): Promise<void> {
  const senders = await loadSenders(t, [...new Set(messages.map(({ senderSid }) => senderSid))]);
  const day = at.toISOString().slice(0, 10);
  const places = Map.groupBy(messages, (message) => {
    const { senderSid, category, currency } = message;
    return [
      senderSid,
      day,
      marketOf({ identifierType: message.identifierType, value: message.address }),
      category,
      currency,
    ].join('/');
  });
  // In one order, so that two who file at once do not wait for each other in a circle.
  for (const [key, here] of [...places].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [first] = here as [BilledMessage];
    const sender = senders.get(first.senderSid);
    const { of, ...difference } = filing({
      key,
      wabaSid: sender?.wabaSid ?? null,
      bucket: bucketOf(first, sender, day),
      currency: first.currency,
      scale: first.scale,
    });
    const members = here.map((message) => ({
      reference: message.sid,
      messageSid: message.sid,
      proven: true,
      ...of(message),
    }));
    await openCase(t, { ...difference, messages: members });
  }
}

const bucketOf = (message: BilledMessage, sender: Sender | undefined, day: string): CaseBucket => ({
  senderSid: message.senderSid,
  phoneNumber: sender?.phoneNumber ?? null,
  day,
  country: marketOf({ identifierType: message.identifierType, value: message.address }),
  category: message.category,
  pricingType: null,
});

export const lookAtUnknown = defineJob({
  ...unknownMessages,
  async run({ write }, { messages }) {
    await write((t) => fileUnknown(t, messages, 'callback'));
  },
});

/** Charges for messages that are none of ours: one case for a sender and a day. */
export async function fileUnknown(t: TenantTx, messages: UnknownMessage[], source: Source): Promise<void> {
  const places = Map.groupBy(messages, ({ wabaSid, senderSid, day }) =>
    [wabaSid ?? '', senderSid ?? '', day].join('/'),
  );
  for (const [key, here] of [...places].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [{ wabaSid, senderSid, day }] = here as [UnknownMessage];
    const sender = senderSid === null ? null : (await loadSenders(t, [senderSid])).get(senderSid);
    const nowhere = { country: null, category: null, pricingType: null };
    await openCase(t, {
      fingerprint: `unknown/${key}`,
      outcome: 'unexpected_provider_charge',
      source,
      wabaSid,
      bucket: { senderSid, phoneNumber: sender?.phoneNumber ?? null, day, ...nowhere },
      currency: null,
      scale: null,
      messages: here.map(({ providerMessageId }) => ({
        reference: providerMessageId,
        messageSid: null,
        proven: true,
        expected: { messages: 0, minor: null },
        reported: { messages: 1, minor: null },
      })),
      findings: [
        `The provider charges for messages nobody here knows, such as ${here[0]!.providerMessageId}.`,
      ],
    });
  }
}
