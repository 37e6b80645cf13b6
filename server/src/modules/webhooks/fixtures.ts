import { randomUUID } from 'node:crypto';
import type { Fixtures, Given } from '../../../test/harness/fixtures.ts';
import { newSid } from '../../platform/ids.ts';

// An endpoint needs a person's second factor to be made; here its row is laid down by hand. It is suspended, so that
// resuming it needs one too.
async function endpoint({ app, owner }: Given): Promise<string> {
  const sid = newSid('WH', app.clock.now());
  const values = [owner.accountSid, owner.livemode, sid, app.clock.now()];
  await app.sql(
    `insert into webhook_endpoints (account_sid, livemode, sid, url, event_filters, api_version, timeout_ms,
       concurrency_cap, sealed_secret, verified_at, suspended_at, subscribed_after, created_at, updated_at)
     values ($1, $2, $3, 'https://hook.example/', '{}', '2026-08-21', 1000, 1, $5, $4, $4, 0, $4, $4)`,
    [...values, app.sealer.seal('whsec_test', `webhook secret:${sid}`)],
  );
  await app.sql(
    `insert into webhook_lanes (account_sid, livemode, endpoint_sid, open) values ($1, $2, $3, false)`,
    values.slice(0, 3),
  );
  return sid;
}

async function event({ app, owner }: Given): Promise<string> {
  const sid = newSid('EV', app.clock.now());
  await app.sql(
    `insert into events (account_sid, livemode, sequence, sid, type, api_version, resource_sid, occurred_at, created_at, data)
     values ($1, $2, 1000000 + (random() * 1000000)::bigint, $3, 'test.ping', '2026-08-21', $5, $4, $4, '{}')`,
    [owner.accountSid, owner.livemode, sid, app.clock.now(), randomUUID()],
  );
  return sid;
}

export const fixtures: Fixtures = {
  endpointSid: endpoint,
  eventSid: event,
  async deliverySid(given) {
    const endpointSid = await endpoint(given);
    const eventSid = await event(given);
    const { app, owner } = given;
    const sid = newSid('WD', app.clock.now());
    await app.sql(
      `insert into webhook_deliveries (account_sid, livemode, endpoint_sid, sid, event_sequence, event_sid, event_type,
         api_version, created_at)
       values ($1, $2, $3, $4, 1, $5, 'test.ping', '2026-08-21', $6)`,
      [owner.accountSid, owner.livemode, endpointSid, sid, eventSid, app.clock.now()],
    );
    return sid;
  },
};
