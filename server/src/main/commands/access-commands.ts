// Commands for those who let others in: API keys, people, identity providers.
import { type Command, InvalidArgumentError } from 'commander';
import { ConfigError } from '../../platform/config.ts';
import {
  type AccountOptions,
  accountSid,
  inAccount,
  neededOption,
  print,
  text,
  wholeNumber,
} from './command-tools.ts';

export function addAccessCommands(program: Command): void {
  const keys = program.command('keys').description('manage API keys');

  keys
    .command('create')
    .description('create an API key; its text is printed once')
    .addOption(neededOption('--account <AC…>', 'the account the key belongs to', accountSid))
    .addOption(neededOption('--name <name>', 'what the key is for', text(128)))
    .option('--live', 'for the live environment instead of the sandbox')
    .option('--scopes <scopes>', 'comma-separated; default: every scope', scopeList)
    .option('--requests-per-second <n>', 'a limit of its own', wholeNumber)
    .option('--json', 'print the whole key as JSON')
    .action(
      async (options: AccountOptions & { name: string; scopes?: string[]; requestsPerSecond?: number }) => {
        if (options.scopes) await refuseUnknownScopes(options.scopes);
        await inAccount(options, async (context, tenant) => {
          const { issueKey } = await import('../process/keys.ts');
          const { name, scopes, requestsPerSecond } = options;
          const key = await issueKey(context, tenant, {
            name,
            ...(scopes && { scopes }),
            ...(requestsPerSecond && { requestsPerSecond }),
          });
          print(options.json ? JSON.stringify(key) : key.key);
        });
      },
    );

  keys
    .command('list')
    .description('list the API keys of an account')
    .addOption(neededOption('--account <AC…>', 'the account', accountSid))
    .option('--live', 'of the live environment instead of the sandbox')
    .option('--json', 'print them as JSON')
    .action((options: AccountOptions) =>
      inAccount(options, async (context, tenant) => {
        const { listKeys } = await import('../process/keys.ts');
        const found = await listKeys(context, tenant);
        if (options.json) return print(JSON.stringify(found));
        for (const key of found) {
          print(`${key.id}  ${key.disabled ? 'disabled' : 'active  '}  ${key.keyId}  ${key.name}`);
        }
        if (found.length === 0) print('There are no keys.');
      }),
    );

  keys
    .command('disable')
    .description('disable an API key at once')
    .argument('<id>', 'the id shown by "keys list"', keyId)
    .addOption(neededOption('--account <AC…>', 'the account', accountSid))
    .option('--live', 'of the live environment instead of the sandbox')
    .action((id: string, options: AccountOptions) =>
      inAccount(options, async (context, tenant) => {
        const { disableKey } = await import('../process/keys.ts');
        await disableKey(context, tenant, id);
        print(`${id} is disabled.`);
      }),
    );

  const users = program.command('users').description('the people of an organization');

  users
    .command('allow-passwords')
    .description('let people sign in by password again, when their identity provider is gone')
    .addOption(neededOption('--account <AC…>', 'an account of the organization', accountSid))
    .action((options: { account: string }) =>
      inAccount({ ...options, live: true }, async (context, tenant) => {
        const { allowPasswords } = await import('../../modules/identity/index.ts');
        const { asOperator } = await import('../process/keys.ts');
        await context.database.write(tenant, asOperator(context, true), allowPasswords);
        print('Passwords are accepted.');
      }),
    );

  users
    .command('add-owner')
    .description('create a user who owns the organization of an account; the password is printed once')
    .addOption(neededOption('--account <AC…>', 'an account of the organization', accountSid))
    .addOption(neededOption('--email <address>', 'the address they sign in with', emailAddress))
    .option('--json', 'print {email, password} for scripts')
    .action((options: { account: string; email: string; json?: boolean }) =>
      inAccount(options, async (context) => {
        const { addOwner } = await import('../process/demo.ts');
        const owner = await addOwner(context, options.account, options.email);
        if (!owner) throw new ConfigError(`${options.email} already signs in here.`);
        if (options.json) return print(JSON.stringify(owner));
        print(`${owner.email}  ${owner.password}`);
        print('The password is shown this once.');
      }),
    );

  const identity = program.command('identity').description('identity providers');

  identity
    .command('credential')
    .description('secrets that identity providers name')
    .command('set')
    .description('store a secret, read from standard input, under the name a provider gives as credentialRef')
    .addOption(neededOption('--account <AC…>', 'an account of the organization', accountSid))
    .addOption(neededOption('--ref <name>', 'the name providers use', (name) => name))
    .action((options: { account: string; ref: string }) =>
      inAccount(options, async (context) => {
        const { storeCredential } = await import('../process/identity-credential.ts');
        await storeCredential(context, options.account, options.ref);
        print(`${options.ref} is stored.`);
      }),
    );
}

function emailAddress(text: string): string {
  if (!/^[^\s@<>"]{1,64}@[A-Za-z0-9.-]{1,189}$/.test(text))
    throw new InvalidArgumentError('It must be an e-mail address.');
  return text;
}

function keyId(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) {
    throw new InvalidArgumentError("It must be a key's id such as 01a1dd16-….");
  }
  return text;
}

function scopeList(given: string): string[] {
  return given.split(',').map((scope) => scope.trim());
}

async function refuseUnknownScopes(scopes: string[]): Promise<void> {
  const { allScopes } = await import('../scopes.ts');
  const unknown = scopes.find((scope) => !allScopes.includes(scope));
  if (unknown !== undefined) throw new ConfigError(`There is no scope ${unknown || '""'}.`);
}
