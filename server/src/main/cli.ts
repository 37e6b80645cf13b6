// The command line. Commands run beside a started service find its embedded database through the data folder.
import { styleText } from 'node:util';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type Config, ConfigError, readConfig } from '../platform/config.ts';
import { isSid } from '../platform/ids.ts';
import { reasonOf } from './reason.ts';
import type { Role } from './service.ts';
import { addWebhookCommands } from './webhook-commands.ts';

// Each command loads what it needs when it runs, so that `--help` and `openapi` answer at once.
const program = new Command('godwit')
  .description('Business messaging over WhatsApp, started by one command.')
  .configureOutput({
    outputError: (text, write) => write(`${oneLine(text.replace(/^error: /, 'godwit: '))}\n`),
  })
  .exitOverride()
  .showHelpAfterError(false);

const oneLine = (text: string) => text.trim().replaceAll(/\s*\n\s*/g, ' ');

// Asked for once everything else is right: Commander's own `requiredOption` would complain of a missing option before
// it says that one was misspelt.
const needed = new Set<Option>();

function neededOption(flags: string, means: string, read: (text: string) => string): Option {
  const option = new Option(flags, means).argParser(read);
  needed.add(option);
  return option;
}

program.hook('preAction', (_program, command) => {
  const missing = command.options.find(
    (option) => needed.has(option) && command.getOptionValue(option.attributeName()) === undefined,
  );
  if (missing) command.error(`error: required option '${missing.flags}' not specified`);
});

program
  .command('start')
  .description('start the service')
  .addOption(
    new Option('--role <role>', 'what this process does')
      .choices(['all', 'api', 'worker', 'simulator'])
      .default('all'),
  )
  .action(async ({ role }: { role: Role | 'simulator' }) => {
    const { start } = await import('./start.ts');
    await start(readConfig(), role);
  });

program
  .command('migrate')
  .description('bring the database to the current schema')
  .action(() =>
    withDatabase(async (_config, url) => {
      const { migrate } = await import('../platform/db/migrate.ts');
      const { applied, total } = await migrate(url, (name) => print(`applied ${name}`));
      print(applied.length === 0 ? `Nothing to do: all ${total} migrations are applied.` : 'Done.');
    }),
  );

program
  .command('openapi')
  .description('print the OpenAPI document')
  .action(async () => {
    const [{ operations }, { openApiDocument }] = await Promise.all([
      import('./modules.ts'),
      import('../platform/openapi.ts'),
    ]);
    const config = readConfig();
    print(
      JSON.stringify(
        openApiDocument(operations, config.publicUrl ?? `http://localhost:${config.port}`),
        null,
        2,
      ),
    );
  });

program
  .command('bootstrap')
  .description('create an organization with an account and its first keys')
  .option('--organization <name>', 'name of the organization', text(200), 'My organization')
  .option('--account <name>', 'name of the account', text(200), 'My account')
  .option('--json', 'print {baseUrl, accountSid, sandboxKey, liveKey} for scripts')
  .action((options: { organization: string; account: string; json?: boolean }) =>
    withCore(async (hands, config) => {
      const { bootstrap } = await import('./demo.ts');
      const names = { organizationName: options.organization, accountName: options.account };
      const made = await bootstrap(hands, { ...names, region: config.region });
      const result = { baseUrl: config.publicUrl ?? `http://localhost:${config.port}`, ...made };
      if (options.json) return print(JSON.stringify(result));
      for (const [name, value] of Object.entries(result)) print(`${name.padEnd(12)}${value}`);
      print('The keys are shown this once.');
    }),
  );

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
  .action(async (options: KeyOptions & { name: string; scopes?: string[]; requestsPerSecond?: number }) => {
    if (options.scopes) await refuseUnknownScopes(options.scopes);
    await withCore(async (hands) => {
      const { issueKey } = await import('./keys.ts');
      await refuseUnknownAccount(hands, options.account);
      const { name, scopes, requestsPerSecond } = options;
      const tenant = { accountSid: options.account, livemode: options.live ?? false };
      const key = await issueKey(hands, tenant, {
        name,
        ...(scopes && { scopes }),
        ...(requestsPerSecond && { requestsPerSecond }),
      });
      print(options.json ? JSON.stringify(key) : key.key);
    });
  });

