// A switch, step by step. Each state is written down before the next is worked on, so that after a crash the work goes on where
// it stood; and whatever the provider was asked before, it is looked up first what became of it.
import { Closed, Uuid } from '../../platform/http/input/schema.ts';
import { audit } from '../audit/index.ts';
import { defineOperationType, later, type OperationContext, type StepOutcome } from '../operations/index.ts';
import { answered, type CreditAllocation, Later, Refused } from '../provider/index.ts';
import { connectionOf, setBillingMode } from '../wabas/index.ts';
import { findAllocation } from './allocations.ts';
import { billingModeEvents } from './events.ts';
import { type Partner, requirePartner } from './partner.ts';
import { beginAllocating } from './siblings.ts';
import type { SwitchState } from './states.ts';
import { lockSwitch, moveSwitch, readSwitch, type Switch, tell } from './switches.ts';

const minute = 60_000;
/** How long an offer can be accepted. */
const offerMs = 30 * 24 * 60 * minute;
/** An answer that was lost may still take effect: nothing is asked for again before that. */
const settleMs = 5_000;
/** How long the provider may take to show the line as what pays. */
const verifyMs = 60 * minute;

type Work = { context: OperationContext; found: Switch; livemode: boolean; partner: Partner };
/** Null: it has moved on; look again. */
type Step = (work: Work) => Promise<StepOutcome | null>;

export const switchMode = defineOperationType({
  type: 'billing_mode.switch',
  input: Closed({ switchId: Uuid }),
  cancelable: false,
  async run(context, { input, livemode }) {
    for (;;) {
      const found = await context.read((t) => readSwitch(t, input.switchId));
      const step = steps[found.state];
      if (!step) return endOf(found);
      try {
        const partner = requirePartner(context, livemode);
        const outcome = await step({ context, found, livemode, partner });
        if (outcome) return outcome;
      } catch (error) {
        if (error instanceof Later) return later(context, error.ms);
        if (!(error instanceof Refused)) throw error;
        await fail(context, found, error);
      }
    }
  },
});

const resultOf = ({ id, wabaSid, state, termsVersion, currency }: Switch) => ({
  switchId: id,
  wabaSid,
  state,
  termsVersion,
  currency,
});

/** Somebody else ended it, or it ended before the operation could say so. */
function endOf(found: Switch): StepOutcome {
  if (found.state === 'active') return { result: resultOf(found) };
  const { code, message } = found.error ?? { code: 'CONFLICT', message: 'The switch was taken back.' };
  return { failure: { code: code as Refused['code'], message, retryable: false } };
}

async function fail(context: OperationContext, found: Switch, { code, message }: Refused): Promise<void> {
  await context.write(async (t) => {
    await moveSwitch(t, found, 'failed', { error: { code, message } });
    audit(t, { action: 'billing_mode.switch_failed', resource: found.wabaSid, facts: { code } });
    await tell(t, billingModeEvents.switch_failed, found.wabaSid);
  });
}

const findCreditLine: Step = async ({ context, found, partner }) => {
  const { provider } = context.ports;
  const { creditLineIds } = answered(await provider.listCreditLines(partner.connection, partner.businessId));
  const [creditLineId] = creditLineIds;
  if (!creditLineId)
    throw new Refused('PAYMENT_REQUIRED', 'The operator has no credit line at the provider.');
  await context.write(async (t) => {
    await moveSwitch(t, found, 'awaiting_acceptance', { creditLineId });
    await tell(t, billingModeEvents.acceptance_required, found.wabaSid);
  });
  return null;
};

const awaitAcceptance: Step = async ({ context, found }) => {
  const lapsesAt = new Date(Date.parse(found.createdAt) + offerMs);
  if (context.now() >= lapsesAt) throw new Refused('CONFLICT', 'The terms were not accepted within 30 days.');
  return {
    result: resultOf(found),
    waitUntil: async (t) =>
      (await lockSwitch(t, found.id)).state === 'awaiting_acceptance' ? lapsesAt : t.now,
  };
};

const begin: Step = async ({ context, found, livemode }) =>
  (await beginAllocating(context.database, found, { livemode, now: context.now() }))
    ? null
    : later(context, settleMs);

const allocate: Step = async ({ context, found, partner }) => {
  const { provider } = context.ports;
  const connection = await context.read((t) => connectionOf(t, found.wabaSid));
  if (!connection) throw new Refused('WABA_NOT_CONNECTED', 'The business account is not connected any more.');
  answered(await provider.getWaba(connection, found.providerWabaId));

  const shared = await findAllocation(context, partner, found);
  const askedMs = found.sharingSince ? Date.parse(found.sharingSince) : null;
  if (shared && (askedMs !== null || (await isFundedBy(context, partner, found, shared)))) {
    await verifyNext(context, found, shared.id);
    return null;
  }
  if (askedMs !== null && context.now().getTime() < askedMs + settleMs) return later(context, settleMs);
  const asking = await context.write((t) =>
    moveSwitch(t, found, 'allocating', { sharingSince: t.now.toISOString() }),
  );
  const { allocationId } = answered(
    await provider.shareCreditLine(partner.connection, found.creditLineId!, {
      wabaId: found.providerWabaId,
      currency: found.currency,
    }),
  );
  await verifyNext(context, asking, allocationId);
  return null;
};

async function isFundedBy(
  { ports }: OperationContext,
  { connection }: Partner,
  { providerWabaId }: Switch,
  { receivingCredentialId }: CreditAllocation,
): Promise<boolean> {
  const { primaryFundingId } = answered(await ports.provider.getFunding(connection, providerWabaId));
  return receivingCredentialId !== null && primaryFundingId === receivingCredentialId;
}

const verifyNext = (context: OperationContext, found: Switch, allocationId: string) =>
  context.write((t) =>
    moveSwitch(t, found, 'verifying', { allocationId, verifyingSince: t.now.toISOString() }),
  );

const verify: Step = async ({ context, found, partner }) => {
  const { provider } = context.ports;
  const allocation = answered(await provider.getCreditAllocation(partner.connection, found.allocationId!));
  if (allocation.requestStatus === 'DELETED')
    throw new Refused('PROVIDER_PERMANENT_ERROR', 'The provider has taken the credit line back meanwhile.');
  if (await isFundedBy(context, partner, found, allocation)) return activate(found, allocation);
  const waitedMs = context.now().getTime() - Date.parse(found.verifyingSince!);
  if (waitedMs > verifyMs)
    throw new Refused('PROVIDER_PERMANENT_ERROR', 'The provider does not show the credit line as what pays.');
  return later(context, Math.max(settleMs, waitedMs / 4));
};

const activate = (found: Switch, { receivingCredentialId }: CreditAllocation): StepOutcome => ({
  result: { ...resultOf(found), state: 'active' },
  async apply(t) {
    await moveSwitch(t, found, 'active', { receivingCredentialId, activatedAt: t.now.toISOString() });
    await setBillingMode(t, found.wabaSid, 'partner');
    const { allocationId, currency, termsVersion } = found;
    audit(t, {
      action: 'billing_mode.activated',
      resource: found.wabaSid,
      facts: { mode: 'partner', allocationId, currency, termsVersion },
    });
    await tell(t, billingModeEvents.activated, found.wabaSid);
  },
});

const steps: Partial<Record<SwitchState, Step>> = {
  requested: findCreditLine,
  awaiting_acceptance: awaitAcceptance,
  accepted: begin,
  allocating: allocate,
  verifying: verify,
};
