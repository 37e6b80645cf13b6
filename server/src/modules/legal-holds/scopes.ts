// What a hold may be on, and what of the account that reaches.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError, type ErrorDetail } from '../../platform/errors/errors.ts';
import { type Judge, judgeBy } from '../../platform/http/input/validation.ts';
import { identitiesOf, survivorOf } from '../contacts/index.ts';
import type { LegalHoldHooks } from './hooks.ts';
import { type Scope, scopeShapes } from './schema.ts';

const judges = new Map<unknown, Judge>(
  Object.entries(scopeShapes).map(([type, shape]) => [type, judgeBy(shape)]),
);

/** Everything that is wrong with it, each at its place. */
export function issuesOfScope(scope: Record<string, unknown>): ErrorDetail[] {
  const judge = judges.get(scope.type);
  if (!judge) return [{ path: 'scope.type', issue: `must be one of: ${[...judges.keys()].join(', ')}` }];
  const issues = judge(scope).map(({ path, issue }) => ({ path: `scope.${path}`, issue }));
  return issues.length > 0 ? issues : issuesOfOrder(scope as Scope);
}

function issuesOfOrder(scope: Scope): ErrorDetail[] {
  if (scope.type !== 'DATE_RANGE' || Date.parse(scope.from) < Date.parse(scope.to)) return [];
  return [{ path: 'scope.to', issue: 'must be after `from`' }];
}

/** What a hold reaches: the SIDs of what it is on, or a time. */
export type Reach = { refs: string[]; senderSid?: string } | { from: Date; to: Date };

/** Of somebody unknown, or another account's, there is nothing to hold. */
export async function reachOf(hooks: LegalHoldHooks, t: TenantTx, scope: Scope): Promise<Reach> {
  switch (scope.type) {
    case 'ACCOUNT':
      return { refs: [t.accountSid] };
    case 'DATE_RANGE':
      return { from: new Date(scope.from), to: new Date(scope.to) };
    case 'CONTACT':
      return { refs: await personBehind(t, scope.contactSid) };
    case 'CONVERSATION': {
      const sides = await hooks.sidesOf(t, scope.conversationSid);
      if (!sides) throw new ApiError('NOT_FOUND');
      return { refs: await personBehind(t, sides.contactSid), senderSid: sides.senderSid };
    }
    case 'CAMPAIGN': {
      if (!(await hooks.isCampaign(t, scope.campaignSid))) throw new ApiError('NOT_FOUND');
      return { refs: [scope.campaignSid] };
    }
  }
}

/** Whoever was merged is held as the person they are. */
const personBehind = async (t: TenantTx, contactSid: string) =>
  identitiesOf(t, await survivorOf(t, contactSid));

export function inWords(scope: Scope): string {
  switch (scope.type) {
    case 'ACCOUNT':
      return 'the whole account';
    case 'CONTACT':
      return `the contact ${scope.contactSid}`;
    case 'CONVERSATION':
      return `the conversation ${scope.conversationSid}`;
    case 'CAMPAIGN':
      return `the campaign ${scope.campaignSid}`;
    case 'DATE_RANGE':
      return `everything from ${scope.from} to ${scope.to}`;
  }
}
