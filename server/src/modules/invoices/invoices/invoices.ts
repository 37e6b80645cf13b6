// Invoices as they are stored and shown. Their amounts are in the minor units of the currency itself.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { type EventType, emit } from '../../../platform/events.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { format, money, toWire } from '../../../platform/money.ts';
import { documentOf } from '../../billing-documents/index.ts';
import type { Invoice, InvoiceQuery, InvoiceWithDocument } from './schema.ts';
import { type InvoiceState, type Move, mayMove, moves, wrongState } from './states.ts';

type Stored = Pick<
  Invoice,
  | 'sid'
  | 'number'
  | 'walletId'
  | 'currency'
  | 'periods'
  | 'lines'
  | 'taxLines'
  | 'issuedAt'
  | 'dueAt'
  | 'createdAt'
  | 'updatedAt'
> & {
  state: InvoiceState;
  scale: number;
  dueMinor: string;
  netMinor: string;
  taxMinor: string;
  paidMinor: string;
  creditedNetMinor: string;
  creditedTaxMinor: string;
  creditedOpenMinor: string;
  writtenOffMinor: string;
  sealedHostedUrl: Buffer | null;
  cardIntentId: string | null;
  /** The try of the card whose outcome is not known yet. */
  attemptIntentId: string | null;
  retryDelaysHours: number[];
  collectAttempts: number;
  nextAttemptAt: string | null;
  lastFailure: string | null;
  dunning: string;
  submissionProvider: string;
  submissionReference: string | null;
  submissionAttempts: number;
  submissionError: string | null;
};

type Amounts = 'dueMinor' | 'netMinor' | 'taxMinor' | 'paidMinor';
type Credited = 'creditedNetMinor' | 'creditedTaxMinor' | 'creditedOpenMinor' | 'writtenOffMinor';
export type InvoiceRow = Omit<Stored, Amounts | Credited> & Record<Amounts | Credited, bigint>;

const columns = sql`sid, number, state, wallet_id as "walletId", currency, scale, periods, lines, tax_lines as "taxLines",
  due_minor as "dueMinor", net_minor as "netMinor", tax_minor as "taxMinor", paid_minor as "paidMinor",
  credited_net_minor as "creditedNetMinor", credited_tax_minor as "creditedTaxMinor",
  credited_open_minor as "creditedOpenMinor", written_off_minor as "writtenOffMinor", issued_at as "issuedAt",
  due_at as "dueAt", sealed_hosted_url as "sealedHostedUrl", card_intent_id as "cardIntentId",
  attempt_intent_id as "attemptIntentId",
  retry_delays_hours as "retryDelaysHours", collect_attempts as "collectAttempts", next_attempt_at as "nextAttemptAt",
  last_failure as "lastFailure", dunning, submission_provider as "submissionProvider",
  submission_reference as "submissionReference", submission_attempts as "submissionAttempts",
  submission_error as "submissionError", created_at as "createdAt", updated_at as "updatedAt"`;

const toRow = (stored: Stored): InvoiceRow => ({
  ...stored,
  dueMinor: BigInt(stored.dueMinor),
  netMinor: BigInt(stored.netMinor),
  taxMinor: BigInt(stored.taxMinor),
  paidMinor: BigInt(stored.paidMinor),
  creditedNetMinor: BigInt(stored.creditedNetMinor),
  creditedTaxMinor: BigInt(stored.creditedTaxMinor),
  creditedOpenMinor: BigInt(stored.creditedOpenMinor),
  writtenOffMinor: BigInt(stored.writtenOffMinor),
});

export const totalOf = ({ netMinor, taxMinor }: InvoiceRow): bigint => netMinor + taxMinor;

/** What is still to be paid; nothing of one that was voided. */
export function outstandingOf(row: InvoiceRow): bigint {
  if (row.state === 'void') return 0n;
  return totalOf(row) - row.paidMinor - row.creditedOpenMinor - row.writtenOffMinor;
}

/** The same for people to read. */
export const shownOutstanding = (row: InvoiceRow): string =>
  format(money(outstandingOf(row), row.currency, row.scale));

/** Refuses what the state does not allow. */
export function requireMove(row: InvoiceRow, move: Move): void {
  if (!mayMove(row.state, move)) throw wrongState(row.state, moves[move].from, shownOutstanding(row));
}

