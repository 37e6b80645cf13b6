// The erasure of a person: an operation that goes on until it is done. Every step is a transaction that commits with where it stands.
//
//   after a delay, in which it can be taken back
//   ▶ what they are known by is sealed, kept as hashes where they had said no, and taken from them ▶ the journal
//   ▶ CANCEL what waits for them ▶ ERASE store by store, a thousand rows at a time ▶ in a sandbox the simulator is told to FORGET them
//   ▶ 25 hours, which outlast stored answers, bodies of callbacks and whatever had read rows before
//   ▶ CANCEL, ERASE and FORGET once more ▶ MENTIONS by others ▶ FINISH
//
// Every step asks for legal holds anew: while one covers the person it is parked, whole.
import type { Mention, Person } from '../../../platform/belongings.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { addCounts, erasePage, firstPlace } from '../../../platform/erase-page.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { keepOptOuts } from '../../consent/index.ts';
import { type Identifier, lockContact, noteErased, personOf } from '../../contacts/index.ts';
import { removing } from '../../legal-holds/index.ts';
import { cancelMessagesOf } from '../../messages/index.ts';
import {
  defineOperationType,
  type OperationContext,
  type RunningOperation,
  type StepOutcome,
} from '../../operations/index.ts';
import { privacyRequestEvents } from '../events.ts';
import { isJournaled, journalErasure, noteJournaled } from '../journal/journal.ts';
import { announce, getRequest, moveRequest } from '../requests.ts';
import type { PrivacyRequest } from '../schema.ts';
import { allStores } from '../stores.ts';
import { finishErasure } from './finish.ts';
import { forgetSimulated } from './forget-simulated.ts';
import { holdsOver, type Verdict } from './holds.ts';
import {
  beginProgress,
  openPerson,
  type Progress,
  readProgress,
  sealPerson,
  storeProgress,
} from './progress.ts';

const batch = 1_000;
/** A run gives its place to other jobs after so many steps. */
const stepsOfARun = 200;
const minuteMs = 60_000;
const settlingMs = 25 * 60 * minuteMs;
/** Whoever releases a hold wakes what waits for it; this is for whom that does not reach. */
const lookAgainMs = 10 * minuteMs;

/** How long an erasure waits for a simulator that does not answer. */
const simulatorAwayMs = 24 * 60 * minuteMs;

const Input = Closed({ requestSid: Sid('DR') });
type Erasing = RunningOperation<{ requestSid: string }>;

export const erasureOfPerson = defineOperationType({
  type: 'privacy.erase',
  input: Input,
  cancelable: false,
  async run(context: OperationContext, operation: Erasing): Promise<StepOutcome> {
    for (let steps = 0; steps < stepsOfARun && !context.signal.aborted; steps += 1) {
      const outcome = await context.write((t) => takeStep(t, operation));
      if (outcome === 'journal') await writeJournal(context, operation.input.requestSid);
      else if (outcome === 'forget') {
        const waits = await haveForgotten(context, operation);
        if (waits) return waits;
      } else if (outcome) return outcome;
    }
    return { waitUntil: context.now() };
  },
});

/** What is done outside a transaction before the next step. */
type Outside = 'journal' | 'forget';

/** Outside the database, before anything goes but what they are known by, which is sealed by then. */
async function writeJournal(context: OperationContext, requestSid: string): Promise<void> {
  const person = await context.read((t) => openPerson(t, requestSid));
  await journalErasure(context, requestSid, person!);
  await context.write((t) => noteJournaled(t, requestSid));
}

/** Null where it goes on at once. */
async function haveForgotten(context: OperationContext, operation: Erasing): Promise<StepOutcome | null> {
  const { requestSid } = operation.input;
  const simulatorForgot = await forgetSimulated(context, requestSid);
  return context.write(async (t) => {
    await operation.stillRuns(t);
    const request = await getRequest(t, requestSid, sql`for update`);
    const progress = await readProgress(t, requestSid);
    if (progress?.phase !== 'FORGET') return null;
    // The first look is followed by a second; that one waits for a simulator that is away, but not for ever.
    const { pass, settledAt } = progress;
    if (!simulatorForgot && pass === 2 && t.now.getTime() < settledAt!.getTime() + simulatorAwayMs)
      return { waitUntil: new Date(t.now.getTime() + lookAgainMs) };
    await endLook(t, request, { ...progress, simulatorForgot });
    return null;
  });
}

