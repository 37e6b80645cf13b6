import { createHmac } from 'node:crypto';

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

/** The header that proves a webhook: one `v1` for each secret, and outside live mode a `v0` that proves nothing. */
export function signatureOf(text: string, secrets: string[], timeS: number, livemode: boolean): string {
  const signed = `${timeS}.${text}`;
  const parts = secrets.map((secret) => `v1=${hmac(secret, signed)}`);
  return [`t=${timeS}`, ...parts, ...(livemode ? [] : [`v0=${hmac('v0', signed)}`])].join(',');
}
