// What the samples of resources are made of. The identifiers are made up and name nothing.
import type { Tenant } from './db/database.ts';
import type { SidPrefix } from './ids.ts';

export const sampleSid = (prefix: SidPrefix, last: '0' | '1' = '0') =>
  `${prefix}01K3SAMP1E000000000000000${last}`;
export const sampleUuid = '01990000-0000-7000-8000-000000000000';
export const sampleTime = '2026-08-21T10:00:00.000Z';

/** What every resource has: whose it is, and of which environment. */
export const sampleOwner = { accountSid: sampleSid('AC'), livemode: false };
export const sampleTimes = { createdAt: sampleTime, updatedAt: sampleTime };

/** A sample as it would look in this account and environment. */
export function sampleIn<Sample extends object>({ accountSid, livemode }: Tenant, sample: Sample): Sample {
  return {
    ...sample,
    ...('accountSid' in sample && { accountSid }),
    ...('livemode' in sample && { livemode }),
  };
}
