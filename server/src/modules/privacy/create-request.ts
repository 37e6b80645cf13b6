// How a request begins. What needs no work is done with it; the rest is an operation.
//
// Locks are taken in one order: merges, removals, workflows and their runs, the contact. So nobody who merges, removes or runs meanwhile
// waits for this in a circle, and the person is who they are until it commits.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError, type ErrorDetail } from '../../platform/errors/errors.ts';
import type { Part } from '../../platform/http/operations/operation.ts';
import { consentsOf } from '../consent/index.ts';
import {
  changeContact,
  identitiesOf,
  isErased,
  issuesOfChange,
  lockContact,
  lockMerges,
  restrictContact,
} from '../contacts/index.ts';
import { placing } from '../legal-holds/index.ts';
import { endRunsOfContact } from '../workflows/index.ts';
import { startCopy } from './copies/start-copy.ts';
import { startErasure } from './erasure/start-erasure.ts';
import { privacyRequestEvents } from './events.ts';
import { announce, insertRequest, note, noteWork, openRequestsOf } from './requests.ts';
import type { Changes, NewPrivacyRequest, PrivacyRequest } from './schema.ts';
import type { RequestKind } from './states.ts';
import { contactMeant, issuesOfSubject } from './subject.ts';

export function issuesOfRequest({ kind, subject, changes }: Part<NewPrivacyRequest>): ErrorDetail[] {
  return [
    ...(subject === undefined ? [] : issuesOfSubject(subject)),
    ...(kind === undefined ? [] : issuesOfChanges(kind, changes)),
  ];
}

function issuesOfChanges(kind: RequestKind, changes: Part<Changes> | undefined): ErrorDetail[] {
  const at = (issue: string) => [{ path: 'changes', issue }];
  if (kind !== 'RECTIFICATION') return changes === undefined ? [] : at('belongs to RECTIFICATION');
  if (changes === undefined) return at('is required for RECTIFICATION');
  if (fieldsIn(changes).length === 0) return at('must name a field');
  return issuesOfChange(changes).map(within);
}

const within = ({ path, issue }: ErrorDetail): ErrorDetail => ({ path: `changes.${path}`, issue });

/** What is to be corrected, by name. */
const fieldsIn = ({ attributes = {}, ...fields }: Part<Changes>): string[] => [
  ...Object.keys(fields),
  ...Object.keys(attributes).map((name) => `attributes.${name}`),
];

const restricts = (kind: RequestKind) => kind === 'RESTRICTION' || kind === 'ERASURE';

/** What is asked for; the second factor was asked for with it where people do. */
type Asked = Omit<NewPrivacyRequest, 'stepUpToken'>;

export async function createRequest(t: TenantTx, body: Asked): Promise<PrivacyRequest> {
  const { kind, subject } = body;
  await lockMerges(t);
  if (restricts(kind)) await placing(t);
  const contactSid = await contactMeant(t, kind, subject);
  const request =
    contactSid === null || (await isErased(t, contactSid))
      ? await nothingToDo(t, body, contactSid)
      : await begin(t, body, contactSid);
  note(t, privacyRequestEvents.created.name, request, body.reason);
  announce(t, privacyRequestEvents.created, request);
  if (request.state === 'COMPLETED') announce(t, privacyRequestEvents.completed, request);
  return request;
}

/** Nobody is known by this, or is no more: what was asked for is so. */
async function nothingToDo(
  t: TenantTx,
  { kind, reason }: Asked,
  contactSid: string | null,
): Promise<PrivacyRequest> {
  // A tombstone stands from the first step of an erasure on, and something may be left until its last.
  if (contactSid !== null) await refuseBesideOthers(t, kind, contactSid);
  if (kind === 'RECTIFICATION' || kind === 'RESTRICTION')
    throw new ApiError('CONFLICT', { message: 'The contact was erased.' });
  return insertRequest(t, { kind, state: 'COMPLETED', contactSid, found: false, reason });
}

async function begin(
  t: TenantTx,
  { kind, reason, changes }: Asked,
  contactSid: string,
): Promise<PrivacyRequest> {
  if (restricts(kind)) await endRunsOfContact(t, contactSid, 'restricted');
  await lockContact(t, contactSid);
  await refuseBesideOthers(t, kind, contactSid);
  const insert = (state: 'PENDING' | 'ACTIVE' | 'COMPLETED', changedFields?: string[]) =>
    insertRequest(t, {
      kind,
      state,
      contactSid,
      found: true,
      reason,
      ...(changedFields && { changedFields }),
    });
  switch (kind) {
    case 'RECTIFICATION':
      await rectify(t, contactSid, changes!);
      return insert('COMPLETED', fieldsIn(changes!));
    case 'RESTRICTION': {
      const request = await insert('ACTIVE');
      await restrictContact(t, contactSid, request.sid);
      return request;
    }
    case 'ERASURE': {
      const request = await insert('PENDING');
      await restrictContact(t, contactSid, request.sid);
      return noteWork(t, request.sid, await startErasure(t, request));
    }
    default: {
      const request = await insert('PENDING');
      return noteWork(t, request.sid, await startCopy(t, request));
    }
  }
}

/** One of a kind at a time for a person, and nothing beside the end of their data. */
async function refuseBesideOthers(t: TenantTx, kind: RequestKind, contactSid: string): Promise<void> {
  const open = await openRequestsOf(t, await identitiesOf(t, contactSid));
  const other = open.find((one) => one.kind === kind || one.kind === 'ERASURE');
  if (!other) return;
  throw new ApiError('CONFLICT', {
    message: `The request ${other.sid} (${other.kind}, ${other.state}) is open for this person.`,
    details: [{ path: 'subject', issue: `has the open request ${other.sid}` }],
  });
}

/** Legal holds stop removal and not correction, and so do restrictions. */
async function rectify(t: TenantTx, contactSid: string, changes: Changes): Promise<void> {
  await changeContact(t, { consentsOf }, contactSid, changes, { rectifies: true }).catch((error) => {
    if (error instanceof ApiError && error.code === 'VALIDATION_ERROR')
      throw new ApiError(error.code, { details: (error.facts.details ?? []).map(within) });
    throw error;
  });
}
