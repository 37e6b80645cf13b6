// Campaigns in tests: people to write to, drafts, launches, and the operation behind them run by hand.
import assert from 'node:assert/strict';
import type { TestApp } from '../../../test/harness/app.ts';
import { peopleOf } from '../../../test/harness/contacts.ts';
import { operationsOf } from '../../../test/harness/operations.ts';
import { runCampaign } from './run/run-campaign.ts';
import type { Campaign, CampaignRecipient, NewCampaign } from './schema.ts';

export const hello = { type: 'template', template: { name: 'hello_world', language: 'en' } } as const;

/** The text is filled for each. */
export const offerTo = (name: string) => ({
  type: 'template' as const,
  template: {
    name: 'spring_offer',
    language: 'en',
    components: [
      {
        type: 'body',
        parameters: [
          { type: 'text', text: name },
          { type: 'text', text: '20%' },
        ],
      },
    ],
  },
});

/** A segment of so many people, each with a number of their own. */
export async function crowd(
  app: Pick<TestApp, 'sql' | 'post' | 'at' | 'accountSid' | 'clock'>,
  count: number,
) {
  const sids = `'CT' || lpad(n::text, 26, '0')`;
  await app.sql(
    `with people as (
       insert into contacts (account_sid, livemode, sid, attributes, search, created_at, updated_at)
       select $1, false, ${sids}, '{}', '', $2, $2 from generate_series(1, $3::integer) n)
     insert into contact_identifiers (account_sid, livemode, id, contact_sid, identifier_type, value, created_at)
     select $1, false, gen_random_uuid(), ${sids}, 'phone_e164', '+336' || (10000000 + n), $2 from generate_series(1, $3::integer) n`,
    [app.accountSid, app.clock.now(), count],
  );
  const reply = await app.post(`${app.at}/segments`, { kind: 'DYNAMIC', name: 'All' });
  assert.equal(reply.body.memberCount, count, reply.text);
  return reply.body.sid as string;
}

export type Scene = Awaited<ReturnType<typeof sceneOf>>;

export async function sceneOf(app: TestApp) {
  const people = peopleOf(app);
  const operations = operationsOf(app);
  const all = `${app.at}/campaigns`;
  const from: string = (await app.get(`${app.at}/senders`)).body.data[0].sid;

  const contacts = (count: number, body: object = {}): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, async () => (await people.contact(body)).sid));
  const asked = (contactSids: string[], more: object = {}) => ({
    name: 'Hello',
    audience: { contactSids },
    message: hello,
    from,
    ...more,
  });
  const draft = async (
    contactSids: string[],
    more: Partial<NewCampaign> | object = {},
  ): Promise<Campaign> => {
    const reply = await app.post(all, asked(contactSids, more));
    assert.equal(reply.status, 201, reply.text);
    return reply.body;
  };
  const done = async (sid: string, what: string): Promise<Campaign> => {
    const reply = await app.post(`${all}/${sid}/${what}`);
    assert.ok(reply.status < 300, reply.text);
    return reply.body;
  };
  const get = async (sid: string): Promise<Campaign> => (await app.get(`${all}/${sid}`)).body;
  const run = async (sid: string): Promise<Campaign> => {
    await operations.run(runCampaign, (await get(sid)).operationSid!);
    return get(sid);
  };
  return {
    all,
    from,
    people,
    operations,
    contacts,
    asked,
    draft,
    get,
    done,
    run,
    async launched(contactSids: string[], more: Partial<NewCampaign> | object = {}): Promise<Campaign> {
      return done((await draft(contactSids, more)).sid, 'launch');
    },
    async recipients(sid: string, query = ''): Promise<CampaignRecipient[]> {
      const reply = await app.get(`${all}/${sid}/recipients?limit=100${query}`);
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data;
    },
    async messages(sid: string) {
      return (await app.get(`${app.at}/messages?campaignSid=${sid}&limit=100`)).body.data;
    },
  };
}
