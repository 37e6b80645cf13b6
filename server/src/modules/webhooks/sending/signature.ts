import { createHmac, type KeyObject } from 'node:crypto';

/** `t=<unix seconds>,v1=<hex>` over `t.` and the raw bytes of the body; a `v1=` for each secret that signs now. */
export function signatureOf(body: Buffer, secrets: (string | KeyObject)[], at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000);
  const signed = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex'),
  );
  return [`t=${seconds}`, ...signed.map((hex) => `v1=${hex}`)].join(',');
}
