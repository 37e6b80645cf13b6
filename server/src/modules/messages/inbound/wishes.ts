// Stopping and starting by keyword: what a person wrote decides, and of two such words the later one.
import type { TenantTx } from '../../../platform/db/database.ts';
import { roundsOf } from '../../../platform/queue/rounds.ts';
import {
  type ConsentEntry,
  consentsBySid,
  consentsOf,
  liftSuppressions,
  recordConsents,
  standingSuppressions,
  suppressLocked,
} from '../../consent/index.ts';
import { type ConfirmedOptIn, confirmOptIn } from '../../opt-in-links/index.ts';
import type { Wish } from './keywords.ts';

export type Wished = {
  wish: Wish;
  word: string;
  /** What a form gave them to send along; null for a keyword alone. */
  code: string | null;
  contactSid: string;
  messageSid: string;
  occurredAt: Date;
};

/** One that counts, with what it confirms. */
type Heard = Wished & { confirms: ConfirmedOptIn | null };

export async function grantWishes(t: TenantTx, wishes: Wished[]): Promise<void> {
  // Each person's words in the order in which they were said, one a round: people do not wait for one another.
  const inOrder = wishes.toSorted((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime());
  for (const round of roundsOf(inOrder, ({ contactSid }) => contactSid)) await grantRound(t, round);
}

/** At most one word a person. Whoever wrote is held already. */
async function grantRound(t: TenantTx, round: Wished[]): Promise<void> {
  const heard = await withoutForeignCodes(t, await withoutOutdated(t, round));
  const saying = (wish: Wish) => heard.filter((wished) => wished.wish === wish);
  await suppressLocked(t, saying('stop').map(suppressionOf));
  await start(t, saying('start'));
  await recordConsents(t, heard.map(consentOf));
}

/** A code that is not the writer's own says nothing: not even that they want to be written to. */
async function withoutForeignCodes(t: TenantTx, round: Wished[]): Promise<Heard[]> {
  const heard: Heard[] = [];
  for (const wished of round) {
    const { code, contactSid } = wished;
    const confirms = code === null ? null : await confirmOptIn(t, contactSid, code);
    if (code === null || confirms) heard.push({ ...wished, confirms });
  }
  return heard;
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

// What the person said by a keyword, a keyword takes back. What was recorded as their wish in another way takes the code.
const liftedBy = ({ confirms }: Heard) =>
  confirms ? ['KEYWORD_OPT_OUT', 'CUSTOMER_OPT_OUT'] : ['KEYWORD_OPT_OUT'];

async function start(t: TenantTx, wishes: Heard[]): Promise<void> {
  const standing = await standingSuppressions(
    t,
    wishes.map(({ contactSid }) => contactSid),
  );
  for (const wished of wishes) {
    const { contactSid, word, occurredAt } = wished;
    for (const { sid, reason } of standing.get(contactSid) ?? []) {
      if (!liftedBy(wished).includes(reason)) continue;
      const lifting = { contactSid, suppressionSid: sid, reason: `Wrote ${word}` };
      await liftSuppressions(t, lifting, occurredAt);
    }
  }
}

const consentOf = ({ wish, word, confirms, contactSid, messageSid, occurredAt }: Heard): ConsentEntry => ({
  contactSid,
  input: {
    purpose: confirms?.purpose ?? 'MARKETING',
    source: 'KEYWORD',
    status: wish === 'stop' ? 'OPTED_OUT' : 'OPTED_IN',
    evidenceRef: messageSid,
    evidence: {
      ...(confirms ? evidenceOf(word, confirms) : { wording: word }),
      capturedAt: occurredAt.toISOString(),
    },
  },
  toldAt: occurredAt,
});

/** The words they agreed to stand on the form; what they wrote says that it was them. */
const evidenceOf = (word: string, { consentText, wordingVersion, proofRef }: ConfirmedOptIn) => ({
  wording: consentText,
  wordingVersion,
  proofRef,
  reOptIn: true,
  reason: `Wrote ${word}`,
});
