// Who a directory is: a bearer token of its own kind, good for this endpoint and nothing else.

import { networkOf } from '../../platform/http/input/client-network.ts';
import { rateLimited } from '../../platform/http/limits/rate-limit.ts';
import type { Incoming, Serving } from '../../platform/http/operations/serving.ts';
import { homeAccount } from '../accounts/index.ts';
import { findDirectoryByToken } from '../identity/index.ts';
import { unauthorized } from './protocol/scim-error.ts';

export async function authenticateDirectory(serving: Serving, incoming: Incoming) {
  const nowMs = serving.clock.now().getTime();
  const { guesses, perKey } = serving.limits;
  const caller = networkOf(incoming.address);
  const guess = (cost: number) => serving.guesses.take(caller, guesses, nowMs, cost);
  const open = guess(0);
  if (!open.allowed) throw rateLimited(guesses, open);
  const known = await findByHeader(serving, incoming.headers.authorization);
  if (!known) {
    guess(1);
    throw unauthorized();
  }
  const verdict = await serving.buckets.take(`directory:${known.provider.id}`, perKey, nowMs);
  if (!verdict.allowed) throw rateLimited(perKey, verdict);
  return known;
}

async function findByHeader(serving: Serving, header: string | string[] | undefined) {
  const token = /^Bearer (\S+)$/i.exec(typeof header === 'string' ? header : '')?.[1];
  if (token === undefined) return null;
  return serving.database.system(async (s) => {
    const provider = await findDirectoryByToken(s, token);
    if (!provider) return null;
    const homeAccountSid = await homeAccount(s, provider.organizationId);
    return { provider, homeAccountSid };
  });
}
