// How differences become cases. The same difference is one case, whoever finds it and however often: its fingerprint is unique, and
// each message counts once in it. What is found of messages after their case was settled is a case of its own, under the same
// fingerprint with a number.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { emit } from '../../../platform/events.ts';
import { newSid } from '../../../platform/ids.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import { getCase, lockCase, mostFindings } from './cases.ts';
import { enquiry } from './enquiry-order.ts';
import { caseEvents } from './events.ts';
import type { CaseBucket, CaseFigure, CaseFinding, Outcome, ReconciliationCase, Source } from './schema.ts';
import { type CaseState, isSettled } from './states.ts';

export type Figures = { messages: number; minor: bigint | null };

export type CaseMessage = {
  /** Its SID, or the provider's name of one that is none of ours. */
  reference: string;
  messageSid: string | null;
  /** Whether it is known to be meant. */
  proven: boolean;
  expected: Figures;
  reported: Figures;
};

export type Difference = {
  fingerprint: string;
  outcome: Outcome;
  source: Source;
  wabaSid: string | null;
  bucket: CaseBucket | null;
  currency: string | null;
  scale: number | null;
  messages: CaseMessage[];
  /** Where the figures are not the sum of the messages: those of a place in which nobody knows which messages are meant. */
  totals?: Totals;
  findings: string[];
};

export type Totals = { count: number; expected: Figures; reported: Figures };

/** The case the messages now belong to, or null when all of them stand in one already. */
export async function openCase(t: TenantTx, difference: Difference): Promise<ReconciliationCase | null> {
  for (let part = 1; ; part += 1) {
    const fingerprint = part === 1 ? difference.fingerprint : `${difference.fingerprint}#${part}`;
    const fresh = await insertCase(t, { ...difference, fingerprint });
    const found = fresh ?? (await lockByFingerprint(t, fingerprint));
    if (!isSettled(found.state)) return fill(t, found.sid, difference, fresh !== null);
    const rest = await withoutMembers(t, found.sid, difference.messages);
    if (rest.length === 0) return null;
    difference = { ...difference, messages: rest };
  }
}

type Named = { sid: string; state: CaseState };

async function insertCase(t: TenantTx, { fingerprint, ...difference }: Difference): Promise<Named | null> {
  const { outcome, source, wabaSid, bucket, currency, scale } = difference;
  const row = await t.maybe<Named>(sql`
    insert into reconciliation_cases (account_sid, livemode, sid, fingerprint, outcome, source, waba_sid, bucket, message_count,
      expected_messages, reported_messages, currency, scale, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${newSid('CS', t.now)}, ${fingerprint}, ${outcome}, ${source}, ${wabaSid},
      ${bucket ? JSON.stringify(bucket) : null}::json, 0, 0, 0, ${currency}, ${scale}, ${t.now}, ${t.now})
    on conflict (account_sid, livemode, fingerprint) do nothing
    returning sid, state`);
  return row ?? null;
}

const lockByFingerprint = (t: TenantTx, fingerprint: string) =>
  t.one<Named>(sql`
    select sid, state from reconciliation_cases
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and fingerprint = ${fingerprint} for no key update`);

async function withoutMembers(t: TenantTx, caseSid: string, messages: CaseMessage[]): Promise<CaseMessage[]> {
  const known = await t.many<{ reference: string }>(sql`
    select reference from reconciliation_case_messages
     where account_sid = ${t.accountSid} and case_sid = ${caseSid}
       and reference = any(${messages.map(({ reference }) => reference)}::text[])`);
  const references = new Set(known.map(({ reference }) => reference));
  return messages.filter(({ reference }) => !references.has(reference));
}

