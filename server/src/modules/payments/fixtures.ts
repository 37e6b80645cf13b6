import type { Fixtures } from '../../../test/harness/fixtures.ts';
import { newSid, newUuid } from '../../platform/ids.ts';

export const fixtures: Fixtures = {
  /** As a top-up leaves it behind, but for its document. */
  async receiptSid({ app, owner: { accountSid, livemode } }) {
    const now = app.clock.now();
    const [sid, id] = [newSid('RC', now), newUuid(now)];
    await app.sql(
      `insert into payment_intents (account_sid, livemode, id, purpose, provider, state, wallet_id, currency, scale, net_minor,
         tax_minor, tax_lines, save_card, created_by, created_at, updated_at)
       select account_sid, livemode, $3, 'top_up', 'stripe', 'succeeded', id, currency, 2, 5000, 0, '[]', false, 'system:test',
         $4, $4 from wallets where account_sid = $1 and livemode = $2`,
      [accountSid, livemode, id, now],
    );
    await app.sql('insert into receipts values ($1, $2, $3, $4, $5, $6)', [
      accountSid,
      livemode,
      sid,
      sid,
      id,
      now,
    ]);
    return sid;
  },
};
