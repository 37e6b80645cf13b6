import { randomInt, randomUUID } from 'node:crypto';
import type { TestApp } from '../../../test/harness/app.ts';
import type { Fixtures, Owner } from '../../../test/harness/fixtures.ts';
import { newSid } from '../../platform/ids.ts';

/** A live business account is connected by a token of the provider; in tests one is simply there. */
export async function insertWaba(
  app: TestApp,
  { accountSid, livemode }: Omit<Owner, 'key'>,
): Promise<string> {
  const [sid, portfolio, providerId] = [
    newSid('WB', app.clock.now()),
    randomUUID(),
    String(randomInt(2 ** 40)),
  ];
  await app.sql(
    `insert into portfolios (account_sid, livemode, id, provider_business_id, name, messaging_limit, phone_number_cap,
       limits_updated_at, created_at, updated_at)
     values ($1, $2, $3, $4, 'Depot', 'TIER_250', 2, $5, $5, $5)`,
    [accountSid, livemode, portfolio, providerId, app.clock.now()],
  );
  const token = app.sealer.seal('live-token', `waba token/${accountSid}/${sid}`);
  await app.sql(
    `insert into wabas (account_sid, livemode, sid, portfolio_id, provider_waba_id, name, connection_state, access_token,
       connected_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'Depot', 'CONNECTED', $6, $7, $7, $7)`,
    [accountSid, livemode, sid, portfolio, providerId, token, app.clock.now()],
  );
  return sid;
}

export const fixtures: Fixtures = { wabaSid: ({ app, owner }) => insertWaba(app, owner) };
