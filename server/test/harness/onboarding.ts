// Applications in tests: asked for over HTTP, worked on by hand, one run after the other, with the simulated provider and carrier.
import assert from 'node:assert/strict';
import { grantToStaff } from '../../src/main/commands/staff/staff.ts';
import { wabaHooks } from '../../src/main/hooks.ts';
import { nameOperator } from '../../src/modules/accounts/index.ts';
import { provisionWith } from '../../src/modules/managed-onboarding/index.ts';
import { robotWith } from '../../src/modules/managed-onboarding/staff/robot.ts';
import { bearer, type Reply, type TestApp } from './app.ts';
import { type Person, person } from './people.ts';
import { type Watch, watchedContext } from './watched-context.ts';

const provision = provisionWith(wabaHooks);
const robot = robotWith(provision);

/** Settings under which live accounts can apply, with the sandbox's partner as the operator. */
export const openForLive = {
  MANAGED_ONBOARDING: 'open',
  MANAGED_ONBOARDING_TERMS_VERSION: 'v1',
  MANAGED_ONBOARDING_TERMS: 'We set you up; you pay.',
  MANAGED_ONBOARDING_PRICES:
    '{"currency":"USD","setup":"40","number":"10","porting":"20","rent":"5","countries":{"FR":{"rent":"6"}}}',
  PARTNER_BUSINESS_ID: '300000000000001',
  PARTNER_ACCESS_TOKEN: 'SIM-PARTNER',
};

export const aBusiness = {
  country: 'FR',
  displayName: 'Depot',
  instruction: 'Please set us up at the provider.',
  legalName: 'Depot SA',
  numberSource: 'PURCHASE',
};

export type Account = { accountSid: string; sandboxKey: string };

export function onboardingOf(
  app: TestApp,
  account: Account = app,
  of: { livemode?: boolean; key?: string } = {},
) {
  const { livemode = false, key = account.sandboxKey } = of;
  const { accountSid } = account;
  const at = `/v1/accounts/${accountSid}/managed-onboarding`;
  const headers = bearer(key);
  // The live provider of a test is the simulator too.
  const site = () => {
    const real = app.site();
    return { ...real, provider: { ...real.provider, live: real.provider.sandbox } };
  };
  const context = (watch?: Watch) => watchedContext(app, { accountSid, livemode }, watch, site());

  const quote = async (numberSource = 'PURCHASE', applicationSid?: string) =>
    app.get(
      `${at}/quote?numberSource=${numberSource}${applicationSid ? `&applicationSid=${applicationSid}` : ''}`,
      headers,
    );
  const acceptanceOf = ({ body }: Reply) => ({
    acceptQuote: true,
    acceptedQuoteFingerprint: body.fingerprint,
    acceptedTermsVersion: body.terms.version,
  });
  /** What is sent to apply. */
  const application = async (more: object = {}) => {
    const { numberSource } = { ...aBusiness, ...more };
    return { ...acceptanceOf(await quote(numberSource)), ...aBusiness, ...more };
  };
  const apply = async (more: object = {}) => app.post(at, await application(more), headers);
  const get = async (sid: string) =>
    (await app.get(`${at}?applicationSid=${sid}`, headers)).body.applications[0];
  const run = (operationSid: string, watch?: Watch) => provision.job.run(context(watch), { operationSid });
  const askRobot = (applicationSid: string) => robot.run(context(), { applicationSid });

  return {
    at,
    accountSid,
    livemode,
    headers,
    context,
    quote,
    acceptanceOf,
    application,
    apply,
    get,
    run,
    robot: askRobot,
    /** Applies, and tells its SID. */
    async applied(more: object = {}): Promise<string> {
      const made = await apply(more);
      assert.equal(made.status, 201, made.text);
      return made.body.sid;
    },
    /** Applies, and has the robot approve it. */
    async approved(more: object = {}) {
      const sid = await this.applied(more);
      await askRobot(sid);
      const application = await get(sid);
      assert.equal(application.state, 'APPROVED');
      return application;
    },
    /** Runs it until it has ended, moving the clock by as long as it waits, at most so often. */
    async runToEnd(sid: string, { most = 30, watch }: { most?: number; watch?: Watch } = {}) {
      for (let runs = 0; runs < most; runs += 1) {
        const { operationSid, state } = await get(sid);
        if (['COMPLETED', 'FAILED', 'REJECTED'].includes(state)) break;
        await run(operationSid, watch);
        app.clock.advance(5_000);
        await app.simulator.control.settle();
      }
      return get(sid);
    },
    balances: async (): Promise<Record<string, string>> =>
      Object.fromEntries(
        (
          await app.sql<{ account: string; balance: string }>(
            'select account, balance_minor as balance from ledger_accounts where account_sid = $1 and livemode = $2',
            [accountSid, livemode],
          )
        ).map(({ account, balance }) => [account, balance]),
      ),
  };
}