export function toInvoice(t: TenantTx, row: InvoiceRow): Invoice {
  const wire = (amountMinor: bigint) => toWire(money(amountMinor, row.currency, row.scale));
  const applied = row.lines.filter(({ kind }) => kind === 'balance_applied');
  const balanceApplied = applied.reduce((sum, { amount }) => sum + BigInt(amount.amountMinor), 0n);
  return {
    object: 'invoice',
    sid: row.sid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    number: row.number,
    state: row.state,
    walletId: row.walletId,
    currency: row.currency,
    periods: row.periods,
    lines: row.lines,
    subtotal: wire(row.netMinor - balanceApplied),
    balanceApplied: wire(balanceApplied),
    taxLines: row.taxLines,
    total: wire(totalOf(row)),
    credited: wire(row.creditedNetMinor + row.creditedTaxMinor),
    paid: wire(row.paidMinor),
    outstanding: wire(outstandingOf(row)),
    issuedAt: row.issuedAt,
    dueAt: row.dueAt,
    hostedUrl:
      row.sealedHostedUrl && t.sealer.open(row.sealedHostedUrl, linkContext(t, row.sid)).toString('utf8'),
    collection: {
      attempts: row.collectAttempts,
      nextAttemptAt: row.nextAttemptAt,
      lastFailure: row.lastFailure,
    },
    submission: {
      provider: row.submissionProvider,
      reference: row.submissionReference,
      attempts: row.submissionAttempts,
      error: row.submissionError,
    },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** Whoever has the link can see what is asked for, so it is kept sealed. */
export const linkContext = ({ accountSid }: TenantTx, sid: string) => `invoice-link:${accountSid}:${sid}`;

/** Events are kept and sent on: the link, which anybody who has it can open, is in answers only. */
export function tell(t: TenantTx, type: EventType<Invoice>, row: InvoiceRow): Invoice {
  const invoice = toInvoice(t, row);
  emit(t, type, { ...invoice, hostedUrl: null });
  return invoice;
}

const here = (t: TenantTx, sid: string) =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}`;

export async function findInvoice(t: TenantTx, sid: string): Promise<InvoiceRow> {
  const found = await findInvoiceIfAny(t, sid);
  if (!found) throw new ApiError('NOT_FOUND');
  return found;
}

export async function findInvoiceIfAny(t: TenantTx, sid: string): Promise<InvoiceRow | null> {
  const stored = await t.maybe<Stored>(sql`select ${columns} from invoices where ${here(t, sid)}`);
  return stored ? toRow(stored) : null;
}

/** Locked until the transaction ends; before documents and wallets, and after a payment of it. */
export async function lockInvoice(t: TenantTx, sid: string): Promise<InvoiceRow> {
  const stored = await t.maybe<Stored>(sql`
    select ${columns} from invoices where ${here(t, sid)} for no key update`);
  if (!stored) throw new ApiError('NOT_FOUND');
  return toRow(stored);
}

/** Changes what is said of an invoice that is locked. */
export async function changeInvoice(t: TenantTx, row: InvoiceRow, changes: Sql): Promise<InvoiceRow> {
  const changed = await t.run(sql`
    update invoices set ${changes}, updated_at = ${t.now} where ${here(t, row.sid)} and state = ${row.state}`);
  if (changed !== 1) throw new Error(`${row.sid} is not ${row.state} any more`);
  return findInvoice(t, row.sid);
}

/** Moves an invoice that is locked to its next state. One that cannot go there is a CONFLICT. */
export async function moveInvoice(
  t: TenantTx,
  row: InvoiceRow,
  move: Move,
  changes?: Sql,
): Promise<InvoiceRow> {
  requireMove(row, move);
  const state = sql`state = ${moves[move].to}`;
  return changeInvoice(t, row, changes ? sql`${state}, ${changes}` : state);
}

export async function getInvoice(t: TenantTx, sid: string): Promise<InvoiceWithDocument> {
  const row = await findInvoice(t, sid);
  return { ...toInvoice(t, row), document: await documentOf(t, { kind: 'invoice', subject: sid }) };
}

/** Newest first: SIDs begin with their time. */
export async function listInvoices(t: TenantTx, { state }: InvoiceQuery, pager: Pager) {
  const [after] = pager.after ?? [null];
  const rows = await t.many<Stored>(sql`
    select ${columns} from invoices
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       and (${state ?? null}::text is null or state = ${state ?? null})
       and (${after}::text is null or sid < ${after})
     order by sid desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ sid }) => [sid],
    (stored) => toInvoice(t, toRow(stored)),
  );
}
