// The first organization, its account and its keys.
import { createOrganization, hasAccounts, type NewAccount } from '../modules/accounts/index.ts';
import { type Hands, issueKey } from './keys.ts';

export type Bootstrapped = { accountSid: string; sandboxKey: string; liveKey: string };

export async function bootstrap(hands: Hands, account: NewAccount): Promise<Bootstrapped> {
  const { accountSid } = await hands.database.system((s) =>
    createOrganization(s, hands.clock.now(), account),
  );
  const sandbox = await issueKey(hands, { accountSid, livemode: false }, { name: 'First sandbox key' });
  const live = await issueKey(hands, { accountSid, livemode: true }, { name: 'First live key' });
  return { accountSid, sandboxKey: sandbox.key, liveKey: live.key };
}

export type Demo = { accountSid: string; sandboxKey: string };

/** On an empty database: a demo organization with one account and a sandbox key. */
export async function createDemo(hands: Hands, region: string): Promise<Demo | null> {
  if (await hands.database.system(hasAccounts)) return null;
  const account = { organizationName: 'Demo organization', accountName: 'Demo account', region };
  const { accountSid } = await hands.database.system((s) =>
    createOrganization(s, hands.clock.now(), account),
  );
  const { key } = await issueKey(hands, { accountSid, livemode: false }, { name: 'Demo sandbox key' });
  return { accountSid, sandboxKey: key };
}
