// One app for all tests of a file, and for each of them an account of its own: starting an app costs as much as fifty accounts.
import { bearer, methodsOf, startTestApp, type TestApp, testStart } from './app.ts';
import { sharedLifetime } from './lifetime.ts';

/** To be called by the file itself. What it returns gives a test its account, at the time at which an app starts. */
export function ownAccounts(options: Parameters<typeof startTestApp>[1] = {}): () => Promise<TestApp> {
  const lifetime = sharedLifetime();
  let started: Promise<TestApp> | undefined;
  return async () => {
    started ??= startTestApp(lifetime, options);
    const app = await started;
    app.clock.set(testStart);
    return within(app, await app.newAccount());
  };
}

/** The app as if there were only this account and those that the test makes: their rows, their events. */
function within(app: TestApp, account: Awaited<ReturnType<TestApp['newAccount']>>): TestApp {
  const { accountSid, sandboxKey } = account;
  const accountSids = [accountSid];
  const send: TestApp['send'] = (method, path, init = {}) =>
    app.send(method, path, { ...init, headers: { ...bearer(sandboxKey), ...init.headers } });
  return {
    ...app,
    ...account,
    at: `/v1/accounts/${accountSid}`,
    send,
    ...methodsOf(send),
    newAccount: async () => {
      const made = await app.newAccount();
      accountSids.push(made.accountSid);
      return made;
    },
    key: (scopes, of) => app.key(scopes, { accountSid, ...of }),
    count: (tableAndWhere) => {
      const [table, ...where] = tableAndWhere.split(' ');
      const own = `(select * from ${table} where account_sid in ('${accountSids.join("', '")}')) as own`;
      return app.count(`${own} ${where.join(' ')}`);
    },
    emitted: async () => {
      const events = await app.sql<{ type: string }>(
        'select type from events where account_sid = any($1) order by account_sid, livemode, sequence',
        [accountSids],
      );
      return events.map(({ type }) => type);
    },
  };
}
