// Whether something can be done here and now, asked by name and SID.
import type { TenantTx } from '../../../platform/db/database.ts';
import { hasPassThrough, loadRates } from '../../billing/index.ts';
import {
  type AccountFacts,
  type CapabilityName,
  decideCapability,
  isOf,
  type NamesOf,
  refuse,
  spokenIn,
  type Verdict,
} from '../../provider/index.ts';
import { requireSender } from '../../senders/index.ts';
import { loadWabas, requireWaba } from '../../wabas/index.ts';

export async function accountFacts(t: TenantTx): Promise<AccountFacts> {
  const environment = t.livemode ? 'live' : 'sandbox';
  return {
    signup: t.site.provider[environment].signupConfigId !== null,
    partnerBilling: t.site.partnerTerms[environment] !== null && hasPassThrough(await loadRates(t)),
  };
}

/** What a capability is about: nothing more, a business account, or a number. */
type About<Name extends CapabilityName> =
  Name extends NamesOf<'WABA'>
    ? [{ wabaSid: string }]
    : Name extends NamesOf<'SENDER'>
      ? [{ senderSid: string }]
      : [];

/** What is decided of a capability. */
export async function capabilityOf<Name extends CapabilityName>(
  t: TenantTx,
  name: Name,
  ...[about]: About<Name>
): Promise<Verdict> {
  const { wabaSid = '', senderSid = '' } = (about ?? {}) as { wabaSid?: string; senderSid?: string };
  const named: CapabilityName = name;
  const spoken = spokenIn(t);
  if (isOf('ACCOUNT', named)) return decideCapability(named, { ...(await accountFacts(t)), ...spoken });
  if (isOf('WABA', named)) return decideCapability(named, { waba: await requireWaba(t, wabaSid), ...spoken });
  const sender = await requireSender(t, senderSid);
  const waba = (await loadWabas(t, sender.wabaSid === null ? [] : [sender.wabaSid])).values().next().value;
  return decideCapability(named, { sender, waba: waba ?? null, ...spoken });
}

/** Throws what a capability that cannot be used is answered with. */
export async function requireCapability<Name extends CapabilityName>(
  t: TenantTx,
  name: Name,
  ...about: About<Name>
): Promise<void> {
  refuse(await capabilityOf(t, name, ...about));
}
