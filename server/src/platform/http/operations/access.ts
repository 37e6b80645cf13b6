// Who may enter an operation: the account must be the principal's, and one of the declared scopes must be held there. A request
// that names an environment must reach that one.
import { ApiError, invalid } from '../../errors/errors.ts';
import type { Principal } from '../../principal.ts';
import type { Operation } from './operation.ts';
import { single } from './raw-input.ts';
import type { Call, Incoming } from './serving.ts';

type Entered = Pick<Operation, 'access' | 'alsoNeeds' | 'partScoped'>;

/** Refuses a principal that may not enter. A refusal for want of a scope names the scopes that would do. */
export function refuseStrangers(
  operation: Entered,
  principal: Principal,
  accountSid: string | undefined,
): void {
  if (accountSid !== undefined && !principal.scopesOn(accountSid)) throw new ApiError('AUTHORIZATION_ERROR');
  if (holdsOnAccount(operation, principal, accountSid)) return;
  if (!entersByPart(operation, principal, accountSid)) throw missingScope(operation);
}

/** The same, and whoever would change something in a suspended account. */
export function refuseEntry(
  operation: Entered & Pick<Operation, 'method' | 'whileSuspended'>,
  principal: Principal,
  accountSid: string | undefined,
): void {
  refuseStrangers(operation, principal, accountSid);
  const { method, whileSuspended = false } = operation;
  if (principal.suspended && accountSid !== undefined && method !== 'GET' && !whileSuspended)
    throw new ApiError('ACCOUNT_SUSPENDED');
}

/** Whoever asked, as they are known at this moment; null where they would be refused by now. */
export async function principalNow(
  operation: Entered & Pick<Operation, 'method' | 'whileSuspended'>,
  { authentication, incoming }: Pick<Call, 'authentication' | 'incoming'>,
  at: Date,
): Promise<Principal | null> {
  const { principal, look } = authentication!;
  try {
    const known = look ? await look(at) : principal;
    refuseEntry(operation, known, incoming.params.accountSid);
    return known;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return null;
    throw error;
  }
}

/** True when a scope held inside some part of the account is all that lets the principal in. */
export function entersByPart(
  operation: Entered,
  principal: Principal,
  accountSid: string | undefined,
): boolean {
  if (!operation.partScoped || operation.alsoNeeds || holdsOnAccount(operation, principal, accountSid))
    return false;
  const wanted = scopesOf(operation);
  return [...principal.partScopes.values()].some((held) => wanted.some((scope) => held.has(scope)));
}

function holdsOnAccount(operation: Entered, principal: Principal, accountSid: string | undefined): boolean {
  return suffices(operation, accountSid === undefined ? null : principal.scopesOn(accountSid));
}

/** Whether these scopes, held on the account, let somebody in. */
export function suffices(operation: Entered, held: ReadonlySet<string> | null): boolean {
  const wanted = scopesOf(operation);
  if (operation.alsoNeeds !== undefined && !held?.has(operation.alsoNeeds)) return false;
  return wanted.length === 0 || wanted.some((scope) => held?.has(scope));
}

/** The scopes any one of which suffices; none where being known is enough. */
export const scopesOf = ({ access }: Pick<Operation, 'access'>): readonly string[] =>
  Array.isArray(access) ? access : [];

/** What is told to somebody who lacks it. */
export function neededScopes(operation: Entered): string {
  const wanted = scopesOf(operation);
  const beside = operation.alsoNeeds === undefined ? '' : ` and ${operation.alsoNeeds}`;
  return `needs ${wanted.length > 1 ? 'one of ' : ''}${wanted.join(', ')}${beside}`;
}

const missingScope = (operation: Entered) =>
  new ApiError('AUTHORIZATION_ERROR', { details: [{ path: 'scope', issue: neededScopes(operation) }] });

/** True for the refusal of somebody known, on their own account, for want of a scope. */
export function isMissingScope(error: unknown): boolean {
  const details = error instanceof ApiError ? (error.facts.details ?? []) : [];
  return details.some(({ path }) => path === 'scope');
}

export const environmentHeader = 'X-Environment';

/** The environment a request names; null where it names none. */
export function namedEnvironment({ headers }: Pick<Incoming, 'headers'>): 'live' | 'sandbox' | null {
  const named = single(headers[environmentHeader.toLowerCase()]);
  if (named === undefined) return null;
  if (named === 'live' || named === 'sandbox') return named;
  throw invalid({ path: environmentHeader, issue: 'must be live or sandbox' });
}

/** The credential alone decides which environment is reached: a request that names the other one is refused. */
export function refuseOtherEnvironment(incoming: Incoming, { livemode }: Principal): void {
  const named = namedEnvironment(incoming);
  const own = livemode ? 'live' : 'sandbox';
  if (named === null || named === own) return;
  const issue = `is ${named}, and this credential is for ${own}`;
  throw new ApiError('AUTHORIZATION_ERROR', { details: [{ path: environmentHeader, issue }] });
}
