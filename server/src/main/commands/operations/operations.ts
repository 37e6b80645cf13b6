// What the operator sees of operations in a terminal.
import { setTimeout as sleep } from 'node:timers/promises';
import { getOperation, listOperations, type Operation } from '../../../modules/operations/index.ts';
import { ConfigError } from '../../../platform/config.ts';
import type { Tenant } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { createPager } from '../../../platform/http/operations/pagination.ts';
import { asOperator, type CommandContext } from '../../process/keys.ts';

const lookMs = 500;
const barWidth = 30;

export async function recentOperations(context: CommandContext, tenant: Tenant): Promise<Operation[]> {
  const page = await context.database.read(tenant, asOperator(context, tenant.livemode), (t) =>
    listOperations(t, {}, createPager(t.sealer, 'operations list', tenant, { limit: 50 })),
  );
  return page.data;
}

/** Follows an operation to its end: a bar that moves in a terminal, a line for every change elsewhere. */
export async function watchOperation(
  context: CommandContext,
  tenant: Tenant,
  sid: string,
  out: NodeJS.WriteStream,
): Promise<Operation> {
  for (let said = ''; ; ) {
    const operation = await find(context, tenant, sid);
    const line = describeOperation(operation);
    const ended = operation.finishedAt !== null;
    if (out.isTTY) out.write(`\r\u001b[K${line}${ended ? '\n' : ''}`);
    else if (line !== said) out.write(`${line}\n`);
    said = line;
    if (ended) return operation;
    await sleep(lookMs);
  }
}

async function find(context: CommandContext, tenant: Tenant, sid: string): Promise<Operation> {
  try {
    return await context.database.read(tenant, asOperator(context, tenant.livemode), (t) =>
      getOperation(t, sid),
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error;
    const environment = tenant.livemode ? 'live environment' : 'sandbox';
    throw new ConfigError(`There is no operation ${sid} in this account's ${environment}.`);
  }
}

export function describeOperation({ state, awaits, progress, error }: Operation): string {
  const { done, total, failed, ratePerSecond, estimatedEndAt } = progress;
  const share = total ? Math.min(1, done / total) : null;
  const filled = Math.round((share ?? 0) * barWidth);
  return [
    share === null
      ? ''
      : `[${'█'.repeat(filled)}${'·'.repeat(barWidth - filled)}] ${Math.floor(share * 100)} %`,
    state,
    awaits === null ? '' : `waits for ${awaits}`,
    `${done}${total === null ? '' : ` of ${total}`}`,
    failed > 0 ? `${failed} failed` : '',
    ratePerSecond === null ? '' : `${Math.round(ratePerSecond)}/s`,
    estimatedEndAt === null ? '' : `ends about ${estimatedEndAt.slice(11, 19)} UTC`,
    error ? `${error.code}: ${error.message}` : '',
  ]
    .filter((part) => part !== '')
    .join('  ');
}
