// What the operator does about differences with the provider from the command line.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { csvLine } from '../../modules/contact-files/index.ts';
import {
  type BadRow,
  findCase,
  importFile,
  listPartnerTotals,
  partnerTotalsScale,
  queueComparison,
  RemediationPricing,
  remediationKeys,
  signRemediation,
  UnreadableFile,
} from '../../modules/reconciliation/index.ts';
import { connectedWabasOf } from '../../modules/wabas/index.ts';
import { ConfigError } from '../../platform/config.ts';
import type { Database, Tenant } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { judgeBy } from '../../platform/http/input/validation.ts';
import { format, money } from '../../platform/money.ts';
import { asOperator, type CommandContext } from '../process/keys.ts';

const dayMs = 86_400_000;
const longestMs = 366 * dayMs;

/** Queues a comparison of each connected business account; the service that runs does them. */
export async function compareDays(
  context: CommandContext,
  tenant: Tenant,
  days: { from: string; to: string },
): Promise<string> {
  const [from, to] = [new Date(days.from), new Date(days.to)];
  const now = context.clock.now();
  if (from >= to) throw new ConfigError('--from must be before --to.');
  if (to > now)
    throw new ConfigError('--to must not be later than today: a day is compared once it is over.');
  if (from.getTime() < now.getTime() - longestMs)
    throw new ConfigError('The provider looks back a year at most.');
  const count = await context.database.write(tenant, asOperator(context, tenant.livemode), async (t) => {
    const wabas = await connectedWabasOf(t);
    for (const { sid } of wabas) queueComparison(t, sid, { from, to });
    return wabas.length;
  });
  const what = count === 1 ? '1 business account is' : `${count} business accounts are`;
  return `${what} compared from ${days.from} to ${days.to} by the running service; differences open cases.`;
}

const mostPrinted = 100;

/** Whether every row could be read. */
export async function importCharges(
  context: CommandContext,
  tenant: Tenant,
  { file, rejected }: { file: string; rejected?: string },
  print: (line: string) => void,
): Promise<boolean> {
  const sha256 = await hashOf(file);
  const out = rejected === undefined ? null : createWriteStream(rejected, { flags: 'wx' });
  if (out) await once(out, 'open');
  let told = 0;
  const tellBad = async ({ line, issue, messageId }: BadRow) => {
    told += 1;
    if (told <= mostPrinted) print(`line ${line}: ${issue}`);
    if (told === mostPrinted + 1) print('… and more.');
    if (out && !out.write(csvLine([String(line), messageId, issue]))) await once(out, 'drain');
  };
  const done = await importFile({
    database: context.database,
    tenant,
    context: () => asOperator(context, tenant.livemode),
    open: () => createReadStream(file),
    sha256,
    tellBad,
  }).catch((error: unknown) => {
    const unreadable =
      error instanceof UnreadableFile || (error instanceof ApiError && error.code === 'VALIDATION_ERROR');
    throw unreadable ? new ConfigError(error.message) : error;
  });
  if (out) await finished(out.end());
  if (done.before !== null) print(`This file was imported at ${done.before}; nothing was done.`);
  else
    print(`${done.rows} rows: ${done.differences} differ from our records, ${done.bad} could not be read.`);
  return done.bad === 0;
}

async function hashOf(file: string): Promise<Buffer> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk);
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${(error as Error).message}`);
  }
  return hash.digest();
}

type ToSign = { case: string; pricing: string };

export async function signCase(
  context: CommandContext,
  tenant: Tenant,
  { case: sid, pricing: file }: ToSign,
): Promise<string> {
  const pricing = await readPricing(file);
  return context.database.read(tenant, asOperator(context, tenant.livemode), async (t) => {
    const found = await findCase(t, sid);
    if (!found) throw new ConfigError(`There is no case ${sid} in this environment of the account.`);
    return signRemediation(remediationKeys(t.sealer)[0]!, found, pricing);
  });
}

async function readPricing(file: string): Promise<object> {
  let given: unknown;
  try {
    given = JSON.parse(file === '-' ? await textOf(process.stdin) : await readFile(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`The pricing cannot be read: ${(error as Error).message}`);
  }
  const issues = judgeBy(RemediationPricing)(given);
  if (issues.length > 0)
    throw new ConfigError(
      `The pricing is not right: ${issues.map(({ path, issue }) => `${path} ${issue}`).join('; ')}.`,
    );
  return given as object;
}

/** Whether every month agrees. */
export async function partnerTotals(database: Database, print: (line: string) => void): Promise<boolean> {
  const totals = await database.system(listPartnerTotals);
  if (totals.length === 0) print('The provider has billed no month yet.');
  for (const { livemode, month, currency, billedMinor, passedOnMinor, isOff, lookedAt } of totals) {
    const amount = (minor: string) => format(money(BigInt(minor), currency, partnerTotalsScale));
    const verdict = isOff ? 'OFF' : 'agrees';
    print(
      `${month} ${livemode ? 'live' : 'sandbox'}: billed ${amount(billedMinor)}, charged to accounts ${amount(passedOnMinor)}: ${verdict} (${lookedAt})`,
    );
  }
  return totals.every(({ isOff }) => !isOff);
}
