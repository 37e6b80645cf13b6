// What people ask for: a switch, the acceptance of its terms, its revert. The work itself is an operation's.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError, type ErrorDetail, invalid } from '../../platform/errors/errors.ts';
import { newUuid } from '../../platform/ids.ts';
import { principalName } from '../../platform/principal.ts';
import { audit } from '../audit/index.ts';
import { loadRates } from '../billing/index.ts';
import { type Operation, startOperation, wakeOperation } from '../operations/index.ts';
import { requireCapability } from '../provider-versions/index.ts';
import { lockWaba, providerBusinessOf } from '../wabas/index.ts';
import { billingModeEvents } from './events.ts';
import { revertMode } from './run-revert.ts';
import { switchMode } from './run-switch.ts';
import type { BillingModeResource } from './schema.ts';
import { insertSwitch, lockSwitch, moveSwitch, newestSwitch, type Switch, tell } from './switches.ts';

/** What the provider invoices credit lines in. */
const currencies = ['AUD', 'EUR', 'GBP', 'IDR', 'INR', 'USD'];

const conflict = (message: string) => new ApiError('CONFLICT', { message });

export async function startSwitch(t: TenantTx, wabaSid: string): Promise<Operation> {
  const waba = await lockWaba(t, wabaSid);
  await requireCapability(t, 'PARTNER_BILLING');
  const termsVersion = t.site.partnerTerms[t.livemode ? 'live' : 'sandbox']!;
  if (waba.connectionState !== 'CONNECTED') throw new ApiError('WABA_NOT_CONNECTED');
  const last = await newestSwitch(t, wabaSid);
  if (last && last.state !== 'failed' && last.state !== 'direct')
    throw conflict(`There is a switch of this account already: it is ${last.state}.`);
  const { currency } = await loadRates(t);
  if (!currencies.includes(currency))
    throw conflict(`The wallet is in ${currency}; credit lines are in ${currencies.join(', ')}.`);

  const id = newUuid(t.now);
  const operation = await startOperation(t, switchMode, { switchId: id });
  await insertSwitch(t, {
    id,
    wabaSid,
    currency,
    termsVersion,
    receivingBusinessId: await providerBusinessOf(t, wabaSid),
    providerWabaId: waba.providerWabaId,
    operationSid: operation.sid,
  });
  audit(t, {
    action: 'billing_mode.switch_requested',
    resource: wabaSid,
    facts: { switchId: id, termsVersion, currency },
  });
  await tell(t, billingModeEvents.switch_requested, wabaSid);
  return operation;
}

/** The newest switch, locked: what is asked of it is decided one after the other. */
async function lockNewest(t: TenantTx, wabaSid: string): Promise<Switch | null> {
  await lockWaba(t, wabaSid);
  const newest = await newestSwitch(t, wabaSid);
  return newest ? lockSwitch(t, newest.id) : null;
}

/** Terms are accepted to the letter. */
export async function issuesOfAcceptance(
  t: TenantTx,
  wabaSid: string | undefined,
  termsVersion: string | undefined,
): Promise<ErrorDetail[]> {
  if (wabaSid === undefined || termsVersion === undefined) return [];
  const offered = await newestSwitch(t, wabaSid);
  return offered?.state === 'awaiting_acceptance' ? issuesOfTerms(offered, termsVersion) : [];
}

const issuesOfTerms = (offered: Switch, termsVersion: string): ErrorDetail[] =>
  termsVersion === offered.termsVersion
    ? []
    : [{ path: 'termsVersion', issue: `must be ${offered.termsVersion}, as the switch says` }];

export async function acceptSwitch(
  t: TenantTx,
  wabaSid: string,
  termsVersion: string,
): Promise<BillingModeResource> {
  const found = await lockNewest(t, wabaSid);
  if (found?.state !== 'awaiting_acceptance') {
    throw conflict(
      found ? `No terms wait to be accepted: the switch is ${found.state}.` : 'There is no switch.',
    );
  }
  const wrong = issuesOfTerms(found, termsVersion);
  if (wrong.length > 0) throw invalid(...wrong);
  const acceptedBy = principalName(t.principal);
  await moveSwitch(t, found, 'accepted', { acceptedBy, acceptedAt: t.now.toISOString() });
  audit(t, {
    action: 'billing_mode.switch_accepted',
    resource: wabaSid,
    facts: { switchId: found.id, termsVersion },
  });
  await wakeOperation(t, found.operationSid);
  return tell(t, billingModeEvents.switch_accepted, wabaSid);
}

export async function revertSwitch(t: TenantTx, wabaSid: string, reason: string): Promise<Operation> {
  const found = await lockNewest(t, wabaSid);
  if (!found || found.state === 'direct') throw conflict('The billing mode is direct already.');
  const offered = found.state === 'awaiting_acceptance';
  const shared = found.state === 'active' || (found.state === 'failed' && found.allocationId !== null);
  if (!offered && !shared) {
    throw conflict(
      found.state === 'failed'
        ? 'The switch failed, and nothing was given that could be taken back.'
        : `The switch is ${found.state}: it can be taken back once it is active.`,
    );
  }
  const operation = await startOperation(t, revertMode, { switchId: found.id });
  const facts = { switchId: found.id, reason };
  audit(t, { action: 'billing_mode.revert_requested', resource: wabaSid, facts });
  if (offered) {
    await moveSwitch(t, found, 'direct', { revertOperationSid: operation.sid });
    await wakeOperation(t, found.operationSid);
    await tell(t, billingModeEvents.reverted, wabaSid);
    return operation;
  }
  await moveSwitch(t, found, 'revoking', {
    revertOperationSid: operation.sid,
    revertedFrom: found.state,
    error: null,
  });
  await tell(t, billingModeEvents.revert_requested, wabaSid);
  return operation;
}
