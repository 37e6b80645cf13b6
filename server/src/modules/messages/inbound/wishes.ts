// Stopping and starting by keyword: what a person wrote decides, and of two such words the later one.
import type { TenantTx } from '../../../platform/db/database.ts';
import { roundsOf } from '../../../platform/rounds.ts';
import {
  type ConsentEntry,
  consentsBySid,
  consentsOf,
  liftSuppressions,
  recordConsents,
  standingSuppressions,
  suppressLocked,
} from '../../consent/index.ts';
import type { Wish } from './keywords.ts';

export type Wished = { wish: Wish; word: string; contactSid: string; messageSid: string; occurredAt: Date };

export async function grantWishes(t: TenantTx, wishes: Wished[]): Promise<void> {
  // Each person's words in the order in which they were said, one a round: people do not wait for one another.
  const inOrder = wishes.toSorted((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime());
  for (const round of roundsOf(inOrder, ({ contactSid }) => contactSid)) await grantRound(t, round);
}

/** At most one word a person. Whoever wrote is held already. */
async function grantRound(t: TenantTx, round: Wished[]): Promise<void> {
  const heard = await withoutOutdated(t, round);
  const saying = (wish: Wish) => heard.filter((wished) => wished.wish === wish);
  await suppressLocked(t, saying('stop').map(suppressionOf));
  await start(t, saying('start'));
  await recordConsents(t, heard.map(consentOf));
}

/** Messages arrive late and out of order: a word older than the last one that was heard changes nothing. */
async function withoutOutdated(t: TenantTx, round: Wished[]): Promise<Wished[]> {
  const consents = await consentsOf(
    t,
    round.map(({ contactSid }) => contactSid),
  );
  const lastOf = ({ contactSid }: Wished) => consents.get(contactSid)?.MARKETING.consentSid ?? null;
  const records = await consentsBySid(
    t,
    round.flatMap((wished) => lastOf(wished) ?? []),
  );
  return round.filter((wished) => {
    const last = records.get(lastOf(wished) ?? '');
    const capturedAt = last?.source === 'KEYWORD' ? last.evidence?.capturedAt : undefined;
    return capturedAt === undefined || new Date(capturedAt) <= wished.occurredAt;
  });
}

const suppressionOf = ({ contactSid, word, occurredAt }: Wished) => ({
  contactSid,
  terms: { reason: 'KEYWORD_OPT_OUT', scope: 'MARKETING', source: word.slice(0, 64) } as const,
  toldAt: occurredAt,
});

async function start(t: TenantTx, wishes: Wished[]): Promise<void> {
  const standing = await standingSuppressions(
    t,
    wishes.map(({ contactSid }) => contactSid),
  );
  for (const { contactSid, word, occurredAt } of wishes) {
    for (const { sid, reason } of standing.get(contactSid) ?? []) {
      if (reason !== 'KEYWORD_OPT_OUT') continue;
      const lifting = { contactSid, suppressionSid: sid, reason: `Wrote ${word}` };
      await liftSuppressions(t, lifting, occurredAt);
    }
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
