// The first organization, its account and its keys.
import { createOrganization, hasAccounts, type NewAccount } from '../../modules/accounts/index.ts';
import { openWallet } from '../../modules/billing/index.ts';
import { createOwner, generatePassword } from '../../modules/identity/index.ts';
import { connectedSenders } from '../../modules/senders/index.ts';
import { openSandboxWaba } from '../../modules/wabas/index.ts';
import { wabaHooks } from '../hooks.ts';
import { asOperator, type CommandContext, issueKey } from './keys.ts';

/** Nobody can be listening to an account that is just being made: its log and its notifications begin empty. */
const quietly = { announced: false };

export type Bootstrapped = { accountSid: string; sandboxKey: string; liveKey: string };

/** An organization with its first account, ready in both environments. */
async function found(
  context: CommandContext,
  account: NewAccount,
): Promise<{ accountSid: string; senderSid: string }> {
  const { accountSid } = await context.database.system((s) =>
    createOrganization(s, context.clock.now(), account),
  );
  for (const livemode of [false, true]) {
    await context.database.write({ accountSid, livemode }, asOperator(context, livemode), openWallet);
  }
  // Two senders and approved templates, so that the first message can be sent at once.
  const senderSid = await context.database.write(
    { accountSid, livemode: false },
    asOperator(context, false),
    async (t) => {
      const senderNames = ['Sandbox', 'Support'];
      await openSandboxWaba(t, wabaHooks, { name: account.accountName, senderNames, ...quietly });
      return (await connectedSenders(t))[0]!.sid;
    },
  );
  return { accountSid, senderSid };
}

export async function bootstrap(context: CommandContext, account: NewAccount): Promise<Bootstrapped> {
  const { accountSid } = await found(context, account);
  const sandbox = await issueKey(
    context,
    { accountSid, livemode: false },
    { name: 'First sandbox key' },
    quietly,
  );
  const live = await issueKey(context, { accountSid, livemode: true }, { name: 'First live key' }, quietly);
  return { accountSid, sandboxKey: sandbox.key, liveKey: live.key };
}

export type Demo = { accountSid: string; senderSid: string; sandboxKey: string; owner: Owner };

export type Owner = { email: string; password: string };

/** A person who owns the account's organization, with a password shown once; null when the address is taken. */
export async function addOwner(
  context: CommandContext,
  accountSid: string,
  email: string,
): Promise<Owner | null> {
  const { password, passwordHash } = await generatePassword();
  const made = await context.database.write({ accountSid, livemode: true }, asOperator(context, true), (t) =>
    createOwner(t, { email, displayName: 'Owner', passwordHash }),
  );
  return made && { email, password };
}

/** On an empty database: a demo organization with one account, a sandbox key and an owner who can sign in. */
export async function createDemo(context: CommandContext, region: string): Promise<Demo | null> {
  if (await context.database.system(hasAccounts)) return null;
  const account = { organizationName: 'Demo organization', accountName: 'Demo account', region };
  const { accountSid, senderSid } = await found(context, account);
  const { key } = await issueKey(
    context,
    { accountSid, livemode: false },
    { name: 'Demo sandbox key' },
    quietly,
  );
  const owner = await addOwner(context, accountSid, 'owner@demo.test');
  return { accountSid, senderSid, sandboxKey: key, owner: owner! };
}
