// Everything that can be said against a draft before it is launched, each at its path.
import type { TenantTx } from '../../../platform/db/database.ts';
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import { fromWire } from '../../../platform/money.ts';
import { readWallet, widen } from '../../billing/index.ts';
import { survivorsOf } from '../../contacts/index.ts';
import { judgeUnaddressed } from '../../messages/index.ts';
import { sizeOfSegment } from '../../segments/index.ts';
import { loadSender, openPools } from '../../senders/index.ts';
import type { GivenAudience } from '../schema.ts';
import { judgeTexts } from './bodies.ts';
import { type Definition, messagesOf } from './definition.ts';
import { lastMomentOf } from './times.ts';

const farthestMs = 365 * 24 * 60 * 60 * 1000;
const nameForm = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
// More digits than any sum has; a wallet counts in 64 bits.
const mostDigits = 15;

/** What the parts of the draft say of each other; nothing is looked up. */
export function judgeDefinition(definition: Definition, now: Date): ErrorDetail[] {
  return [
    ...judgeMessages(definition),
    ...judgeVariables(definition),
    ...judgeTimes(definition, now),
    ...(definition.from && definition.senderPoolSid
      ? [{ path: 'senderPoolSid', issue: 'does not go with from' }]
      : []),
  ];
}

function judgeMessages(definition: Definition): ErrorDetail[] {
  const { message, variants, variables = {} } = definition;
  if ((message === undefined) === (variants === undefined)) {
    const issue = 'exactly one of message and variants must be given';
    return (message ? ['message', 'variants'] : ['message']).map((path) => ({ path, issue }));
  }
  const weights = variants?.reduce((sum, { weight }) => sum + weight, 0) ?? 100;
  return [
    ...(weights === 100
      ? []
      : variants!.map((_, at) => ({
          path: `variants[${at}].weight`,
          issue: `the weights must sum to 100, and sum to ${weights}`,
        }))),
    ...messagesOf(definition).flatMap(({ path, message: one }) => [
      ...judgeUnaddressed(one).map((detail) => ({ ...detail, path: `${path}.${detail.path}` })),
      ...judgeTexts(path, one, variables),
    ]),
  ];
}

function judgeVariables({ variables = {} }: Definition): ErrorDetail[] {
  return Object.entries(variables).flatMap(([name, { attribute, field, fallback }]) => {
    const path = `variables.${name.slice(0, 64)}`;
    if (!nameForm.test(name))
      return [{ path, issue: 'must have a name of letters, digits, dots, hyphens and underscores' }];
    if (attribute !== undefined && field !== undefined)
      return [{ path: `${path}.field`, issue: 'does not go with attribute' }];
    if (attribute === undefined && field === undefined && fallback === undefined)
      return [{ path, issue: 'must name an attribute or a field, or have a fallback' }];
    return [];
  });
}

export function judgeTimes(definition: Definition, now: Date): ErrorDetail[] {
  const { sendAt, localTime = false, quietHours } = definition;
  const issues: ErrorDetail[] = [];
  if (localTime && sendAt === undefined) issues.push({ path: 'localTime', issue: 'goes with sendAt only' });
  if (sendAt !== undefined && lastMomentOf(sendAt, localTime) < now)
    issues.push({ path: 'sendAt', issue: 'must not be in the past' });
  if (sendAt !== undefined && Date.parse(sendAt) > now.getTime() + farthestMs)
    issues.push({ path: 'sendAt', issue: 'must be at most 365 days ahead' });
  if (quietHours && quietHours.from === quietHours.to)
    issues.push({
      path: 'quietHours.to',
      issue: 'must differ from `from`: hours that never end let nobody be written to',
    });
  return issues;
}

/** What the draft names must be there, and be of this account and environment. */
export async function judgeNamed(t: TenantTx, definition: Definition): Promise<ErrorDetail[]> {
  const { from, senderPoolSid, budget } = definition;
  const issue = (noun: string) => `is no ${noun} of this account and environment`;
  return [
    ...(from && !(await loadSender(t, from)) ? [{ path: 'from', issue: issue('sender') }] : []),
    ...(senderPoolSid && (await openPools(t, [senderPoolSid], { lock: false })).size === 0
      ? [{ path: 'senderPoolSid', issue: issue('sender pool') }]
      : []),
    ...(budget ? await judgeBudget(t, budget) : []),
  ];
}

async function judgeBudget(t: TenantTx, budget: NonNullable<Definition['budget']>): Promise<ErrorDetail[]> {
  const { currency, scale } = await readWallet(t);
  if (budget.currency !== currency)
    return [{ path: 'budget.currency', issue: `must be ${currency}, the currency of the wallet` }];
  if (budget.scale > scale)
    return [{ path: 'budget.scale', issue: `must be at most ${scale}, the scale of the wallet` }];
  if (budget.amountMinor.length > mostDigits)
    return [{ path: 'budget.amountMinor', issue: `must be at most ${mostDigits} digits` }];
  if (fromWire(budget).amountMinor <= 0n)
    return [{ path: 'budget.amountMinor', issue: 'must be more than nothing' }];
  return [];
}

/** In the units of the wallet it is paid from; of one that was judged. */
export async function budgetInWallet(t: TenantTx, { budget }: Definition) {
  if (!budget) return null;
  const { currency, scale } = await readWallet(t);
  return { limitMinor: widen(fromWire(budget), scale).amountMinor, currency, scale };
}

/** How many people it names, and what is wrong with it. */
export async function judgeAudience(
  t: TenantTx,
  { segmentSid, contactSids }: GivenAudience,
): Promise<{ size: number; issues: ErrorDetail[] }> {
  if ((segmentSid === undefined) === (contactSids === undefined)) {
    const issue = 'exactly one of segmentSid and contactSids must be given';
    const named = segmentSid === undefined ? ['segmentSid'] : ['segmentSid', 'contactSids'];
    return { size: 0, issues: named.map((name) => ({ path: `audience.${name}`, issue })) };
  }
  if (segmentSid !== undefined) {
    const size = await sizeOfSegment(t, segmentSid);
    const path = 'audience.segmentSid';
    if (size === null)
      return { size: 0, issues: [{ path, issue: 'is no segment of this account and environment' }] };
    return { size, issues: size === 0 ? [{ path, issue: 'has no members' }] : [] };
  }
  const known = await survivorsOf(t, contactSids!);
  const issues = contactSids!.flatMap((sid, at) =>
    known.has(sid)
      ? []
      : [{ path: `audience.contactSids[${at}]`, issue: 'is no contact of this account and environment' }],
  );
  // A list of strangers would be as long as the audience.
  return { size: new Set(known.values()).size, issues: issues.slice(0, 100) };
}
