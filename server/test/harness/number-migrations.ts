// Migrations of numbers in tests: asked for over HTTP, worked on by hand, one run after the other, with the simulated provider.
import assert from 'node:assert/strict';
import { verificationCode } from '@godwit/simulator';
import { newPhone } from '../../src/modules/contacts/fixtures.ts';
import { applyStatuses } from '../../src/modules/messages/index.ts';
import { migrateNumber } from '../../src/modules/number-migrations/run-migration.ts';
import { bearer, type TestApp } from './app.ts';
import { write } from './jobs.ts';
import { type Person, person } from './people.ts';
import { type Watch, watchedContext } from './watched-context.ts';

export type Migrations = Awaited<ReturnType<typeof migrationsOf>>;
export type Scene = Awaited<ReturnType<Migrations['scene']>>;

export const why = { caseRef: 'CASE-1', reason: 'The shop has a new owner.' };
export const pin = '482916';

export async function migrationsOf(app: TestApp) {
  const { accountSid, at } = app;
  const tenant = { accountSid, livemode: false };
  const key = bearer(app.sandboxKey);
  const owner: Person = await person(app, { accountSid });
  const stepUp = async () => {
    // Anew: tests move the clock by weeks, and sessions end.
    const { headers } = await owner.signInAgain();
    return { headers, stepUpToken: await owner.stepUp('NUMBER_MIGRATION', headers) };
  };
  const ask = async (path: string, body: object) => {
    const { headers, stepUpToken } = await stepUp();
    return app.post(`${at}/migrations${path}`, { ...why, stepUpToken, ...body }, headers);
  };
  const get = async (sid: string) => (await app.get(`${at}/migrations/${sid}?limit=100`, key)).body;
  const made = async (path: string, body: object) => {
    const reply = await app.post(`${at}/${path}`, body, key);
    assert.equal(reply.status, 201, reply.text);
    return reply.body;
  };
  const listed = async (path: string) => (await app.get(`${at}/${path}`, key)).body.data;

  return {
    tenant,
    owner,
    key,
    stepUp,
    ask,
    get,
    made,
    /** A sender in one business account, another account of the same business, and what a migration is validated with. */
    async scene() {
      const source = await made('wabas', { name: 'Depot' });
      const destination = await made('wabas', { name: 'Shop', portfolioId: source.portfolio.id });
      const [sender] = await listed(`senders?wabaSid=${source.sid}`);
      const [template] = await listed(`templates?wabaSid=${destination.sid}&name=hello_world&language=en`);
      const identifiers = [{ identifierType: 'phone_e164', value: newPhone() }];
      const contact = await made('contacts', { identifiers });
      const body = {
        countryCode: sender.phoneNumber.slice(1, 2),
        phoneNumber: sender.phoneNumber.slice(2),
        senderSid: sender.sid,
        destinationWabaSid: destination.sid,
        registrationPin: pin,
        validation: { contactSid: contact.sid, templateSid: template.sid },
      };
      return { source, destination, sender, template, contact, body };
    },
    start: (body: object) => ask('', body),
    code: (sid: string, code: string = verificationCode) => ask(`/${sid}/verification-code`, { code }),
    pin: (sid: string, registrationPin = pin) => ask(`/${sid}/registration-pin`, { registrationPin }),
    requestCode: (sid: string, method = 'SMS') => ask(`/${sid}/request-code`, { method }),
    cancel: (sid: string) => app.post(`${at}/operations/${sid}/cancel`, undefined, key),
    retry: (sid: string) => app.post(`${at}/operations/${sid}/retry`, undefined, key),
    /** One run of its job, as a worker would that found it in the queue. */
    run: (operationSid: string, watch?: Watch) =>
      migrateNumber.job.run(watchedContext(app, tenant, watch), { operationSid }),
    /** The provider says that a message was delivered. */
    deliver: (messageSid: string) =>
      write({ app, accountSid }, (t) =>
        applyStatuses(t, [
          {
            providerMessageId: `wamid.${messageSid}`,
            status: 'delivered',
            opaque: messageSid,
            occurredAt: t.now,
            recipient: { waId: null, bsuid: null, parentBsuid: null },
            pricing: null,
            conversation: null,
            failure: null,
          },
        ]),
      ),
    sender: async (sid: string) => (await app.get(`${at}/senders/${sid}`, key)).body,
    /** What the provider was told to do with a number or an account, and with which success. */
    commands: (...ids: (string | null)[]) =>
      app.simulator.control
        .commands(0, 10_000)
        .data.filter(({ id, method }) => method === 'POST' && ids.includes(id))
        .map(({ path, refusal }) => [path, refusal] as const),
  };
}
