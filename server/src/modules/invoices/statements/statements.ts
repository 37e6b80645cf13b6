// Statements: what a closed period came to. Written once, with a document that says the same.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { emit } from '../../../platform/events.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { newSid } from '../../../platform/ids.ts';
import { type MoneyWire, money, toWire } from '../../../platform/money.ts';
import { nameStatement, type Period, type Wallet } from '../../billing/index.ts';
import { documentOf, documentsBetween, issueDocument, nextNumber } from '../../billing-documents/index.ts';
import type { Draft } from '../composing/draft.ts';
import { type StretchOfTime, spentIn } from '../composing/read-periods.ts';
import { statementContent } from './document.ts';
import { statementEvents } from './events.ts';
import type { Statement, StatementWithDocument } from './schema.ts';

type Row = Pick<
  Statement,
  'sid' | 'number' | 'walletId' | 'movements' | 'usage' | 'documents' | 'createdAt'
> & {
  currency: string;
  scale: number;
  start: string;
  end: string;
  openingMinor: string;
  closingMinor: string;
};

const columns = sql`sid, number, wallet_id as "walletId", currency, scale, starts_at as start, ends_at as end,
  opening_minor as "openingMinor", closing_minor as "closingMinor", movements, usage, documents, created_at as "createdAt"`;

function toStatement(t: TenantTx, row: Row): Statement {
  const wire = (amountMinor: string) => toWire(money(BigInt(amountMinor), row.currency, row.scale));
  return {
    object: 'statement',
    sid: row.sid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    number: row.number,
    walletId: row.walletId,
    period: { start: row.start, end: row.end },
    opening: wire(row.openingMinor),
    movements: row.movements,
    closing: wire(row.closingMinor),
    usage: row.usage,
    documents: row.documents,
    createdAt: row.createdAt,
  };
}

/** Issues the statement of a period that was just written down. Takes the lock of documents, so before the wallet's. */
export async function issueStatement(
  t: TenantTx,
  wallet: Wallet,
  period: Period,
  draft: Draft,
): Promise<Statement> {
  const number = await nextNumber(t, 'statement');
  const sid = newSid('ST', t.now);
  const wire = (amountMinor: bigint) => toWire(money(amountMinor, wallet.currency, wallet.scale));
  const from = period.n === 1 ? null : new Date(period.startsAt);
  const documents = await documentsBetween(t, wallet.currency, from, new Date(period.endsAt));
  const row = await t.one<Row>(sql`
    insert into statements (account_sid, livemode, sid, wallet_id, n, number, currency, scale, starts_at, ends_at,
      opening_minor, closing_minor, movements, usage, documents, created_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${wallet.id}, ${period.n}, ${number}, ${wallet.currency},
      ${wallet.scale}, ${period.startsAt}, ${period.endsAt}, ${draft.openingMinor}, ${period.positionMinor},
      ${JSON.stringify(movementsOf(draft.own, wire))}::json, ${JSON.stringify(usageOf(draft.own, wire))}::json,
      ${JSON.stringify(documents)}::json, ${t.now})
    returning ${columns}`);
  const statement = toStatement(t, row);
  await issueDocument(t, { kind: 'statement', subject: sid, number, content: statementContent(statement) });
  await nameStatement(t, wallet.id, period.n, sid);
  emit(t, statementEvents.created, statement);
  return statement;
}

type Wire = (amountMinor: bigint) => MoneyWire;

function movementsOf(own: StretchOfTime, wire: Wire): Statement['movements'] {
  const spent = spentIn(own);
  return [
    ...own.movements.map(({ kind, amountMinor }) => ({ kind, amount: wire(amountMinor) })),
    ...(spent === 0n ? [] : [{ kind: 'charges', amount: wire(-spent) }]),
  ];
}

const usageOf = ({ usage }: StretchOfTime, wire: Wire): Statement['usage'] =>
  usage.map(({ unitPriceMinor, amountMinor, ...group }) => ({
    ...group,
    unitPrice: wire(unitPriceMinor),
    amount: wire(amountMinor),
  }));

export async function getStatement(t: TenantTx, sid: string): Promise<StatementWithDocument> {
  const row = await t.maybe<Row>(sql`
    select ${columns} from statements
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}`);
  if (!row) throw new ApiError('NOT_FOUND');
  const document = (await documentOf(t, { kind: 'statement', subject: sid }))!;
  return { ...toStatement(t, row), document };
}

/** Newest first: SIDs begin with their time. */
export async function listStatements(t: TenantTx, pager: Pager) {
  const [after] = pager.after ?? [null];
  const rows = await t.many<Row>(sql`
    select ${columns} from statements
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and (${after}::text is null or sid < ${after})
     order by sid desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ sid }) => [sid],
    (row) => toStatement(t, row),
  );
}
