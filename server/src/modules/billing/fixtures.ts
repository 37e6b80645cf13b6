import { billingOf, priceFor } from '../../../test/harness/billing.ts';
import type { Fixtures } from '../../../test/harness/fixtures.ts';
import { chargeOf, hold, settle } from './index.ts';

export const fixtures: Fixtures = {
  async chargeId({ app, owner }) {
    const billing = billingOf(app, owner);
    const messageSid = billing.message();
    await billing.write((t) => hold(t, [{ messageSid, amountMinor: 0n }]));
    await billing.write((t) => settle(t, [priceFor(messageSid, 0n)]));
    return (await billing.write((t) => chargeOf(t, messageSid)))!.id;
  },
};
