// What a copy says about itself: whose it is, and all that GDPR Art. 15(1) wants told beside the data.
import type { TenantTx } from '../../../platform/db/database.ts';
import { describeAccount } from '../../accounts/index.ts';
import { readPolicy } from '../../retention/index.ts';
import { endpointOrigins } from '../../webhooks/index.ts';
import type { PrivacyRequest } from '../schema.ts';
import type { CopiedStore } from '../stores.ts';
import type { StoreSize } from './parts.ts';

export async function aboutCopy(
  t: TenantTx,
  { sid, kind, subject, createdAt }: PrivacyRequest,
  stores: readonly CopiedStore[],
  sizes: readonly StoreSize[],
): Promise<object> {
  const { organizationName } = await describeAccount(t);
  const countOf = (name: string) => sizes.find(({ store }) => store === name)?.entries ?? 0;
  const base = {
    kind,
    requestSid: sid,
    contactSid: subject.contactSid,
    controller: organizationName,
    requestedAt: createdAt,
    copiedAt: t.now.toISOString(),
    contents: stores.map(({ name, copy: { purpose, source } }) => ({
      store: name,
      entries: countOf(name),
      purpose,
      source,
    })),
  };
  if (kind === 'PORTABILITY') return base;
  return {
    ...base,
    recipients: {
      provider: 'WhatsApp, which carries the messages',
      systemsOfTheBusiness: await endpointOrigins(t),
    },
    windows: await windowsOf(t),
    rights:
      'To have the data corrected, erased or restricted, to take it elsewhere, to object, and to complain to a supervisory authority.',
  };
}

/** How long things are kept; null is until the person is erased. */
async function windowsOf(t: TenantTx) {
  const { inForce } = await readPolicy(t);
  return {
    ...inForce,
    mediaDays: t.site.media.retentionDays,
    backupDays: t.site.privacy.backupDays,
  };
}
