// Switches of billing modes in tests: asked for over HTTP, worked on by hand, one run after the other, with the simulated provider.
import assert from 'node:assert/strict';
import { revertMode } from '../../src/modules/billing-mode/run-revert.ts';
import { switchMode } from '../../src/modules/billing-mode/run-switch.ts';
import type { OperationType } from '../../src/modules/operations/index.ts';
import { bearer, type TestApp } from './app.ts';
import { type Person, person } from './people.ts';
import { type Watch, watchedContext } from './watched-context.ts';

export type Account = { accountSid: string; sandboxKey: string };

/** After this day accounts can be billed through the operator. */
export const partnerPricesBegin = new Date('2026-11-20T10:00:00Z');

export async function billingModesOf(app: TestApp, account: Account = app) {
  const { accountSid } = account;
  const at = `/v1/accounts/${accountSid}`;
  const key = bearer(account.sandboxKey);
  const owner: Person = await person(app, { accountSid });
  const tenant = { accountSid, livemode: false };

  const run = (type: OperationType, operationSid: string, watch: Watch = () => {}) =>
    type.job.run(watchedContext(app, tenant, watch), { operationSid });
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
