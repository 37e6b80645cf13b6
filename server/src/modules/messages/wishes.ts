// Stopping and starting by keyword: what a person wrote decides, and of two such words the later one.
import type { TenantTx } from '../../platform/db/database.ts';
import {
  consentsOf,
  getConsent,
  liftSuppressions,
  recordConsent,
  standingSuppressions,
  suppressContact,
} from '../consent/index.ts';
import type { Wish } from './keywords.ts';

export type Wished = { wish: Wish; word: string; contactSid: string; messageSid: string; occurredAt: Date };

export async function grantWishes(t: TenantTx, wishes: Wished[]): Promise<void> {
  for (const wished of wishes.toSorted((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime())) {
    if (await isOutdated(t, wished)) continue;
    if (wished.wish === 'stop') await stop(t, wished);
    else await start(t, wished);
  }
}

/** Messages arrive late and out of order: a word older than the last one that was heard changes nothing. */
async function isOutdated(t: TenantTx, { contactSid, occurredAt }: Wished): Promise<boolean> {
  const last = (await consentsOf(t, [contactSid])).get(contactSid)?.MARKETING.consentSid;
  if (!last) return false;
  const { source, evidence } = await getConsent(t, contactSid, last);
  const capturedAt = evidence?.capturedAt;
  return source === 'KEYWORD' && capturedAt !== undefined && new Date(capturedAt) > occurredAt;
}

const evidenceOf = ({ word, occurredAt }: Wished) => ({
  wording: word,
  capturedAt: occurredAt.toISOString(),
});

async function stop(t: TenantTx, wished: Wished): Promise<void> {
  const { contactSid, messageSid, word } = wished;
  const terms = { reason: 'KEYWORD_OPT_OUT', scope: 'MARKETING', source: word.slice(0, 64) } as const;
  await suppressContact(t, contactSid, terms, wished.occurredAt);
  await record(t, wished, 'OPTED_OUT', messageSid);
}

async function start(t: TenantTx, wished: Wished): Promise<void> {
  const { contactSid, messageSid, word } = wished;
  const standing = (await standingSuppressions(t, [contactSid])).get(contactSid) ?? [];
  for (const { sid, reason } of standing) {
    if (reason !== 'KEYWORD_OPT_OUT') continue;
    const lifting = { contactSid, suppressionSid: sid, reason: `Wrote ${word}` };
    await liftSuppressions(t, lifting, wished.occurredAt);
  }
  await record(t, wished, 'OPTED_IN', messageSid);
}

async function record(t: TenantTx, wished: Wished, status: 'OPTED_IN' | 'OPTED_OUT', messageSid: string) {
  const consent = {
    purpose: 'MARKETING',
    source: 'KEYWORD',
    status,
    evidenceRef: messageSid,
    evidence: evidenceOf(wished),
  } as const;
  await recordConsent(t, wished.contactSid, consent, wished.occurredAt);
}
