// The code and the PIN somebody brought, sealed from the request until the provider has taken them.
import type { TenantTx } from '../../platform/db/database.ts';

type Secret = 'code' | 'pin';

const contextOf = (t: TenantTx, operationSid: string, secret: Secret) =>
  `number migration ${secret}/${t.accountSid}/${operationSid}`;

export const sealSecret = (t: TenantTx, operationSid: string, secret: Secret, value: string): Buffer =>
  t.sealer.seal(value, contextOf(t, operationSid, secret));

export const openSecret = (t: TenantTx, operationSid: string, secret: Secret, sealed: Buffer): string =>
  t.sealer.open(sealed, contextOf(t, operationSid, secret)).toString('utf8');
