// Switches of billing modes in tests: asked for over HTTP, worked on by hand, one run after the other, with the simulated provider.
import assert from 'node:assert/strict';
import { revertMode } from '../../src/modules/billing-mode/run-revert.ts';
import { switchMode } from '../../src/modules/billing-mode/run-switch.ts';
import type { OperationType } from '../../src/modules/operations/index.ts';
import type { Provider } from '../../src/modules/provider/index.ts';
import type { TenantJobContext } from '../../src/platform/jobs/jobs.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import { systemPrincipal } from '../../src/platform/principal.ts';
import { bearer, type TestApp } from './app.ts';
import { type Person, person } from './people.ts';

export type Account = { accountSid: string; sandboxKey: string };

/** After this day accounts can be billed through the operator. */
export const partnerPricesBegin = new Date('2026-11-20T10:00:00Z');

/** Told of every step a run takes to the outside: a test may end the process there, by throwing. */
export type Watch = (step: string) => void | Promise<void>;

export async function billingModesOf(app: TestApp, account: Account = app) {
  const { accountSid } = account;
  const at = `/v1/accounts/${accountSid}`;
  const key = bearer(account.sandboxKey);
  const owner: Person = await person(app, { accountSid });
  const tenant = { accountSid, livemode: false };

  const contextWith = (watch: Watch): TenantJobContext => {
    const request = () => ({
      principal: systemPrincipal('test', false),
      now: app.clock.now(),
      requestId: 'test',
      log: silentLog,
    });
    const provider = new Proxy(app.ports.provider, {
      get(target, name) {
        const call = target[name as keyof Provider] as (...given: unknown[]) => Promise<unknown>;
        return async (...given: unknown[]) => {
          await watch(`before ${String(name)}`);
          const answer = await call.apply(target, given);
          await watch(`after ${String(name)}`);
          return answer;
        };
      },
    });
    return {
      database: app.database,
      now: () => app.clock.now(),
      log: silentLog,
      ports: { ...app.ports, provider },
      site: app.site(),
      sealer: app.sealer,
      processId: '00000000-0000-7000-8000-000000000000',
      signal: new AbortController().signal,
      async write(work) {
        await watch('before commit');
        const result = await app.database.write(tenant, request(), work);
        await watch('after commit');
        return result;
      },
      read: (work) => app.database.read(tenant, request(), work),
    };
  };
  const run = (type: OperationType, operationSid: string, watch: Watch = () => {}) =>
    type.job.run(contextWith(watch), { operationSid });
  const operation = async (sid: string) => (await app.get(`${at}/operations/${sid}`, key)).body;

  return {
    at,
    owner,
    operation,
    mode: async (wabaSid: string) => (await app.get(`${at}/wabas/${wabaSid}/billing-mode`, key)).body,
    /** A business account; of the same business as another when that one's portfolio is given. */
    async waba(portfolioId?: string): Promise<{ sid: string; portfolioId: string; providerWabaId: string }> {
      const { status, body, text } = await app.post(`${at}/wabas`, { name: 'Depot', portfolioId }, key);
      assert.equal(status, 201, text);
      return { sid: body.sid, portfolioId: body.portfolio.id, providerWabaId: body.providerWabaId };
    },
    start: (wabaSid: string) => app.post(`${at}/wabas/${wabaSid}/billing-mode-switch`, undefined, key),
    accept: async (
      wabaSid: string,
      { termsVersion = '2026-11-16', by = owner }: { termsVersion?: string; by?: Person } = {},
    ) => {
      // Anew: tests move the clock by weeks, and sessions end.
      const { headers } = await by.signInAgain();
      const stepUpEvidence = await by.stepUp('BILLING_MODE_ACCEPT', headers);
      return app.post(
        `${at}/wabas/${wabaSid}/billing-mode-switch/accept`,
        { termsVersion, stepUpEvidence },
        headers,
      );
    },
    revert: (wabaSid: string, idempotencyKey = `revert-${wabaSid}`, headers: object = {}) =>
      app.post(
        `${at}/wabas/${wabaSid}/billing-mode-switch/revert`,
        { idempotencyKey, reason: 'customer_disconnected' },
        { ...key, ...headers },
      ),
    runSwitch: (operationSid: string, watch?: Watch) => run(switchMode, operationSid, watch),
    runRevert: (operationSid: string, watch?: Watch) => run(revertMode, operationSid, watch),
    /** From the request to the mode partner. */
    async activate(wabaSid: string): Promise<void> {
      const { body } = await this.start(wabaSid);
      await run(switchMode, body.sid);
      const accepted = await this.accept(wabaSid);
      assert.equal(accepted.status, 200, accepted.text);
      await run(switchMode, body.sid);
      assert.equal((await operation(body.sid)).state, 'SUCCEEDED');
    },
  };
}
