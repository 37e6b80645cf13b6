// The rows of applications: read, moved and shown. One function moves a row, under its lock, from the state it was read in.
import type { TenantTx } from '../../../platform/db/database.ts';
import { isUniqueViolation } from '../../../platform/db/failures.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { type EventType, emit } from '../../../platform/events.ts';
import { dueMinor, fingerprintOf, type QuoteContent } from '../quotes/fingerprint.ts';
import type { Offered } from '../quotes/quotes.ts';
import type { Application } from '../schema.ts';
import { type ApplicationState, mayFollow } from '../states.ts';
import type { TaskName } from '../task-names.ts';

export type ApplicationRow = {
  sid: string;
  state: ApplicationState;
  displayName: string;
  country: string;
  numberSource: 'PORT' | 'PURCHASE';
  requestedNumber: string | null;
  website: string | null;
  details: Buffer;
  documentSids: string[];
  informationRequest: string | null;
  reason: string | null;
  error: Application['error'];
  accepted: QuoteContent;
  acceptedBy: string;
  acceptedAt: string;
  offer: Offered | null;
  attempt: number;
  feeState: Application['fee']['state'];
  feeWalletId: string | null;
  feeMinor: string;
  operationSid: string | null;
  phoneNumber: string | null;
  wabaSid: string | null;
  senderSid: string | null;
  createdAt: string;
  updatedAt: string;
  openTasks: TaskName[];
};

const columns = sql`sid, state, display_name as "displayName", country, number_source as "numberSource",
  requested_number as "requestedNumber", website, details, document_sids as "documentSids",
  information_request as "informationRequest", reason, error, accepted, accepted_by as "acceptedBy",
  accepted_at as "acceptedAt", offer, attempt, fee_state as "feeState", fee_wallet_id as "feeWalletId",
  fee_minor as "feeMinor", operation_sid as "operationSid", phone_number as "phoneNumber", waba_sid as "wabaSid",
  sender_sid as "senderSid", created_at as "createdAt", updated_at as "updatedAt",
  array(select k.task from managed_tasks k
         where k.account_sid = managed_applications.account_sid and k.application_sid = managed_applications.sid
           and k.state = 'OPEN' order by k.n) as "openTasks"`;

