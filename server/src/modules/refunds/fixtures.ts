import type { Fixtures } from '../../../test/harness/fixtures.ts';
import { newSid, newUuid } from '../../platform/ids.ts';

export const fixtures: Fixtures = {
  async refundId({ app, owner: { accountSid, livemode } }) {
    const now = app.clock.now();
    const id = newUuid(now);
    await app.sql(
      `insert into refunds (account_sid, livemode, id, state, reason, approval_sid, operation_sid, wallet_id, payment_intent_id,
         currency, scale, amount_minor, tax_minor, created_by, created_at, updated_at)
       select account_sid, livemode, $3, 'submitted', 'duplicate', $4, $5, id, $3, currency, 2, 5000, 0, 'system:test', $6, $6
         from wallets where account_sid = $1 and livemode = $2`,
      [accountSid, livemode, id, newSid('AP', now), newSid('OP', now), now],
    );
    return id;
  },
};
