// What the operator's people decide about an application.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { audit } from '../../audit/index.ts';
import { readWallet } from '../../billing/index.ts';
import { startOperation } from '../../operations/index.ts';
import {
  type ApplicationRow,
  lockApplication,
  moveApplication,
  refusedMove,
  refuseSecond,
  requireApplication,
  tell,
} from '../applications/applications.ts';
import { shownDetails } from '../applications/details.ts';
import { letDocumentsGo } from '../applications/documents.ts';
import { holdFee } from '../applications/fees.ts';
import { applicationEvents } from '../events.ts';
import { beginProgress, findProgress } from '../provisioning/progress.ts';
import type { Provision } from '../provisioning/provision.ts';
import { requestRelease } from '../provisioning/release-number.ts';
import { fingerprintOf } from '../quotes/fingerprint.ts';
import { quoteFor, quoteWith, toLines } from '../quotes/quotes.ts';
import type { Application, Requote, RevealedDetails } from '../schema.ts';
import { mayFollow } from '../states.ts';

export async function takeIntoReview(t: TenantTx, sid: string): Promise<Application> {
  const row = await lockApplication(t, sid);
  // Back from a question or an offer it comes by the customer's answer only.
  if (row.state !== 'SUBMITTED') throw refusedMove(row, 'IN_REVIEW');
  const moved = await moveApplication(t, row, 'IN_REVIEW');
  audit(t, { action: 'managed_application.reviewed', resource: sid });
  return tell(t, applicationEvents.updated, moved);
}

export async function requestInformation(t: TenantTx, sid: string, request: string): Promise<Application> {
  const row = await lockApplication(t, sid);
  const moved = await moveApplication(t, row, 'INFORMATION_REQUESTED', { informationRequest: request });
  audit(t, { action: 'managed_application.information_requested', resource: sid, facts: { request } });
  return tell(t, applicationEvents.information_requested, moved);
}

/** Other prices: those of the list for the country, or the ones somebody has written. */
export async function requote(t: TenantTx, sid: string, { lines, reason }: Requote): Promise<Application> {
  const row = await lockApplication(t, sid);
  if (!mayFollow(row.state, 'QUOTE_CHANGED')) throw refusedMove(row, 'QUOTE_CHANGED');
  const { numberSource, country } = row;
  const wanted = { numberSource, country, applicationSid: sid };
  const offer = lines
    ? await quoteWith(t, wanted, toLines(numberSource, (await readWallet(t)).scale, lines))
    : await quoteFor(t, wanted);
  const moved = await moveApplication(t, row, 'QUOTE_CHANGED', { offer });
  const facts = { reason, fingerprint: fingerprintOf(offer.content) };
  audit(t, { action: 'managed_application.requoted', resource: sid, facts });
  return tell(t, applicationEvents.quote_changed, moved);
}

/** Sets the fee aside and begins the work, or does neither. */
export async function approve(t: TenantTx, provision: Provision, sid: string): Promise<Application> {
  const row = await lockApplication(t, sid);
  if (row.state !== 'IN_REVIEW') throw refusedMove(row, 'APPROVED');
  return begin(t, provision, row, 'managed_application.approved');
}

/** The same again, after it failed: the fee is set aside anew, and the work goes on where it stood. */
export async function retry(t: TenantTx, provision: Provision, sid: string): Promise<Application> {
  const row = await lockApplication(t, sid);
  if (row.state !== 'FAILED')
    throw new ApiError('CONFLICT', {
      message: `Only what FAILED can be tried again: the application is ${row.state}.`,
    });
  await refuseSecond(t);
  return begin(t, provision, row, 'managed_application.retried');
}

async function begin(t: TenantTx, provision: Provision, row: ApplicationRow, action: string) {
  const fee = await holdFee(t, row);
  const { sid: operationSid } = await startOperation(t, provision, { applicationSid: row.sid });
  const moved = await moveApplication(t, row, 'APPROVED', { ...fee, operationSid, error: null });
  await beginProgress(t, row.sid, moved.attempt);
  audit(t, {
    action,
    resource: row.sid,
    facts: { operationSid, feeMinor: moved.feeMinor, attempt: moved.attempt },
  });
  return tell(t, applicationEvents.approved, moved);
}

/** For good; a number that was obtained before is given back. */
export async function reject(t: TenantTx, sid: string, reason: string): Promise<Application> {
  const row = await lockApplication(t, sid);
  const moved = await moveApplication(t, row, 'REJECTED', { reason, offer: null });
  const progress = await findProgress(t, sid);
  if (progress?.number) requestRelease(t, sid, progress.vendorReference);
  await letDocumentsGo(t, sid);
  audit(t, { action: 'managed_application.rejected', resource: sid, facts: { reason } });
  return tell(t, applicationEvents.rejected, moved);
}

/** Opens what a business said of itself to somebody of the operator, who says why; the customer sees it in its audit chain. */
export async function revealDetails(t: TenantTx, sid: string, reason: string): Promise<RevealedDetails> {
  const row = await requireApplication(t, sid);
  const shown = shownDetails(t, sid, row.details);
  const facts = { reason, detailsState: shown.detailsState };
  audit(t, { action: 'managed_application.details_revealed', resource: sid, facts });
  return {
    object: 'managed_application_details',
    applicationSid: sid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    ...shown,
  };
}