keys
  .command('list')
  .description('list the API keys of an account')
  .addOption(neededOption('--account <AC…>', 'the account', accountSid))
  .option('--live', 'of the live environment instead of the sandbox')
  .option('--json', 'print them as JSON')
  .action((options: KeyOptions) =>
    withCore(async (hands) => {
      await refuseUnknownAccount(hands, options.account);
      const { listKeys } = await import('./keys.ts');
      const found = await listKeys(hands, { accountSid: options.account, livemode: options.live ?? false });
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
  .action((id: string, options: KeyOptions) =>
    withCore(async (hands) => {
      await refuseUnknownAccount(hands, options.account);
      const { disableKey } = await import('./keys.ts');
      await disableKey(hands, { accountSid: options.account, livemode: options.live ?? false }, id);
      print(`${id} is disabled.`);
    }),
  );

const users = program.command('users').description('the people of an organization');

users
  .command('allow-passwords')
  .description('let people sign in by password again, when their identity provider is gone')
  .addOption(neededOption('--account <AC…>', 'an account of the organization', accountSid))
  .action((options: { account: string }) =>
    withCore(async (hands) => {
      const { allowPasswords } = await import('../modules/identity/index.ts');
      const { asOperator } = await import('./keys.ts');
      await refuseUnknownAccount(hands, options.account);
      const tenant = { accountSid: options.account, livemode: true };
      await hands.database.write(tenant, asOperator(hands, true), allowPasswords);
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
    withCore(async (hands) => {
      const { addOwner } = await import('./demo.ts');
      await refuseUnknownAccount(hands, options.account);
      const owner = await addOwner(hands, options.account, options.email);
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
    withCore(async (hands) => {
      const { storeCredential } = await import('./identity-credential.ts');
      await refuseUnknownAccount(hands, options.account);
      await storeCredential(hands, options.account, options.ref);
      print(`${options.ref} is stored.`);
    }),
  );

program
  .command('outbox')
  .description('mail that was not sent, because SMTP_URL is not set')
  .argument('[number]', 'show this mail; "last" shows the newest')
  .action(async (which?: string) => {
    const { describeOutbox } = await import('./outbox.ts');
    print(await describeOutbox(readConfig().dataDir, which));
  });

program
  .command('audit')
  .description('the audit chain')
  .command('verify')
  .description('prove the audit chains and name the first broken link')
  .option('--account <AC…>', 'only this account', accountSid)
  .action((options: { account?: string }) =>
    withCore(async (hands) => {
      const { database } = hands;
      if (options.account) await refuseUnknownAccount(hands, options.account);
      const { verifyAudit } = await import('../modules/audit/index.ts');
      let links = 0;
      let broken = 0;
      for await (const report of verifyAudit(database, options.account)) {
        links += report.links;
        if (!report.broken) continue;
        broken += 1;
        const environment = report.livemode ? 'live' : 'sandbox';
        print(
          `${report.accountSid} ${environment}: broken at ${report.broken.sequence}: ${report.broken.reason}`,
        );
      }
      const count = broken === 1 ? '1 chain is broken.' : `${broken} chains are broken.`;
      print(broken === 0 ? `Every chain holds (${links} entries).` : count);
      if (broken > 0) process.exitCode = 1;
    }),
  );

const consent = program.command('consent').description('the consent ledger');

consent
  .command('verify')
  .description('prove the consent chains, or those in an export, and name the first broken link')
  .option('--account <AC…>', 'only this account', accountSid)
  .option('--export <file>', 'also write what was read, to be proven elsewhere')
  .addOption(
    new Option('--file <file>', 'prove this export; needs no database').conflicts(['account', 'export']),
  )
  .action(async (options: { account?: string; export?: string; file?: string }) => {
    const { proveExport, proveLedger } = await import('./consent-chain.ts');
    const conclude = (holds: boolean) => {
      if (!holds) process.exitCode = 1;
    };
    if (options.file !== undefined) return conclude(await proveExport(options.file, print));
    await withCore(async ({ database }) =>
      conclude(await proveLedger(database, { account: options.account, exportTo: options.export }, print)),
    );
  });

consent
  .command('export')
  .description('print the consent chains of an account, one JSON object a line')
  .addOption(neededOption('--account <AC…>', 'the account', accountSid))
  .action((options: { account: string }) =>
    withCore(async (hands) => {
      await refuseUnknownAccount(hands, options.account);
      const { exportLedger } = await import('./consent-chain.ts');
      await exportLedger(hands.database, options.account, print);
    }),
  );

const wallets = program.command('wallets').description('the money of an account');

wallets
  .command('credit')
  .description('put money into the wallet an account pays from')
  .addOption(neededOption('--account <AC…>', 'the account', accountSid))
  .addOption(neededOption('--amount <amount>', 'how much, in the currency of the wallet', decimalAmount))
  .addOption(neededOption('--reason <text>', 'why; kept in the audit chain', text(500)))
  .option('--reference <text>', 'names this credit, so that repeating it is refused', text(128))
  .option('--live', 'of the live environment instead of the sandbox')
  .action((options: WalletOptions & { amount: string; reason: string; reference?: string }) =>
    withCore(async (hands) => {
      await refuseUnknownAccount(hands, options.account);
      const { creditAccount } = await import('./wallets.ts');
      const { newUuid } = await import('../platform/ids.ts');
      const { amount, reason, reference = newUuid(hands.clock.now()) } = options;
      print(await creditAccount(hands, tenantOf(options), { amount, reason, reference }));
    }),
  );

wallets
  .command('terms')
  .description('say how an account pays')
  .addOption(neededOption('--account <AC…>', 'the account', accountSid))
  .addOption(
    neededOption('--mode <mode>', 'how it pays', (mode) => mode).choices([
      'prepaid',
      'postpaid',
      'credit_line',
      'invoice',
      'hybrid',
    ]),
  )
  .option('--credit-limit <amount>', 'how far below zero it may go', decimalAmount, '0')
  .option('--live', 'of the live environment instead of the sandbox')
  .action(
    (
      options: WalletOptions & {
        mode: import('../modules/billing/index.ts').CommercialMode;
        creditLimit: string;
      },
    ) =>
      withCore(async (hands) => {
        await refuseUnknownAccount(hands, options.account);
        const { setTerms } = await import('./wallets.ts');
        print(await setTerms(hands, tenantOf(options), options));
      }),
  );

program
  .command('ledger')
  .description('the ledger of all wallets')
  .command('verify')
  .description('recompute every balance from its transfers and name the first difference')
  .option('--account <AC…>', 'only this account', accountSid)
  .action((options: { account?: string }) =>
    withCore(async (hands) => {
      if (options.account) await refuseUnknownAccount(hands, options.account);
      const { proveWallets } = await import('./wallets.ts');
      if (!(await proveWallets(hands.database, options.account, print))) process.exitCode = 1;
    }),
  );

const callbacks = program.command('callbacks').description("the provider's callbacks");

callbacks
  .command('list')
  .description("list callbacks that are not done: due, kept (not understood or nobody's) or parked (failed)")
  .addOption(new Option('--state <state>', 'only these').choices(['due', 'kept', 'parked']))
  .option('--json', 'print them as JSON')
  .action((options: { state?: 'due' | 'kept' | 'parked'; json?: boolean }) =>
    withCore(async ({ database }) => {
      const { listCallbacks } = await import('./callbacks.ts');
      await listCallbacks(database, options, print);
    }),
  );

callbacks
  .command('show')
  .description('print one callback with its body, as the provider sent it')
  .argument('<id>', 'the number shown by "callbacks list"', callbackId)
  .action((id: string) =>
    withCore(async ({ database }) => {
      const { printCallback } = await import('./callbacks.ts');
      await printCallback(database, id, print);
    }),
  );

callbacks
  .command('retry')
  .description('work on callbacks again; what was applied already is not applied twice')
  .argument('[ids...]', 'the numbers shown by "callbacks list"', (id: string, before: string[] = []) => [
    ...before,
    callbackId(id),
  ])
  .addOption(new Option('--all <state>', 'all of a state instead').choices(['kept', 'parked']))
  .action((ids: string[] | undefined, options: { all?: 'kept' | 'parked' }) =>
    withCore(async ({ database }) => {
      const { retry } = await import('./callbacks.ts');
      await retry(database, ids ?? [], options.all, print);
    }),
  );

const operations = program.command('operations').description('long work and how far it is');

operations
  .command('list')
  .description('list the newest operations of an account')
  .addOption(neededOption('--account <AC…>', 'the account', accountSid))
  .option('--live', 'of the live environment instead of the sandbox')
  .option('--json', 'print them as JSON')
  .action((options: KeyOptions) =>
    withCore(async (hands) => {
      await refuseUnknownAccount(hands, options.account);
      const { describeOperation, recentOperations } = await import('./operations.ts');
      const tenant = { accountSid: options.account, livemode: options.live ?? false };
      const found = await recentOperations(hands, tenant);
      if (options.json) return print(JSON.stringify(found));
      for (const one of found)
        print(`${one.sid}  ${one.createdAt}  ${one.type.padEnd(24)}  ${describeOperation(one)}`);
      if (found.length === 0) print('There are no operations.');
    }),
  );

operations
  .command('watch')
  .description('follow an operation to its end')
  .argument('<OP…>', 'the operation', operationSid)
  .addOption(neededOption('--account <AC…>', 'the account', accountSid))
  .option('--live', 'in the live environment instead of the sandbox')
  .action((sid: string, options: KeyOptions) =>
    withCore(async (hands) => {
      await refuseUnknownAccount(hands, options.account);
      const { watchOperation } = await import('./operations.ts');
      const tenant = { accountSid: options.account, livemode: options.live ?? false };
      const { state } = await watchOperation(hands, tenant, sid, process.stdout);
      if (state !== 'SUCCEEDED') process.exitCode = 1;
    }),
  );

const simulate = program
  .command('simulate')
  .description('act as a customer of the simulated provider, or look at it');

const addressOption = () =>
  new Option('--url <url>', 'where the simulator answers, if not on this machine beside the API');

simulate
  .command('inbound')
  .description('let a customer write to one of your numbers')
  .addOption(neededOption('--from <number>', "the customer's phone number", phoneNumber))
  .addOption(neededOption('--to <number>', 'your phone number, or its provider id', phoneNumber))
  .option('--text <text>', 'what they write; for media, the caption')
  .option('--type <type>', 'text, image, video, audio, document, sticker, location, contacts, …', 'text')
  .option(
    '--content <json>',
    'the object of the type as the provider sends it; the rest is filled in',
    jsonObject,
  )
  .option('--name <name>', "the customer's profile name, remembered")
  .option('--reply-to <wamid…>', 'the message they answer, react to, edit or take back')
  .addOption(addressOption())
  .action(async ({ url, ...inbound }: import('./simulate.ts').Inbound & { url?: string }) => {
    const { simulateInbound, simulatorAddress } = await import('./simulate.ts');
    print(await simulateInbound(simulatorAddress(readConfig(), url), inbound));
  });

simulate
  .command('preference')
  .description('let a customer stop or resume marketing messages in their app')
  .argument('<value>', 'stop or resume', oneOf('stop', 'resume'))
  .addOption(neededOption('--from <number>', "the customer's phone number", phoneNumber))
  .addOption(neededOption('--to <number>', 'your phone number, or its provider id', phoneNumber))
  .addOption(addressOption())
  .action(async (value: string, { url, from, to }: { url?: string; from: string; to: string }) => {
    const { simulatePreference, simulatorAddress } = await import('./simulate.ts');
    print(await simulatePreference(simulatorAddress(readConfig(), url), { from, to, value }));
  });

simulate
  .command('status')
  .description('what the simulator accepted, refused and called back, and which numbers it knows')
  .addOption(addressOption())
  .action(async ({ url }: { url?: string }) => {
    const { simulatorAddress, simulatorStatus } = await import('./simulate.ts');
    print(await simulatorStatus(simulatorAddress(readConfig(), url)));
  });

simulate
  .command('messages')
  .description('the messages it accepted')
  .option('--opaque <reference>', 'only those handed over with this reference, such as a message SID')
  .addOption(addressOption())
  .action(async ({ url, opaque }: { url?: string; opaque?: string }) => {
    const { simulatedMessages, simulatorAddress } = await import('./simulate.ts');
    print(await simulatedMessages(simulatorAddress(readConfig(), url), opaque));
  });

addWebhookCommands(program, { neededOption, wholeNumber, print });

program
  .command('doctor')
  .description('check database, migrations, clock, disk and queue, and say what to do')
  .option('--json', 'print the findings as JSON')
  .action((options: { json?: boolean }) =>
    withDatabase(async (config, url) => {
      const { examine } = await import('./doctor.ts');
      const findings = await examine(config, url);
      if (options.json) print(JSON.stringify(findings));
      else for (const finding of findings) print(describe(finding));
      if (findings.some(({ verdict }) => verdict === 'problem')) process.exitCode = 1;
    }),
  );

type KeyOptions = { account: string; live?: boolean; json?: boolean };
type WalletOptions = { account: string; live?: boolean };
type Hands = import('./keys.ts').Hands;

const tenantOf = ({ account, live = false }: WalletOptions) => ({ accountSid: account, livemode: live });

function describe({ name, verdict, says, remedy }: import('./doctor.ts').Finding): string {
  const mark = {
    ok: styleText('green', '✓'),
    warning: styleText('yellow', '!'),
    problem: styleText('red', '✗'),
  };
  return `${mark[verdict]} ${name.padEnd(11)}${says}${remedy ? `\n  ${' '.repeat(11)}${remedy}` : ''}`;
}

async function withDatabase(work: (config: Config, url: string) => Promise<void>): Promise<void> {
  const { reachDatabase } = await import('./database-url.ts');
  const config = readConfig();
  const database = await reachDatabase(config);
  try {
    await work(config, database.url);
  } finally {
    await database.release();
  }
}

// Somebody at a terminal waits rather than asks again, as a client of the API does.
const patience = { connectionMs: 15_000, lockMs: 10_000, statementMs: 60_000 };

async function withCore(work: (hands: Hands, config: Config) => Promise<void>): Promise<void> {
  await withDatabase(async (config, url) => {
    const { openCore } = await import('./core.ts');
    const { systemClock } = await import('../platform/clock.ts');
    const { createLog } = await import('../platform/logging.ts');
    const log = createLog('warn');
    const { database } = await openCore(config, url, log, patience);
    try {
      await work({ database, clock: systemClock, log }, config);
    } finally {
      await database.close();
    }
  });
}

async function refuseUnknownAccount({ database }: Hands, sid: string): Promise<void> {
  const { accountExists } = await import('../modules/accounts/index.ts');
  if (!(await database.system((s) => accountExists(s, sid))))
    throw new ConfigError(`There is no account ${sid}.`);
}

function accountSid(text: string): string {
  if (!isSid('AC', text)) throw new InvalidArgumentError('It must be an account SID such as AC01….');
  return text;
}

function operationSid(text: string): string {
  if (!isSid('OP', text)) throw new InvalidArgumentError('It must be an operation SID such as OP01….');
  return text;
}

function emailAddress(text: string): string {
  if (!/^[^\s@<>"]{1,64}@[A-Za-z0-9.-]{1,189}$/.test(text))
    throw new InvalidArgumentError('It must be an e-mail address.');
  return text;
}

function phoneNumber(text: string): string {
  const digits = text.replaceAll(/[+\s().-]/g, '');
  if (!/^\d{7,17}$/.test(digits))
    throw new InvalidArgumentError('It must be a phone number such as +4915112345678.');
  return digits;
}

function jsonObject(text: string): unknown {
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // said below, as for every other text that is no object
  }
  throw new InvalidArgumentError('It must be a JSON object.');
}

function oneOf(...words: string[]) {
  return (text: string): string => {
    if (!words.includes(text)) throw new InvalidArgumentError(`It must be ${words.join(' or ')}.`);
    return text;
  };
}

function keyId(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) {
    throw new InvalidArgumentError("It must be a key's id such as 01a1dd16-….");
  }
  return text;
}

function callbackId(text: string): string {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError('It must be a number such as 42.');
  return text;
}

function text(maxLength: number) {
  return (given: string): string => {
    const trimmed = given.trim();
    if (trimmed === '' || trimmed.length > maxLength) {
      throw new InvalidArgumentError(`It must be 1 to ${maxLength} characters.`);
    }
    return trimmed;
  };
}

function scopeList(given: string): string[] {
  return given.split(',').map((scope) => scope.trim());
}

async function refuseUnknownScopes(scopes: string[]): Promise<void> {
  const { allScopes } = await import('./keys.ts');
  const unknown = scopes.find((scope) => !allScopes.includes(scope));
  if (unknown !== undefined) throw new ConfigError(`There is no scope ${unknown || '""'}.`);
}

function decimalAmount(text: string): string {
  if (!/^\d{1,12}(\.\d{1,9})?$/.test(text))
    throw new InvalidArgumentError('It must be an amount such as 100.00.');
  return text;
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

// The process ends by itself once everything is written, so that a slow reader loses nothing. One that has read enough,
// such as `head`, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = explain(error);
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  process.stderr.write(`godwit: ${oneLine(reasonOf(error))}\n`);
  return error instanceof ConfigError ? 2 : 1;
}
