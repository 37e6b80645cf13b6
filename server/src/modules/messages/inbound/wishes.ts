// Stopping and starting by keyword: what a person wrote decides, and of two such words the later one.
import type { TenantTx } from '../../../platform/db/database.ts';
import { roundsOf } from '../../../platform/rounds.ts';
import {
  type ConsentEntry,
  consentsOf,
  getConsent,
  liftSuppressions,
  recordConsents,
  standingSuppressions,
  suppressContact,
} from '../../consent/index.ts';
import { holdContact } from '../../contacts/index.ts';
import type { Wish } from './keywords.ts';

export type Wished = { wish: Wish; word: string; contactSid: string; messageSid: string; occurredAt: Date };

export async function grantWishes(t: TenantTx, wishes: Wished[]): Promise<void> {
  // Each person's words in the order in which they were said, one a round: people do not wait for one another.
  const inOrder = wishes.toSorted((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime());
  for (const round of roundsOf(inOrder, ({ contactSid }) => contactSid)) await grantRound(t, round);
}

async function grantRound(t: TenantTx, round: Wished[]): Promise<void> {
  const heard = await withoutOutdated(t, round);
  // Contacts are locked in the order of their names, as everybody does who locks several.
  const inOrder = heard.toSorted((a, b) => (a.contactSid < b.contactSid ? -1 : 1));
  await Promise.all(inOrder.map((wished) => (wished.wish === 'stop' ? stop(t, wished) : start(t, wished))));
  await recordConsents(t, heard.map(consentOf));
}

/** Messages arrive late and out of order: a word older than the last one that was heard changes nothing. */
async function withoutOutdated(t: TenantTx, round: Wished[]): Promise<Wished[]> {
  const consents = await consentsOf(
    t,
    round.map(({ contactSid }) => contactSid),
  );
  const outdated = await Promise.all(
    round.map(async ({ contactSid, occurredAt }) => {
      const last = consents.get(contactSid)?.MARKETING.consentSid;
      if (!last) return false;
      const { source, evidence } = await getConsent(t, contactSid, last);
      const capturedAt = evidence?.capturedAt;
      return source === 'KEYWORD' && capturedAt !== undefined && new Date(capturedAt) > occurredAt;
    }),
  );
  return round.filter((_, i) => !outdated[i]);
}

async function stop(t: TenantTx, { contactSid, word, occurredAt }: Wished): Promise<void> {
  const terms = { reason: 'KEYWORD_OPT_OUT', scope: 'MARKETING', source: word.slice(0, 64) } as const;
  await suppressContact(t, contactSid, terms, occurredAt);
}

async function start(t: TenantTx, { contactSid, word, occurredAt }: Wished): Promise<void> {
  await holdContact(t, contactSid);
  const standing = (await standingSuppressions(t, [contactSid])).get(contactSid) ?? [];
  for (const { sid, reason } of standing) {
    if (reason !== 'KEYWORD_OPT_OUT') continue;
    const lifting = { contactSid, suppressionSid: sid, reason: `Wrote ${word}` };
    await liftSuppressions(t, lifting, occurredAt);
  }
}

const consentOf = ({ wish, word, contactSid, messageSid, occurredAt }: Wished): ConsentEntry => ({
  contactSid,
  input: {
    purpose: 'MARKETING',
    source: 'KEYWORD',
    status: wish === 'stop' ? 'OPTED_OUT' : 'OPTED_IN',
    evidenceRef: messageSid,
    evidence: { wording: word, capturedAt: occurredAt.toISOString() },
  },
  toldAt: occurredAt,
});
