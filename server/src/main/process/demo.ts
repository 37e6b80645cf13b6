// The first organization, its account and its keys.
import { createOrganization, hasAccounts, type NewAccount } from '../../modules/accounts/index.ts';
import { openWallet } from '../../modules/billing/index.ts';
import { createOwner, generatePassword } from '../../modules/identity/index.ts';
import { connectedSenders } from '../../modules/senders/index.ts';
import { openSandboxWaba } from '../../modules/wabas/index.ts';
import { wabaHooks } from '../hooks.ts';
import { asOperator, type Hands, issueKey } from './keys.ts';

export type Bootstrapped = { accountSid: string; sandboxKey: string; liveKey: string };

/** An organization with its first account, ready in both environments. */
async function found(hands: Hands, account: NewAccount): Promise<{ accountSid: string; senderSid: string }> {
  const { accountSid } = await hands.database.system((s) =>
    createOrganization(s, hands.clock.now(), account),
  );
  for (const livemode of [false, true]) {
    await hands.database.write({ accountSid, livemode }, asOperator(hands, livemode), openWallet);
  }
  // Two senders and approved templates, so that the first message can be sent at once.
  const senderSid = await hands.database.write(
    { accountSid, livemode: false },
    asOperator(hands, false),
    async (t) => {
      const senderNames = ['Sandbox', 'Support'];
      // Nobody can be listening to an account that is just being made: its log begins empty.
      const quietly = { announced: false };
      await openSandboxWaba(t, wabaHooks, { name: account.accountName, senderNames, ...quietly });
      return (await connectedSenders(t))[0]!.sid;
    },
  );
  return { accountSid, senderSid };
}

export async function bootstrap(hands: Hands, account: NewAccount): Promise<Bootstrapped> {
  const { accountSid } = await found(hands, account);
  const sandbox = await issueKey(hands, { accountSid, livemode: false }, { name: 'First sandbox key' });
  const live = await issueKey(hands, { accountSid, livemode: true }, { name: 'First live key' });
  return { accountSid, sandboxKey: sandbox.key, liveKey: live.key };
}

export type Demo = { accountSid: string; senderSid: string; sandboxKey: string; owner: Owner };

export type Owner = { email: string; password: string };

/** A person who owns the account's organization, with a password shown once; null when the address is taken. */
export async function addOwner(hands: Hands, accountSid: string, email: string): Promise<Owner | null> {
  const { password, passwordHash } = await generatePassword();
  const made = await hands.database.write({ accountSid, livemode: true }, asOperator(hands, true), (t) =>
    createOwner(t, { email, displayName: 'Owner', passwordHash }),
  );
  return made && { email, password };
}

/** On an empty database: a demo organization with one account, a sandbox key and an owner who can sign in. */
export async function createDemo(hands: Hands, region: string): Promise<Demo | null> {
  if (await hands.database.system(hasAccounts)) return null;
  const account = { organizationName: 'Demo organization', accountName: 'Demo account', region };
  const { accountSid, senderSid } = await found(hands, account);
  const { key } = await issueKey(hands, { accountSid, livemode: false }, { name: 'Demo sandbox key' });
  const owner = await addOwner(hands, accountSid, 'owner@demo.test');
  return { accountSid, senderSid, sandboxKey: key, owner: owner! };
}