/** Null where it goes on at once. */
async function takeStep(t: TenantTx, operation: Erasing): Promise<StepOutcome | Outside | null> {
  const { requestSid } = operation.input;
  await removing(t);
  const request = await getRequest(t, requestSid, sql`for update`);
  if (request.state === 'COMPLETED' || request.state === 'WITHDRAWN') return { result: { requestSid } };
  const progress = await readProgress(t, requestSid);
  if (progress && !(await isJournaled(t, requestSid))) return 'journal';
  const waits = progress ? progress.settledAt : new Date(request.startsAt!);
  if (waits && waits > t.now) return { waitUntil: waits };
  const person = (await openPerson(t, requestSid)) ?? (await personOf(t, request.subject.contactSid!));
  const verdict = await holdsOver(t, person, progress?.cleared ?? []);
  if (verdict.covering.length > 0) return park(t, request, person, verdict);
  if (request.state === 'PARKED') await resume(t, request);
  if (progress?.phase === 'FORGET') return 'forget';
  const made = progress
    ? await goOn(t, request, person, { ...progress, cleared: verdict.cleared })
    : await begin(t, request, person, verdict);
  if (made === 'done') return { result: { requestSid } };
  await operation.stillRuns(t, { done: made });
  return null;
}

/** What was erased and settles is held by nothing that is left; its second look waits too. */
async function park(
  t: TenantTx,
  { sid, state }: PrivacyRequest,
  person: Person,
  { covering }: Verdict,
): Promise<StepOutcome> {
  const parkedBy = covering.filter(({ visible }) => visible).map(({ holdId }) => holdId);
  if (state !== 'PARKED' && state !== 'SETTLING') {
    const parked = await moveRequest(t, sid, 'park', { parkedBy });
    if (parked) announce(t, privacyRequestEvents.parked, parked);
  }
  // Asked again with the commit that writes the wait down: a hold that is released meanwhile wakes nobody yet.
  const waitUntil = async (later: TenantTx) => {
    const { covering: still } = await holdsOver(later, person, []);
    return still.length > 0 ? new Date(later.now.getTime() + lookAgainMs) : later.now;
  };
  return { waitUntil };
}

async function resume(t: TenantTx, { sid }: PrivacyRequest): Promise<void> {
  const resumed = await moveRequest(t, sid, 'resume');
  if (resumed) announce(t, privacyRequestEvents.resumed, resumed);
}

async function begin(
  t: TenantTx,
  { sid, state }: PrivacyRequest,
  person: Person,
  { cleared }: Verdict,
): Promise<number> {
  await lockContact(t, person.contactSid);
  await sealPerson(t, sid, person);
  await keepOptOuts(t, person.family);
  await noteErased(t, person.contactSid, person.identifiers as Identifier[]);
  if (state === 'PENDING') await moveRequest(t, sid, 'start');
  await beginProgress(t, sid, cleared);
  return person.identifiers.length;
}

async function goOn(
  t: TenantTx,
  request: PrivacyRequest,
  person: Person,
  progress: Progress,
): Promise<number | 'done'> {
  switch (progress.phase) {
    case 'CANCEL': {
      const canceled = await cancelMessagesOf(t, person.family, batch);
      const phase = canceled < batch ? 'ERASE' : 'CANCEL';
      await storeProgress(t, request.sid, { ...progress, phase });
      return canceled;
    }
    case 'ERASE': {
      const { counts, next } = await erasePage(t, allStores(), person, progress.place, batch);
      const sum = { ...progress, counts: addCounts(progress.counts, counts) };
      if (next) await storeProgress(t, request.sid, { ...sum, place: next });
      else if (t.livemode) await endLook(t, request, sum);
      else await storeProgress(t, request.sid, { ...sum, phase: 'FORGET' });
      return Object.values(counts).reduce((total, rows) => total + rows, 0);
    }
    case 'FORGET':
      throw new Error('the simulator is told outside a transaction');
    case 'MENTIONS': {
      await storeProgress(t, request.sid, await searchOn(t, person, progress));
      return 0;
    }
    case 'FINISH':
      await finishErasure(t, request, person, progress);
      return 'done';
  }
}

/** Every store was looked at. */
async function endLook(t: TenantTx, request: PrivacyRequest, progress: Progress): Promise<void> {
  if (progress.pass === 1) await settle(t, request, progress);
  else await storeProgress(t, request.sid, { ...progress, phase: 'MENTIONS', place: firstPlace });
}

async function settle(t: TenantTx, { sid }: PrivacyRequest, progress: Progress): Promise<void> {
  const settledAt = new Date(t.now.getTime() + settlingMs);
  await storeProgress(t, sid, { ...progress, pass: 2, phase: 'CANCEL', place: firstPlace, settledAt });
  await moveRequest(t, sid, 'settle');
}

const mostMentions = 1_000;

async function searchOn(t: TenantTx, person: Person, progress: Progress): Promise<Progress> {
  const { place } = progress;
  const stores = allStores();
  const at = stores.findIndex(({ mentions }, index) => mentions && index >= place.store);
  if (at < 0 || progress.mentions.length >= mostMentions) return { ...progress, phase: 'FINISH' };
  const nextStore = { store: at + 1, after: null };
  const after = at === place.store ? place.after : null;
  const { found, next } = await stores[at]!.mentions!(t, person, { after, limit: 10 * batch });
  const mentions: Mention[] = [...progress.mentions, ...found].slice(0, mostMentions);
  return { ...progress, mentions, place: next === null ? nextStore : { store: at, after: next } };
}
