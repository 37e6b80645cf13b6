import { randomInt } from 'node:crypto';
import { bearer, type TestApp } from '../../../test/harness/app.ts';
import type { Fixtures, Owner } from '../../../test/harness/fixtures.ts';
import { newSid } from '../../platform/ids.ts';
import { insertWaba } from '../wabas/fixtures.ts';

async function insertFlow(app: TestApp, { accountSid, livemode }: Owner): Promise<string> {
  const sid = newSid('FL', app.clock.now());
  const wabaSid = await insertWaba(app, { accountSid, livemode });
  await app.sql(
    `insert into flows (account_sid, livemode, sid, waba_sid, provider_flow_id, name, status, exchanges_data,
       status_changed_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'Survey', 'PUBLISHED', false, $6, $6, $6)`,
    [accountSid, livemode, sid, wabaSid, String(randomInt(2 ** 40)), app.clock.now()],
  );
  return sid;
}

export const fixtures: Fixtures = {
  async templateSid({ app, owner }) {
    const wabaSid = await insertWaba(app, owner);
    const body = {
      wabaSid,
      name: 'shop_opens',
      language: 'en',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'The shop is open.' }],
    };
    return (await app.post(`/v1/accounts/${owner.accountSid}/templates`, body, bearer(owner.key))).body.sid;
  },
  async contentSid({ app, owner }) {
    const body = { name: 'Hello', type: 'text', text: { body: 'Hello {{name}}' } };
    return (await app.post(`/v1/accounts/${owner.accountSid}/contents`, body, bearer(owner.key))).body.sid;
  },
  flowSid: ({ app, owner }) => insertFlow(app, owner),
};
