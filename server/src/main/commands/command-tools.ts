// What the commands share: how options are read and demanded, how a command reaches the database and an account, and how it
// speaks.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ConfigError } from '../../platform/config.ts';
import type { Tenant } from '../../platform/db/database.ts';
import { isSid, type SidPrefix } from '../../platform/ids.ts';
import type { Core } from '../process/core.ts';
import type { CommandContext } from '../process/keys.ts';
import { type Config, readConfig } from '../settings.ts';

// Asked for once everything else is right: Commander's own `requiredOption` would complain of a missing option before
// it says that one was misspelt.
const needed = new Set<Option>();

export function neededOption(flags: string, means: string, read: (text: string) => string): Option {
  const option = new Option(flags, means).argParser(read);
  needed.add(option);
  return option;
}

export function refuseMissingOptions(command: Command): void {
  const missing = command.options.find(
    (option) => needed.has(option) && command.getOptionValue(option.attributeName()) === undefined,
  );
  if (missing) command.error(`error: required option '${missing.flags}' not specified`);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

export async function withDatabase(work: (config: Config, url: string) => Promise<void>): Promise<void> {
  const { reachDatabase } = await import('../process/database-url.ts');
  const config = readConfig();
  const reaching = reachDatabase(config);
  const release = async () => (await reaching).release();
  const forget = beforeSignalEnds(release);
  try {
    await work(config, (await reaching).url);
  } finally {
    await release().finally(forget);
  }
}

/** A command that is told to end does so by the signal, as it would by itself, once it has cleaned up. */
function beforeSignalEnds(clean: () => Promise<void>): () => void {
  let ending = false;
  const end = (signal: NodeJS.Signals) => {
    if (ending) return;
    ending = true;
    const die = () => {
      forget();
      process.kill(process.pid, signal);
    };
    clean().then(die, die);
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, end);
  const forget = () => {
    for (const signal of signals) process.removeListener(signal, end);
  };
  return forget;
}

// Somebody at a terminal waits rather than asks again, as a client of the API does.
const patience = {
  connectionMs: 15_000,
  lockMs: 10_000,
  statementMs: 60_000,
  idleMs: 10_000,
  answerMs: 90_000,
};

export async function withCore(
  work: (context: CommandContext, config: Config, core: Core) => Promise<void>,
): Promise<void> {
  await withDatabase(async (config, url) => {
    const { openCore } = await import('../process/core.ts');
    const { systemClock } = await import('../../platform/clock.ts');
    const { createLog } = await import('../../platform/observability/logging.ts');
    const log = createLog('warn');
    const core = await openCore(config, url, log, patience);
    const { database } = core;
    try {
      await work({ database, clock: systemClock, log }, config, core);
    } finally {
      await database.close();
    }
  });
}

export type AccountOptions = { account: string; live?: boolean; json?: boolean };

/** Work in one environment of an account that must exist. */
export function inAccount(
  { account: accountSid, live: livemode = false }: AccountOptions,
  work: (context: CommandContext, tenant: Tenant) => Promise<void>,
): Promise<void> {
  return withCore(async (context) => {
    await refuseUnknownAccount(context, accountSid);
    await work(context, { accountSid, livemode });
  });
}

export async function refuseUnknownAccount({ database }: CommandContext, sid: string): Promise<void> {
  const { accountExists } = await import('../../modules/accounts/index.ts');
  if (!(await database.system((s) => accountExists(s, sid))))
    throw new ConfigError(`There is no account ${sid}.`);
}

export function accountSid(text: string): string {
  if (!isSid('AC', text)) throw new InvalidArgumentError('It must be an account SID such as AC01….');
  return text;
}

export function sidOf(prefix: SidPrefix, what: string) {
  return (text: string): string => {
    if (!isSid(prefix, text))
      throw new InvalidArgumentError(`It must be the SID of ${what} such as ${prefix}01….`);
    return text;
  };
}

export function text(maxLength: number) {
  return (given: string): string => {
    const trimmed = given.trim();
    if (trimmed === '' || trimmed.length > maxLength) {
      throw new InvalidArgumentError(`It must be 1 to ${maxLength} characters.`);
    }
    return trimmed;
  };
}

export function oneOf(...words: string[]) {
  return (text: string): string => {
    if (!words.includes(text)) throw new InvalidArgumentError(`It must be ${words.join(' or ')}.`);
    return text;
  };
}

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
