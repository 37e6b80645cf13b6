// Cases as they are told, listed and settled.
//
//   open ──▶ investigating ──▶ resolved | rejected
//     └────────────────────────▲
//
// Every change raises the version, under the row's lock. Deciding a case moves no money; remediation does.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { emit } from '../../../platform/events.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { type Money, type MoneyWire, money, toWire } from '../../../platform/money.ts';
import { principalName } from '../../../platform/principal.ts';
import { audit } from '../../audit/index.ts';
import { caseEvents } from './events.ts';
import type { CaseDecision, CaseFigure, CaseFinding, CaseResolution, ReconciliationCase } from './schema.ts';
import { type CaseState, isSettled, movesFrom } from './states.ts';

/** How many of a case's messages are named, and asked about. */
export const mostNamed = 100;
/** The newest findings are kept: one for each named message, and some to spare. */
export const mostFindings = 200;

type CaseRow = Omit<ReconciliationCase, 'object' | 'expected' | 'reported' | 'difference'> & {
  expectedMessages: number;
  expectedMinor: string | null;
  reportedMessages: number;
  reportedMinor: string | null;
  currency: string | null;
  scale: number | null;
};

const columns = sql`c.sid, c.account_sid as "accountSid", c.livemode, c.state, c.outcome, c.source, c.waba_sid as "wabaSid", c.bucket,
  c.message_count as "messageCount", c.expected_messages as "expectedMessages", c.expected_minor as "expectedMinor",
  c.reported_messages as "reportedMessages", c.reported_minor as "reportedMinor", c.currency, c.scale, c.findings, c.resolution,
  c.version, c.created_at as "createdAt", c.updated_at as "updatedAt",
  array(select n.message_sid from reconciliation_case_messages n
         where n.account_sid = c.account_sid and n.case_sid = c.sid and n.message_sid is not null
         order by n.reference limit ${mostNamed}) as "messageSids"`;

function toCase(row: CaseRow): ReconciliationCase {
  const { expectedMessages, expectedMinor, reportedMessages, reportedMinor, currency, scale, ...rest } = row;
  const amount = (minor: string | null): MoneyWire | null =>
    minor === null || currency === null || scale === null
      ? null
      : toWire(money(BigInt(minor), currency, scale));
  const minorBetween =
    expectedMinor === null || reportedMinor === null
      ? null
      : String(BigInt(reportedMinor) - BigInt(expectedMinor));
  const difference: CaseFigure = {
    messages: reportedMessages - expectedMessages,
    amount: amount(minorBetween),
  };
  return {
    object: 'reconciliation_case',
    ...rest,
    expected: { messages: expectedMessages, amount: amount(expectedMinor) },
    reported: { messages: reportedMessages, amount: amount(reportedMinor) },
    // As many messages at another cost to the platform: how much is between it and the provider.
    difference: difference.messages === 0 && difference.amount === null ? null : difference,
  };
}

export async function findCase(t: TenantTx, sid: string): Promise<ReconciliationCase | null> {
  const row = await t.maybe<CaseRow>(sql`
    select ${columns} from reconciliation_cases c
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sid = ${sid}`);
  return row ? toCase(row) : null;
}

export async function getCase(t: TenantTx, sid: string): Promise<ReconciliationCase> {
  const found = await findCase(t, sid);
  if (!found) throw new ApiError('NOT_FOUND');
  return found;
}

/** The case, locked until the transaction ends: before the wallet, as every row of one's own. */
export async function lockCase(t: TenantTx, sid: string): Promise<ReconciliationCase> {
  await t.run(sql`
    select from reconciliation_cases
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} for no key update`);
  return getCase(t, sid);
}

export async function listCases(
  t: TenantTx,
  { state = null, outcome = null }: Partial<Record<'state' | 'outcome', string | null>>,
  pager: Pager,
) {
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<CaseRow>(sql`
    select ${columns} from reconciliation_cases c
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode}
       and (${state}::text is null or c.state = ${state}) and (${outcome}::text is null or c.outcome = ${outcome})
       and (${before}::text is null or c.sid < ${before})
     order by c.sid desc limit ${pager.fetch}`);
  return pager.page(rows, ({ sid }) => [sid], toCase);
}

type Settlement = Pick<CaseResolution, 'decision' | 'reason' | 'evidence'> & { adjusted?: Money | null };

/** Settles a locked case. Whoever comes second is refused. */
export async function settleCase(
  t: TenantTx,
  locked: ReconciliationCase,
  { adjusted = null, ...decided }: Settlement,
): Promise<ReconciliationCase> {
  if (!movesFrom[locked.state].includes(decided.decision)) {
    throw new ApiError('CONFLICT', { message: `The case is ${locked.state} and stays so.` });
  }
  const resolution: CaseResolution = {
    ...decided,
    decidedBy: principalName(t.principal),
    decidedAt: t.now.toISOString(),
    adjusted: adjusted && toWire(adjusted),
  };
  const settled = await changeCase(t, locked, { state: decided.decision, resolution });
  emit(t, caseEvents.resolved, settled);
  return settled;
}

export async function decideCase(
  t: TenantTx,
  sid: string,
  decision: CaseDecision,
): Promise<ReconciliationCase> {
  const { evidence, reason, resolution } = decision;
  const settled = await settleCase(t, await lockCase(t, sid), { decision: resolution, reason, evidence });
  audit(t, {
    action: `reconciliation_case.${resolution}`,
    resource: sid,
    facts: { outcome: settled.outcome, reason },
  });
  return settled;
}

type Change = {
  state?: CaseState;
  resolution?: CaseResolution;
  findings?: CaseFinding[];
};

/** Writes to a locked case; the statement says again what it was. */
export async function changeCase(
  t: TenantTx,
  locked: ReconciliationCase,
  { state = locked.state, resolution = undefined, findings = [] }: Change,
): Promise<ReconciliationCase> {
  const kept = [...locked.findings, ...findings].slice(-mostFindings);
  const changed = await t.run(sql`
    update reconciliation_cases set state = ${state}, findings = ${JSON.stringify(kept)}::json,
      resolution = ${resolution ? JSON.stringify(resolution) : null}::json, version = version + 1, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${locked.sid} and state = ${locked.state}
       and version = ${locked.version}`);
  if (changed !== 1) throw new Error('a locked case was changed by somebody else');
  return getCase(t, locked.sid);
}

/** Adds what was found out, and tells of it. A settled case takes no more. */
export async function addFindings(
  t: TenantTx,
  locked: ReconciliationCase,
  findings: CaseFinding[],
  state: CaseState = locked.state,
): Promise<ReconciliationCase> {
  if (isSettled(locked.state) || (findings.length === 0 && state === locked.state)) return locked;
  const changed = await changeCase(t, locked, { state, findings });
  emit(t, caseEvents.updated, changed);
  return changed;
}
