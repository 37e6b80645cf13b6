// Connections of business accounts in tests: reconnected and reconciled over HTTP, signed up at the simulated provider, worked on by
// hand, one run after the other.
import assert from 'node:assert/strict';
import { wabaHooks } from '../../src/main/hooks.ts';
import { readWabaWith } from '../../src/modules/wabas/connection/look.ts';
import { reconcileType } from '../../src/modules/wabas/connection/reconcile.ts';
import { reconnectType } from '../../src/modules/wabas/connection/reconnect.ts';
import { unsubscribeWaba } from '../../src/modules/wabas/jobs.ts';
import { readAgainJob } from '../../src/modules/wabas/read-again.ts';
import { bearer, type TestApp } from './app.ts';
import { person } from './people.ts';
import { type Watch, watchedContext } from './watched-context.ts';

export const why = { caseRef: 'CASE-1', reason: 'Delivery reports stopped.' };
export type Connections = Awaited<ReturnType<typeof connectionsOf>>;

const types = { reconcile: reconcileType(wabaHooks), reconnect: reconnectType(wabaHooks) };
const readAgain = readAgainJob(wabaHooks);
const readWaba = readWabaWith(wabaHooks);

/** An account at the simulated provider that is of no business of anybody here. */
export const strangersWaba = '109000000000009';

export async function connectionsOf(app: TestApp) {
  const { accountSid, at } = app;
  const tenant = { accountSid, livemode: false };
  const key = bearer(app.sandboxKey);
  const owner = await person(app, { accountSid });
  const context = (watch?: Watch) => watchedContext(app, tenant, watch);

  const waba = async () => {
    const { body, status, text } = await app.post(`${at}/wabas`, { name: 'Depot' }, key);
    assert.equal(status, 201, text);
    // The simulator hears of an account with the first call for it.
    await readAgain.run(context(), { wabaSid: body.sid });
    return body as { sid: string; providerWabaId: string };
  };
  const stepUp = async () => {
    const { headers } = await owner.signInAgain();
    return { headers, stepUpToken: await owner.stepUp('WABA_RECONNECT', headers) };
  };
  const reconnect = async (sid: string, change: object = {}) => {
    const { headers, stepUpToken } = await stepUp();
    return app.post(`${at}/wabas/${sid}/reconnect`, { ...why, stepUpToken, ...change }, headers);
  };
  const operation = async (sid: string) => (await app.get(`${at}/operations/${sid}`, key)).body;
  const unsubscribe = (wabaSid: string, watch?: Watch) => unsubscribeWaba.run(context(watch), { wabaSid });
  const disconnect = async (sid: string, watch?: Watch) => {
    const reply = await app.post(`${at}/wabas/${sid}/disconnect`, { reason: 'Ended' }, key);
    assert.equal(reply.status, 200, reply.text);
    await unsubscribe(sid, watch);
  };
  /** What the form of the signup page is sent with, from the address that leads to it. */
  const answerPage = async (url: string, answer: string, account: string) => {
    const { origin, pathname, searchParams } = new URL(url);
    const body = new URLSearchParams({ ...Object.fromEntries(searchParams), answer, account });
    const reply = await fetch(`${origin}${pathname}`, { method: 'POST', body, redirect: 'manual' });
    const back = reply.headers.get('location');
    if (back) return back;
    return /href="([^"]+)"/.exec(await reply.text())![1]!.replaceAll('&amp;', '&');
  };

  /** Somebody comes back to the service, as a browser does. */
  const comeBack = async (back: string) => {
    const reply = await fetch(back, { redirect: 'manual' });
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  };
  const runReconnect = (operationSid: string, watch?: Watch) =>
    types.reconnect.job.run(context(watch), { operationSid });

  return {
    tenant,
    key,
    waba,
    stepUp,
    reconnect,
    disconnect,
    unsubscribe,
    operation,
    answerPage,
    comeBack,
    linkOf: async (sid: string): Promise<string> => (await operation(sid)).nextAction.url,
    get: async (sid: string) => (await app.get(`${at}/wabas/${sid}`, key)).body,
    reconcile: (sid: string, change: object = {}) =>
      app.post(`${at}/wabas/${sid}/reconcile-subscription`, { ...why, ...change }, key),
    cancel: (sid: string) => app.post(`${at}/operations/${sid}/cancel`, undefined, key),
    retry: (sid: string) => app.post(`${at}/operations/${sid}/retry`, undefined, key),
    /** The look that is asked for when an account is connected. */
    firstLook: (wabaSid: string) => readWaba.run(context(), { wabaSid }),
    look: (wabaSid: string) => readAgain.run(context(), { wabaSid }),
    runReconnect,
    /** From the request to the end, by a signup. */
    async connectAgain(sid: string, providerWabaId: string): Promise<void> {
      const { status, body, text } = await reconnect(sid);
      assert.equal(status, 202, text);
      await comeBack(await answerPage(body.nextAction.url, 'continue', providerWabaId));
      await runReconnect(body.sid);
      assert.equal((await operation(body.sid)).state, 'SUCCEEDED');
    },
    runReconcile: (operationSid: string, watch?: Watch) =>
      types.reconcile.job.run(context(watch), { operationSid }),
    /** A disconnected account whose reconnect waits for a signup. */
    async waiting() {
      const made = await waba();
      await disconnect(made.sid);
      const { status, body, text } = await reconnect(made.sid);
      assert.equal(status, 202, text);
      return { waba: made, operationSid: body.sid as string, url: body.nextAction.url as string };
    },
  };
}
