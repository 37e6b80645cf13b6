// Making a binding: what must be true of it, and who must agree to it.

import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError, type ErrorDetail, invalid } from '../../platform/errors/errors.ts';
import { defineApprovable } from '../../platform/http/operations/approvable.ts';
import { isSid } from '../../platform/ids.ts';
import { principalName } from '../../platform/principal.ts';
import { findAccount } from '../accounts/index.ts';
import { requestApproval } from '../approvals/index.ts';
import { insertBinding, type JudgedBinding } from './bindings.ts';
import { isRole, type Role } from './catalogue.ts';
import { refuseMoreThanHeld } from './held-scopes.ts';
import type { RoleHooks } from './hooks.ts';
import { ownersOf } from './last-owner.ts';
import { isGrantable } from './roles.ts';
import type { NewRoleBinding, RoleBinding } from './schema.ts';

const ownerAction = 'ROLE_BINDING_OWNER';

/** Makes the binding, or answers the approval it waits for. */
export async function createRoleBinding(
  hooks: RoleHooks,
  t: TenantTx,
  input: NewRoleBinding,
): Promise<RoleBinding | ApiError> {
  const binding = await bindingOf(hooks, t, input);
  await refuseMoreThanHeld(t, binding);
  if (binding.role !== 'OWNER' || !(await anotherOwnerDecides(t))) return insertBinding(t, binding);
  return requestApproval(t, {
    action: ownerAction,
    summary: summaryOf(binding),
    request: { ...binding, requestedBy: principalName(t.principal) },
  });
}

const summaryOf = ({ principalRef, expiresAt }: JudgedBinding) =>
  `Make ${principalRef} an owner of the organization${expiresAt === null ? '' : ` until ${expiresAt}`}`;

/** A new owner needs the word of a second one. While there is only one, nobody else could ever give it. */
async function anotherOwnerDecides(t: TenantTx): Promise<boolean> {
  const owners = await ownersOf(t);
  return owners.some((userSid) => userSid !== t.principal.ref && userSid !== t.steppedUpBy);
}

/** Everything is judged again when it runs: days may have passed, and whoever approves must hold it too. */
export const ownerApproval = (hooks: RoleHooks) =>
  defineApprovable<JudgedBinding>({
    action: ownerAction,
    scope: 'organization:own',
    async run(t, request) {
      refuseUnlessFuture(t, request.expiresAt);
      await refuseUnknownPrincipal(hooks, t, request);
      await refuseMoreThanHeld(t, request);
      return insertBinding(t, request);
    },
  });

/** What must be true of the request, whoever it is about. */
export async function judgeBinding(t: TenantTx, input: NewRoleBinding): Promise<void> {
  const { parentAccountSid } = (await findAccount(t, t.accountSid))!;
  const role = grantableRole(input.role);
  const environment = environmentFor(t, input);
  const details = [
    ...issuesOfPlace(input, parentAccountSid),
    ...issuesOfEnvironment(t, { ...input, environment }),
    ...(role === 'OWNER' ? issuesOfOwner({ ...input, environment }) : []),
  ];
  if (details.length > 0) throw invalid(...details);
  refuseUnlessFuture(t, input.expiresAt ?? null);
}

async function bindingOf(hooks: RoleHooks, t: TenantTx, input: NewRoleBinding): Promise<JudgedBinding> {
  const { principalType, principalRef, scopeKind } = input;
  const role = grantableRole(input.role);
  const environment = environmentFor(t, input);
  await refuseUnknownPrincipal(hooks, t, { principalType, principalRef, role });
  const inboxSid = input.inboxSid ?? null;
  if (inboxSid !== null && !(await hooks.inboxExists(t, inboxSid))) throw unknown('inboxSid');
  const accountSid = scopeKind === 'ORGANIZATION' ? null : t.accountSid;
  const expiresAt = input.expiresAt ?? null;
  return { principalType, principalRef, role, scopeKind, accountSid, inboxSid, environment, expiresAt };
}

function grantableRole(name: string): Role {
  if (!isRole(name)) throw invalid({ path: 'role', issue: 'is not a role' });
  if (!isGrantable(name)) {
    const details = [{ path: 'role', issue: `${name} is given by the operator of the platform alone` }];
    throw new ApiError('AUTHORIZATION_ERROR', { details });
  }
  return name;
}

function issuesOfPlace(
  { scopeKind, inboxSid }: NewRoleBinding,
  parentAccountSid: string | null,
): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  if (scopeKind === 'INBOX' && inboxSid === undefined)
    details.push({ path: 'inboxSid', issue: 'is required when scopeKind is INBOX' });
  if (scopeKind !== 'INBOX' && inboxSid !== undefined)
    details.push({ path: 'inboxSid', issue: 'belongs only to scopeKind INBOX' });
  if (scopeKind === 'SUBACCOUNT' && parentAccountSid === null)
    details.push({ path: 'scopeKind', issue: 'SUBACCOUNT needs an account that has a parent' });
  return details;
}

type Reach = Pick<NewRoleBinding, 'principalType' | 'scopeKind'> & { environment: string };

/** A person acts in both environments; an inbox and a key stand in one. */
const standsInOne = ({ principalType, scopeKind }: Pick<NewRoleBinding, 'principalType' | 'scopeKind'>) =>
  principalType === 'API_KEY' || scopeKind === 'INBOX';

const environmentOf = (t: TenantTx) => (t.livemode ? 'live' : 'sandbox');

const environmentFor = (t: TenantTx, input: NewRoleBinding) =>
  input.environment ?? (standsInOne(input) ? environmentOf(t) : 'both');

/** A binding for the environment in which its key or inbox does not stand would look like access and give none. */
function issuesOfEnvironment(t: TenantTx, reach: Reach): ErrorDetail[] {
  const here = environmentOf(t);
  if (!standsInOne(reach) || reach.environment === 'both' || reach.environment === here) return [];
  return [{ path: 'environment', issue: `must be ${here}, where the key or inbox stands` }];
}

function issuesOfOwner({ principalType, scopeKind, environment }: Reach): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  if (principalType !== 'USER') details.push({ path: 'principalType', issue: 'only a person can be OWNER' });
  if (scopeKind !== 'ORGANIZATION')
    details.push({ path: 'scopeKind', issue: 'OWNER is of the ORGANIZATION' });
  if (environment !== 'both') details.push({ path: 'environment', issue: 'OWNER is of both environments' });
  return details;
}

function refuseUnlessFuture(t: TenantTx, expiresAt: string | null): void {
  if (expiresAt !== null && new Date(expiresAt) <= t.now)
    throw invalid({ path: 'expiresAt', issue: 'must be in the future' });
}

type Principal = Pick<JudgedBinding, 'principalType' | 'principalRef' | 'role'>;

/** An owner must be able to act today: one who never arrives would keep the last real one from being the last. */
async function refuseUnknownPrincipal(hooks: RoleHooks, t: TenantTx, wanted: Principal): Promise<void> {
  const { principalType, principalRef, role } = wanted;
  const wellFormed = principalType === 'USER' ? isSid('US', principalRef) : uuidForm.test(principalRef);
  const found = wellFormed ? await hooks.findPrincipal(t, principalType, principalRef) : null;
  if (found === null) throw unknown('principalRef');
  if (found === 'inactive' && role === 'OWNER')
    throw new ApiError('CONFLICT', { message: 'Only an active person can become an owner.' });
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const unknown = (path: string) =>
  new ApiError('NOT_FOUND', { details: [{ path, issue: 'names nothing here' }] });
