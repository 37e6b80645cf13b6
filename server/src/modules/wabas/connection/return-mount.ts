// The address that the provider's signup sends people back to. It stands beside the API: who comes has no credentials but the state.
import type { Mount } from '../../../platform/http/mount.ts';
import { languageOf } from '../../../platform/http/operations/html-answer.ts';
import type { StoredAnswer } from '../../../platform/http/operations/idempotency.ts';
import type { Incoming, Serving } from '../../../platform/http/operations/serving.ts';
import { type Brought, type Outcome, takeReturn } from './return.ts';
import { returnPage } from './return-page.ts';
import { returnPath } from './signups.ts';

const page = (incoming: Pick<Incoming, 'headers'>, outcome: Outcome): StoredAnswer => {
  const { status, headers, body } = returnPage(
    languageOf(String(incoming.headers['accept-language'] ?? '')),
    outcome,
  );
  return { status, headers, body };
};

/** A single value of the query, of a length that a state or a code can have. */
const one = (value: string | string[] | undefined, most: number): string | null =>
  typeof value === 'string' && value !== '' && value.length <= most ? value : null;

const statePattern = /^[A-Za-z0-9_-]{32}$/;

/** What somebody brings; null for what nobody was sent here with. Whoever brings a state and no code has left the signup. */
function broughtBy({ query }: Incoming): Brought | null {
  const state = one(query.state, 64);
  if (state === null || !statePattern.test(state)) return null;
  const code = one(query.code, 4096);
  return code === null && one(query.error, 4096) === null ? null : { state, code };
}

async function answer(serving: Serving, incoming: Incoming): Promise<StoredAnswer> {
  const path = incoming.url.split('?')[0]!.replace(/\/$/, '');
  const brought = path === returnPath && incoming.method === 'GET' ? broughtBy(incoming) : null;
  if (!brought) return page(incoming, 'unknown');
  const { database, ports, clock } = serving;
  const { requestId, log } = incoming;
  const means = { database, ports, site: serving.site(), now: clock.now(), requestId, log };
  return page(incoming, await takeReturn(means, brought));
}

const failed = page({ headers: {} }, 'failed');

export const returnMount: Mount = {
  name: 'providerSignupReturn',
  prefix: returnPath,
  answer,
  refuse: () => null,
  failed,
};
