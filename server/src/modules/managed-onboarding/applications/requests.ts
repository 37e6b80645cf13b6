// What the business asks for and says: an application, what it was asked, other prices, where it is reached, and that it is off.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, type ErrorDetail, invalid } from '../../../platform/errors/errors.ts';
import { sha256Hex } from '../../../platform/hashing.ts';
import { newSid } from '../../../platform/ids.ts';
import { principalName } from '../../../platform/principal.ts';
import { audit } from '../../audit/index.ts';
import { readPhone } from '../../contacts/index.ts';
import { applicationEvents } from '../events.ts';
import { fingerprintOf, textOf } from '../quotes/fingerprint.ts';
import { type Offered, quoteFor } from '../quotes/quotes.ts';
import type { AcceptQuote, Application, Details, NewApplication } from '../schema.ts';
import { hasEnded, mayFollow } from '../states.ts';
import {
  type ApplicationRow,
  changeApplication,
  insertApplication,
  lockApplication,
  moveApplication,
  refusedMove,
  refuseSecond,
  tell,
} from './applications.ts';
import { requireDetails, sealDetails } from './details.ts';
import { documentsIn, keepDocuments, letDocumentsGo } from './documents.ts';
import { askRobot } from './robot-job.ts';

export async function submitApplication(t: TenantTx, body: NewApplication): Promise<Application> {
  const { numberSource, country, instruction, requestedNumber = null, website = null } = body;
  const offered = await quoteFor(t, { numberSource, applicationSid: null, country: null });
  await lockApplications(t);
  await refuseSecond(t);
  refuseStale(offered, body);
  const sid = newSid('MA', t.now);
  const row = await insertApplication(t, {
    sid,
    displayName: body.displayName,
    country,
    numberSource,
    requestedNumber,
    website,
    details: sealDetails(t, sid, detailsOf(body)),
    accepted: offered.content,
    acceptedBy: principalName(t.principal),
  });
  await keepAcceptance(t, sid, offered);
  audit(t, {
    action: 'managed_application.submitted',
    resource: sid,
    facts: { ...acceptedFacts(offered), numberSource, country, instructionSha256: sha256Hex(instruction) },
  });
  askRobot(t, sid);
  return tell(t, applicationEvents.submitted, row);
}

/** Two applications at once follow one another, so that the second can name the first. */
const lockApplications = (t: TenantTx) =>
  t.run(sql`
    select pg_advisory_xact_lock(hashtextextended(${`managed onboarding ${t.accountSid} ${t.livemode}`}, 0))`);

const detailsOf = (body: NewApplication): Details => ({
  legalName: body.legalName,
  instruction: body.instruction,
  representativeName: body.representativeName ?? null,
  representativeEmail: body.representativeEmail ?? null,
  registeredAddress: body.registeredAddress ?? null,
  registrationNumber: body.registrationNumber ?? null,
  taxId: body.taxId ?? null,
  handoverPhoneNumber: null,
  information: [],
});

const acceptedFacts = ({ content }: Offered) => ({
  fingerprint: fingerprintOf(content),
  termsVersion: content.termsVersion,
});

/** What is accepted is what is offered, to the letter. */
function refuseStale({ content }: Offered, { acceptedQuoteFingerprint, acceptedTermsVersion }: AcceptQuote) {
  const details: ErrorDetail[] = [];
  if (acceptedTermsVersion !== content.termsVersion)
    details.push({ path: 'acceptedTermsVersion', issue: `the terms are ${content.termsVersion} by now` });
  if (acceptedQuoteFingerprint !== fingerprintOf(content))
    details.push({
      path: 'acceptedQuoteFingerprint',
      issue: 'is not the fingerprint of what is offered now',
    });
  if (details.length === 0) return;
  throw new ApiError('CONFLICT', {
    message: 'Something else is offered by now: read the quote again.',
    details,
  });
}

const keepAcceptance = (t: TenantTx, sid: string, { content, termsText }: Offered) =>
  t.run(sql`
    insert into managed_acceptances (account_sid, livemode, application_sid, fingerprint, quote, terms_text, accepted_by,
      accepted_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${fingerprintOf(content)}, ${textOf(content)}, ${termsText},
      ${principalName(t.principal)}, ${t.now})
    on conflict do nothing`);

/** What the operator asked for. */
export async function giveInformation(t: TenantTx, sid: string, text: string): Promise<Application> {
  const row = await lockApplication(t, sid);
  if (row.state !== 'INFORMATION_REQUESTED')
    throw new ApiError('CONFLICT', { message: `Nothing was asked for: the application is ${row.state}.` });
  const details = requireDetails(t, sid, row.details);
  details.information.push({ text, givenAt: t.now.toISOString() });
  const documents = documentsIn(text);
  await keepDocuments(t, sid, documents);
  const moved = await moveApplication(t, row, 'IN_REVIEW', {
    details: sealDetails(t, sid, details),
    documentSids: [...new Set([...row.documentSids, ...documents])],
  });
  audit(t, { action: 'managed_application.information_given', resource: sid, facts: { documents } });
  askRobot(t, sid);
  return tell(t, applicationEvents.updated, moved);
}

export async function acceptQuote(t: TenantTx, sid: string, body: AcceptQuote): Promise<Application> {
  const row = await lockApplication(t, sid);
  const { offer } = row;
  if (row.state !== 'QUOTE_CHANGED' || !offer)
    throw new ApiError('CONFLICT', {
      message: `No quote waits to be accepted: the application is ${row.state}.`,
    });
  refuseStale(offer, body);
  const moved = await moveApplication(t, row, 'IN_REVIEW', {
    accepted: offer.content,
    acceptedBy: principalName(t.principal),
    acceptedAt: t.now.toISOString(),
    offer: null,
  });
  await keepAcceptance(t, sid, offer);
  audit(t, { action: 'managed_application.quote_accepted', resource: sid, facts: acceptedFacts(offer) });
  askRobot(t, sid);
  return tell(t, applicationEvents.updated, moved);
}

export async function withdraw(t: TenantTx, sid: string): Promise<void> {
  const row = await lockApplication(t, sid);
  // Withdrawing twice is no error: whoever asks again has what it asked for.
  if (row.state === 'WITHDRAWN') return;
  if (!mayFollow(row.state, 'WITHDRAWN')) throw refusedMove(row, 'WITHDRAWN');
  const moved = await moveApplication(t, row, 'WITHDRAWN', { offer: null });
  await letDocumentsGo(t, sid);
  audit(t, { action: 'managed_application.withdrawn', resource: sid });
  tell(t, applicationEvents.withdrawn, moved);
}

/** Where the business is reached for the hand-over of its number. */
export async function setHandoverPhone(t: TenantTx, sid: string, number: string): Promise<Application> {
  const row = await lockApplication(t, sid);
  if (hasEnded(row.state))
    throw new ApiError('CONFLICT', {
      message: `The application is ${row.state}: nothing is handed over any more.`,
    });
  refuseSameNumber(row, number);
  const details = { ...requireDetails(t, sid, row.details), handoverPhoneNumber: number };
  const changed = await changeApplication(t, row, { details: sealDetails(t, sid, details) });
  audit(t, { action: 'managed_application.handover_phone_set', resource: sid });
  return tell(t, applicationEvents.updated, changed);
}

function refuseSameNumber({ requestedNumber, phoneNumber }: ApplicationRow, number: string): void {
  const path = 'handoverPhoneNumber';
  const { issue } = readPhone(number);
  if (issue) throw invalid({ path, issue });
  if (number === requestedNumber || number === phoneNumber)
    throw invalid({ path, issue: 'must be another number than the one that is set up' });
}
