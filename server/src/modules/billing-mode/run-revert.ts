// A revert, step by step: the line is taken back, the provider confirms it, and only then is the account in the mode direct again.
import { Closed, Uuid } from '../../platform/http/input/schema.ts';
import { audit } from '../audit/index.ts';
import { defineOperationType, later, type OperationContext, type StepOutcome } from '../operations/index.ts';
import { answered, Later, Refused } from '../provider/index.ts';
import { setBillingMode } from '../wabas/index.ts';
import { revocationOf } from './allocations.ts';
import { billingModeEvents } from './events.ts';
import { type Partner, requirePartner } from './partner.ts';
import { beginRevoking } from './siblings.ts';
import { moveSwitch, readSwitch, type Switch, tell } from './switches.ts';

/** How often it is looked whether the other accounts of the business still have the line. */
const siblingsMs = 30_000;
const confirmMs = 5_000;
const unheardMs = 60_000;

export const revertMode = defineOperationType({
  type: 'billing_mode.revert',
  input: Closed({ switchId: Uuid }),
  cancelable: false,
  async run(context, { input, livemode, accountSid }) {
    for (;;) {
      const found = await context.read((t) => readSwitch(t, input.switchId));
      if (found.state !== 'revoking' && found.state !== 'confirming') return endOf(found);
      const work = { context, found, tenant: { accountSid, livemode } };
      try {
        const partner = requirePartner(context, livemode);
        const outcome = await (found.state === 'revoking' ? revoke(work, partner) : confirm(work, partner));
        if (outcome) return outcome;
      } catch (error) {
        if (error instanceof Later) return later(context, error.ms);
        if (!(error instanceof Refused)) throw error;
        // The line was given up: what is left is to hear it said, or to see it listed no more.
        if (found.state === 'confirming') return later(context, unheardMs);
        await standBy(work, error);
      }
    }
  },
});

type Work = {
  context: OperationContext;
  found: Switch;
  tenant: { accountSid: string; livemode: boolean };
};

/** It returned to where it was, since the provider refused. */
function endOf({ id, wabaSid, state, error }: Switch): StepOutcome {
  if (state === 'direct') return { result: { switchId: id, wabaSid, state } };
  const { code, message } = error ?? { code: 'CONFLICT', message: 'The revert was given up.' };
  return { failure: { code: code as Refused['code'], message, retryable: false } };
}

/** The provider will not take the line back: the account keeps the mode it is billed in. */
const standBy = ({ context, found }: Work, { code, message }: Refused) =>
  context.write(async (t) => {
    await moveSwitch(t, found, found.revertedFrom!, { error: { code, message } });
    audit(t, { action: 'billing_mode.revert_failed', resource: found.wabaSid, facts: { code } });
    await tell(t, billingModeEvents.revert_failed, found.wabaSid);
  });

async function revoke({ context, found, tenant }: Work, partner: Partner): Promise<StepOutcome | null> {
  const { provider } = context.ports;
  const now = context.now();
  const holders = await beginRevoking(context.database, found, { livemode: tenant.livemode, now });
  if (holders.length > 0) {
    const own = holders.filter(({ accountSid }) => accountSid === tenant.accountSid);
    return {
      waitUntil: new Date(now.getTime() + siblingsMs),
      // Accounts of others are counted and not named.
      result: {
        waitingFor: { wabaSids: own.map(({ wabaSid }) => wabaSid), others: holders.length - own.length },
      },
    };
  }
  const isGone = async () => (await revocationOf(context, partner, found)) !== null;
  if (!(await isGone())) {
    const asked = await provider.revokeCreditAllocation(partner.connection, found.allocationId!);
    try {
      answered(asked);
    } catch (error) {
      // Another account of the business, reverted at the same time, may have had it taken back in between.
      if (!(error instanceof Refused) || !(await isGone())) throw error;
    }
  }
  await context.write((t) => moveSwitch(t, found, 'confirming'));
  return null;
}

async function confirm({ context, found }: Work, partner: Partner): Promise<StepOutcome> {
  const requestStatus = await revocationOf(context, partner, found);
  if (requestStatus === null) return later(context, confirmMs);
  return {
    result: { switchId: found.id, wabaSid: found.wabaSid, state: 'direct' },
    async apply(t) {
      await moveSwitch(t, found, 'direct', { requestStatus, revokedAt: t.now.toISOString() });
      await setBillingMode(t, found.wabaSid, 'direct');
      const { allocationId } = found;
      audit(t, {
        action: 'billing_mode.reverted',
        resource: found.wabaSid,
        facts: { mode: 'direct', allocationId, requestStatus },
      });
      await tell(t, billingModeEvents.reverted, found.wabaSid);
    },
  };
}
