// An event as it leaves: the envelope of section 6.1 around its data, as text. Made from what is stored, it is the same
// bytes at every attempt.
import { needsShaping, shapeData } from './versions.ts';

export type StoredEvent = {
  sid: string;
  type: string;
  /** The version it was made in. */
  apiVersion: string;
  occurredAt: string;
  createdAt: string;
  sequence: string;
  livemode: boolean;
  accountSid: string;
  subaccountSid: string | null;
  /** JSON, exactly as it was written. */
  data: string;
};

/** A ping may carry an example of another type: that is what leaves then, said to be one. */
function toldBy(event: StoredEvent): StoredEvent & { sample?: true } {
  if (event.type !== 'test.ping') return event;
  const { sample } = JSON.parse(event.data) as { sample?: { type: string; data: object } };
  return sample ? { ...event, type: sample.type, data: JSON.stringify(sample.data), sample: true } : event;
}

export function eventBody(stored: StoredEvent, version: string): string {
  const event = toldBy(stored);
  const { sid, type, occurredAt, createdAt, livemode, accountSid, subaccountSid, sample } = event;
  const head = JSON.stringify({
    id: sid,
    type,
    apiVersion: version,
    occurredAt,
    createdAt,
    sequence: Number(event.sequence),
    livemode,
    accountSid,
    subaccountSid,
    ...(sample && { sample }),
  });
  return `${head.slice(0, -1)},"data":${dataFor(event, version)}}`;
}

function dataFor({ type, apiVersion, data }: StoredEvent, version: string): string {
  if (!needsShaping(version, apiVersion)) return data;
  return JSON.stringify(shapeData(type, JSON.parse(data), apiVersion, version));
}