const here = (t: TenantTx) => sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}`;

export async function findApplication(t: TenantTx, sid: string): Promise<ApplicationRow | null> {
  const row = await t.maybe<ApplicationRow>(sql`
    select ${columns} from managed_applications where ${here(t)} and sid = ${sid}`);
  return row ?? null;
}

/** The application, or NOT_FOUND; `path` names the field it came from when that is not the path of the request. */
export async function requireApplication(t: TenantTx, sid: string, path?: string): Promise<ApplicationRow> {
  const row = await findApplication(t, sid);
  if (row) return row;
  const issue = 'is no application of this account and environment';
  throw new ApiError('NOT_FOUND', path === undefined ? {} : { details: [{ path, issue }] });
}

/** Until the transaction ends nobody else moves it. */
export async function lockApplication(t: TenantTx, sid: string): Promise<ApplicationRow> {
  await t.run(sql`select from managed_applications where ${here(t)} and sid = ${sid} for update`);
  return requireApplication(t, sid);
}

export async function openApplication(t: TenantTx): Promise<string | null> {
  const row = await t.maybe<{ sid: string }>(sql`
    select sid from managed_applications
     where ${here(t)} and state not in ('COMPLETED', 'REJECTED', 'FAILED', 'WITHDRAWN')`);
  return row?.sid ?? null;
}

const mostShown = 100;

/** The newest first. */
export const listApplications = (
  t: TenantTx,
  { wabaSid = null, sid = null }: { wabaSid?: string | null; sid?: string | null } = {},
): Promise<ApplicationRow[]> =>
  t.many<ApplicationRow>(sql`
    select ${columns} from managed_applications
     where ${here(t)} and (${wabaSid}::text is null or waba_sid = ${wabaSid}) and (${sid}::text is null or sid = ${sid})
     order by sid desc limit ${mostShown}`);

/** There can be one at a time: a second is refused with the name of the first. */
export async function refuseSecond(t: TenantTx): Promise<void> {
  const open = await openApplication(t);
  if (open !== null) throw alreadyOpen(open);
}

const alreadyOpen = (sid: string) =>
  new ApiError('CONFLICT', {
    message: `The application ${sid} has not ended yet: an account has one at a time.`,
    details: [{ path: 'applicationSid', issue: sid }],
  });

export type NewRow = Pick<
  ApplicationRow,
  | 'sid'
  | 'displayName'
  | 'country'
  | 'numberSource'
  | 'requestedNumber'
  | 'website'
  | 'details'
  | 'accepted'
  | 'acceptedBy'
>;

export async function insertApplication(t: TenantTx, row: NewRow): Promise<ApplicationRow> {
  try {
    return await t.one<ApplicationRow>(sql`
      insert into managed_applications (account_sid, livemode, sid, state, display_name, country, number_source,
        requested_number, website, details, accepted, accepted_by, accepted_at, created_at, updated_at)
      values (${t.accountSid}, ${t.livemode}, ${row.sid}, 'SUBMITTED', ${row.displayName}, ${row.country}, ${row.numberSource},
        ${row.requestedNumber}, ${row.website}, ${row.details}, ${JSON.stringify(row.accepted)}::json, ${row.acceptedBy},
        ${t.now}, ${t.now}, ${t.now})
      returning ${columns}`);
  } catch (error) {
    throw secondOpen(error);
  }
}

/** Two at the same moment: who came second cannot read who came first, for its own transaction has failed. */
function secondOpen(error: unknown): unknown {
  if (!isUniqueViolation(error, 'managed_applications_open')) return error;
  return new ApiError('CONFLICT', {
    message: 'Another application has not ended yet: an account has one at a time.',
    cause: error as Error,
  });
}

/** Facts that change with its state, or where it stands. */
export type Change = Partial<
  Omit<ApplicationRow, 'sid' | 'state' | 'numberSource' | 'createdAt' | 'updatedAt' | 'openTasks'>
>;

export const refusedMove = ({ state }: Pick<ApplicationRow, 'state'>, to: ApplicationState): ApiError =>
  new ApiError('CONFLICT', { message: `The application is ${state}: it cannot become ${to}.` });

/** Moves it on. Whoever read it before somebody else moved it is refused. */
export async function moveApplication(
  t: TenantTx,
  from: ApplicationRow,
  to: ApplicationState,
  change: Change = {},
): Promise<ApplicationRow> {
  if (!mayFollow(from.state, to)) throw refusedMove(from, to);
  return store(t, from, to, change);
}

/** Writes facts down without moving it. */
export const changeApplication = (
  t: TenantTx,
  from: ApplicationRow,
  change: Change,
): Promise<ApplicationRow> => store(t, from, from.state, change);

async function store(
  t: TenantTx,
  from: ApplicationRow,
  state: ApplicationState,
  change: Change,
): Promise<ApplicationRow> {
  const next = { ...from, ...change };
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value));
  const moved = await t
    .maybe<ApplicationRow>(sql`
      update managed_applications set state = ${state}, details = ${next.details}, document_sids = ${next.documentSids}::text[],
        information_request = ${next.informationRequest}, reason = ${next.reason}, error = ${json(next.error)}::json,
        accepted = ${json(next.accepted)}::json, accepted_by = ${next.acceptedBy}, accepted_at = ${next.acceptedAt},
        offer = ${json(next.offer)}::json, attempt = ${next.attempt}, fee_state = ${next.feeState},
        fee_wallet_id = ${next.feeWalletId}, fee_minor = ${next.feeMinor}::bigint, operation_sid = ${next.operationSid},
        phone_number = ${next.phoneNumber}, waba_sid = ${next.wabaSid}, sender_sid = ${next.senderSid}, updated_at = ${t.now}
       where ${here(t)} and sid = ${from.sid} and state = ${from.state}
      returning ${columns}`)
    .catch((error) => {
      throw secondOpen(error);
    });
  if (!moved) throw refusedMove(from, state);
  return moved;
}

export function toApplication(t: TenantTx, row: ApplicationRow): Application {
  const { accepted, acceptedBy, acceptedAt, offer, feeState, feeMinor } = row;
  const { currency } = accepted;
  const scale = accepted.lines[0]!.scale;
  const fee = feeState === 'NONE' ? dueMinor(accepted).toString() : feeMinor;
  return {
    object: 'managed_application',
    sid: row.sid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    state: row.state,
    displayName: row.displayName,
    country: row.country,
    numberSource: row.numberSource,
    requestedNumber: row.requestedNumber,
    website: row.website,
    documentSids: row.documentSids,
    informationRequest: row.state === 'INFORMATION_REQUESTED' ? row.informationRequest : null,
    reason: row.reason,
    error: row.error,
    acceptedQuote: {
      fingerprint: fingerprintOf(accepted),
      termsVersion: accepted.termsVersion,
      acceptedBy,
      acceptedAt,
    },
    offeredQuoteFingerprint: offer ? fingerprintOf(offer.content) : null,
    fee: { state: feeState, amount: { amountMinor: fee, currency, scale } },
    openTasks: row.openTasks,
    operationSid: row.operationSid,
    phoneNumber: row.phoneNumber,
    wabaSid: row.wabaSid,
    senderSid: row.senderSid,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** Tells of it as it is now. Nothing that is sealed is in it. */
export function tell(t: TenantTx, event: EventType<Application>, row: ApplicationRow): Application {
  const told = toApplication(t, row);
  emit(t, event, told);
  return told;
}