export type OnboardingOf = ReturnType<typeof onboardingOf>;

type Known = { phone_number_id: string; provider_waba_id: string };

/** Whatever happened on the way: one number was ordered, added and registered, and the money is right. */
export async function assertSetUpOnce(
  app: TestApp,
  onboarding: OnboardingOf,
  sid: string,
  how: string,
): Promise<void> {
  const shown = await onboarding.get(sid);
  assert.equal(shown.state, 'COMPLETED', `${how}: ${JSON.stringify(shown.error)}`);
  const [known] = (await app.sql<Known>('select * from managed_provisioning where application_sid = $1', [
    sid,
  ])) as [Known];
  const { control } = app.simulator;
  const done = control
    .commands(0, 20_000)
    .data.filter(
      ({ id, refusal }) => refusal === null && [known.phone_number_id, known.provider_waba_id].includes(id),
    );
  for (const path of ['phone_numbers', 'register', 'verify_code'])
    assert.equal(done.filter((one) => one.path === path).length, 1, `${how}: ${path}`);
  const numbers = control.phoneNumbers().filter(({ number }) => `+${number}` === shown.phoneNumber);
  assert.deepEqual(
    numbers.map(({ wabaId, status }) => [wabaId, status]),
    [[known.provider_waba_id, 'CONNECTED']],
    how,
  );
  const answer = await fetch(`${app.simulator.url}/_control/number-vendor/orders`);
  const { data } = (await answer.json()) as { data: { reference: string }[] };
  assert.equal(data.filter(({ reference }) => reference.startsWith(sid)).length, 1, how);
  const balances = await onboarding.balances();
  assert.equal(balances.fees_held, '0', how);
  assert.equal(balances.revenue, shown.fee.amount.amountMinor, how);
  assert.equal(
    Object.values(balances).reduce((sum, one) => sum + BigInt(one), 0n),
    0n,
    how,
  );
  const senders = await app.sql<{ status: string }>(
    'select status from senders where account_sid = $1 and waba_sid = $2',
    [onboarding.accountSid, shown.wabaSid],
  );
  assert.deepEqual(senders, [{ status: 'CONNECTED' }], how);
}

/** Somebody of the operator who was let into an account, with what they can do there. */
export async function staffFor(app: TestApp, { accountSid, livemode, at }: OnboardingOf) {
  const operator = await app.newAccount();
  await app.database.system((s) => nameOperator(s, operator.accountSid));
  const who: Person = await person(app, { accountSid: operator.accountSid, roles: ['VIEWER'], livemode });
  // Proving it for anything makes the session one of two factors, as signing in with it does.
  await who.stepUp('API_KEY_CREATE');
  const commands = { database: app.database, clock: app.clock, log: app.log };
  const letIn = () =>
    grantToStaff(commands, { account: accountSid, user: who.userSid, hours: 8, case: 'CASE-7' });
  await letIn();
  const token = async (action: string, headers: object) => {
    await app.sql('update mfa_credentials set last_step = null where id = $1', [who.totp!.credentialId]);
    const asked = { action, method: 'TOTP', assertion: who.totp!.code() };
    const reply = await app.post(`/v1/accounts/${accountSid}/identity/step-up`, asked, headers);
    assert.equal(reply.status, 201, reply.text);
    return reply.body.stepUpToken as string;
  };
  const { headers } = who;
  return {
    who,
    headers,
    letIn,
    get: () => app.get(at, headers),
    review: (sid: string) => app.post(`${at}/${sid}/review`, undefined, headers),
    requestInformation: (sid: string, request = 'Send the extract.') =>
      app.post(`${at}/${sid}/request-information`, { request }, headers),
    requote: (sid: string, body: object = { reason: 'Prices rose.' }) =>
      app.post(`${at}/${sid}/requote`, body, headers),
    approve: async (sid: string) =>
      app.post(
        `${at}/${sid}/approve`,
        { stepUpToken: await token('MANAGED_ONBOARDING_APPROVE', headers) },
        headers,
      ),
    reject: (sid: string, reason = 'No.') => app.post(`${at}/${sid}/reject`, { reason }, headers),
    retry: (sid: string) => app.post(`${at}/${sid}/retry`, undefined, headers),
    reveal: async (sid: string) =>
      app.post(
        `${at}/${sid}/reveal`,
        { reason: 'To look it up', stepUpToken: await token('MANAGED_ONBOARDING_REVEAL', headers) },
        headers,
      ),
    task: (sid: string, body: object) => app.post(`${at}/${sid}/tasks`, body, headers),
  };
}