/** Lets the messages belong to an unsettled case, counts those that are new to it, and has the provider asked about them. */
async function fill(
  t: TenantTx,
  caseSid: string,
  difference: Difference,
  isNew: boolean,
): Promise<ReconciliationCase | null> {
  const added = await addMessages(t, caseSid, difference.messages);
  const current = await lockCase(t, caseSid);
  const totals = difference.totals ?? sumWith(isNew ? null : current, added);
  if (!isNew && added.length === 0 && isAs(current, totals)) return null;
  const findings: CaseFinding[] = difference.findings.map((text) => ({
    at: t.now.toISOString(),
    text,
    messageSid: difference.messages.length === 1 ? difference.messages[0]!.messageSid : null,
  }));
  await store(t, current, totals, findings, isNew);
  const opened = await getCase(t, caseSid);
  emit(t, isNew ? caseEvents.opened : caseEvents.updated, opened);
  if (added.some(({ messageSid }) => messageSid !== null)) {
    enqueue(t, enquiry, { caseSid }, { key: `enquiry/${caseSid}` });
  }
  return opened;
}

export async function addMessages(
  t: TenantTx,
  caseSid: string,
  messages: CaseMessage[],
): Promise<CaseMessage[]> {
  const rows = await t.many<{ reference: string }>(sql`
    insert into reconciliation_case_messages (account_sid, livemode, case_sid, reference, message_sid, proven)
    select ${t.accountSid}, ${t.livemode}, ${caseSid}, item.reference, item.message_sid, item.proven
      from unnest(${messages.map(({ reference }) => reference)}::text[],
        ${messages.map(({ messageSid }) => messageSid)}::text[],
        ${messages.map(({ proven }) => proven)}::boolean[]) as item (reference, message_sid, proven)
    on conflict (account_sid, case_sid, reference) do nothing
    returning reference`);
  const added = new Set(rows.map(({ reference }) => reference));
  // One that is named twice is counted once.
  return messages.filter(({ reference }) => added.delete(reference));
}

async function store(
  t: TenantTx,
  current: ReconciliationCase,
  { count, expected, reported }: Totals,
  findings: CaseFinding[],
  isNew: boolean,
): Promise<void> {
  await t.run(sql`
    update reconciliation_cases set message_count = ${count},
      expected_messages = ${expected.messages}, expected_minor = ${expected.minor?.toString() ?? null}::bigint,
      reported_messages = ${reported.messages}, reported_minor = ${reported.minor?.toString() ?? null}::bigint,
      findings = ${JSON.stringify([...current.findings, ...findings].slice(-mostFindings))}::json,
      version = version + ${isNew ? 0 : 1}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${current.sid}`);
}

const figuresOf = ({ messages, amount }: CaseFigure): Figures => ({
  messages,
  minor: amount && BigInt(amount.amountMinor),
});

/** What a case says together with the messages that were added to it. */
function sumWith(known: ReconciliationCase | null, added: CaseMessage[]): Totals {
  const sum = (side: 'expected' | 'reported') =>
    [...(known ? [figuresOf(known[side])] : []), ...added.map((message) => message[side])].reduce(plus, {
      messages: 0,
      minor: 0n,
    });
  return {
    count: (known?.messageCount ?? 0) + added.length,
    expected: sum('expected'),
    reported: sum('reported'),
  };
}

/** An amount nobody knows makes the sum unknown. */
const plus = (a: Figures, b: Figures): Figures => ({
  messages: a.messages + b.messages,
  minor: a.minor === null || b.minor === null ? null : a.minor + b.minor,
});

function isAs(known: ReconciliationCase, { count, expected, reported }: Totals): boolean {
  const same = (a: Figures, b: Figures) => a.messages === b.messages && a.minor === b.minor;
  return (
    known.messageCount === count &&
    same(figuresOf(known.expected), expected) &&
    same(figuresOf(known.reported), reported)
  );
}

/** The provider said of these that they were delivered. */
export async function proveMessages(t: TenantTx, caseSid: string, messageSids: string[]): Promise<void> {
  if (messageSids.length === 0) return;
  await t.run(sql`
    update reconciliation_case_messages set proven = true
     where account_sid = ${t.accountSid} and case_sid = ${caseSid} and message_sid = any(${messageSids}::text[])`);
}
