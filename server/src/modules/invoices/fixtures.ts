import { billingOf } from '../../../test/harness/billing.ts';
import type { Fixtures, Given } from '../../../test/harness/fixtures.ts';
import { charged, owing } from '../../../test/harness/invoices.ts';
import { addPeriod, closeUntil, readWallet } from '../billing/index.ts';
import { draftOf } from './composing/draft.ts';
import { createInvoice } from './issuing/create-invoice.ts';
import { issueStatement } from './statements/statements.ts';

/** What an account owes by now, as if its month ended here. */
async function drafted({ app, owner }: Given) {
  const billing = billingOf(app, owner);
  await owing(billing, { mode: 'postpaid', limit: 10n ** 12n });
  await charged(billing, 1_000_000n);
  const end = new Date(app.clock.now().getTime() + 1);
  app.clock.set(end);
  return { write: billing.write, period: { start: new Date(end.getTime() - 1000), end } };
}

export const fixtures: Fixtures = {
  async invoiceSid(given) {
    const { write, period } = await drafted(given);
    return write(async (t) => {
      const wallet = await readWallet(t);
      return createInvoice(t, wallet, await draftOf(t, wallet, period), []);
    });
  },
  async statementSid(given) {
    const { write, period } = await drafted(given);
    return write(async (t) => {
      const { id: walletId } = await readWallet(t);
      await closeUntil(t, walletId, period.end);
      const wallet = await readWallet(t);
      const draft = await draftOf(t, wallet, period);
      const written = await addPeriod(t, { walletId, startsAt: period.start, endsAt: period.end });
      return (await issueStatement(t, wallet, written, draft)).sid;
    });
  },
  line: async () => '1',
};
