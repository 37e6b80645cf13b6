// Webhooks as a receiver meets them: signed bytes in, an event out.
import { bytesOf, hmacHolds } from './core/hmac.ts';
import { WebhooksApi } from './generated/apis.ts';
import type { Event } from './generated/models.ts';

/** The request is not from the service, or too old. Answer it with 400 and do nothing. */
export class WebhookSignatureError extends Error {
  override readonly name = 'WebhookSignatureError';
}

export type VerifyOptions = {
  /** How far the sender's clock may be from the receiver's; 300 unless given. */
  toleranceSeconds?: number;
  now?: Date;
};

/**
 * The event a webhook brings, once its signature holds. `raw` is the body byte for byte as it came, before anything parsed it;
 * `header` what stands in `X-Service-Signature`; `secrets` the endpoint's secret, or both while one takes the place of the other.
 */
export async function verifyWebhook(
  raw: string | Uint8Array,
  header: string | null | undefined,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Promise<Event> {
  const pairs = (header ?? '').split(',').map((pair) => pair.trim().split('='));
  const t = pairs.find(([name]) => name === 't')?.[1] ?? '';
  const signatures = pairs.flatMap(([name, value]) => (name === 'v1' && value ? [value] : []));
  if (!/^[0-9]{1,12}$/.test(t) || signatures.length === 0)
    throw new WebhookSignatureError('The header X-Service-Signature is missing, or has another form.');
  if (Math.abs(now.getTime() / 1000 - Number(t)) > toleranceSeconds)
    throw new WebhookSignatureError('The signature is too old, or the clock of this machine is wrong.');
  const signed = joined(bytesOf(`${t}.`), bytesOf(raw));
  for (const secret of [secrets].flat())
    for (const signature of signatures)
      if (await hmacHolds(secret, signed, signature))
        return JSON.parse(new TextDecoder().decode(bytesOf(raw)));
  throw new WebhookSignatureError('No signature is of this body under a known secret.');
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const whole = new Uint8Array(one.length + other.length);
  whole.set(one);
  whole.set(other, one.length);
  return whole;
}

export class Webhooks extends WebhooksApi {
  /** `verifyWebhook`, at hand where a client is. */
  verify = verifyWebhook;
}
