// The SDK, as a page of the service itself uses it: by the cookie of a session, held to one environment.
import { type ClientOptions, cookies, Godwit } from '@godwit/sdk';
import type { Environment } from './environment.ts';
import { remembering } from './requests.ts';

// Somebody waits and looks: rather say soon that nothing answers than try for a minute.
const patience = { retries: 2, totalMs: 10_000, attemptMs: 20_000 };
const here: ClientOptions = { baseUrl: '', patience };

/** For what is asked before anybody has signed in. */
export const visitor = new Godwit({ ...here, credentials: { sendsCookies: true, headersFor: () => ({}) } });

/** For what a person asks in an environment; every request names it, and is refused by the service in the other one. */
export function clientOf(environment: Environment, accountSid?: string): Godwit {
  const headers = { 'X-Environment': environment };
  const csrfToken = async () => {
    const { csrfToken: token } = await visitor.signIn.getSession({ headers });
    return token;
  };
  return new Godwit({
    ...here,
    headers,
    accountSid,
    credentials: cookies({ csrfToken }),
    fetch: remembering,
  });
}
