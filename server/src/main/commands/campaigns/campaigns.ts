// What the operator sees of campaigns in a terminal, and how they stop one at night.
import {
  type Campaign,
  type CampaignResults,
  cancelCampaign,
  getCampaign,
  listCampaigns,
  pauseCampaign,
  resultsOf,
  resumeCampaign,
} from '../../../modules/campaigns/index.ts';
import { ConfigError } from '../../../platform/config.ts';
import type { Tenant } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { createPager } from '../../../platform/http/operations/pagination.ts';
import { asOperator, type CommandContext } from '../../process/keys.ts';
import { shown } from '../shown.ts';

type Print = (line: string) => void;
type Asked = { campaign: string; json?: boolean };

const mostListed = 50;

export async function printCampaigns(
  context: CommandContext,
  tenant: Tenant,
  { json }: { json?: boolean },
  print: Print,
): Promise<void> {
  const { data, nextCursor } = await context.database.read(
    tenant,
    asOperator(context, tenant.livemode),
    (t) => listCampaigns(t, {}, createPager(t.sealer, 'campaigns list', tenant, { limit: mostListed })),
  );
  if (json) return print(JSON.stringify(data));
  for (const one of data) print(tellCampaign(one));
  if (data.length === 0) print('There are no campaigns.');
  if (nextCursor !== null) print(`There are more: these are the newest ${mostListed}.`);
}

function tellCampaign({ sid, state, reason, progress, name }: Campaign): string {
  const { recipients, pending, admitted, refused } = progress;
  const why = reason === null ? '' : ` (${reason})`;
  const far = `${admitted} accepted, ${refused} refused, ${pending} waiting of ${recipients}`;
  return [sid, `${state}${why}`.padEnd(9), far, shown(name)].join('  ');
}

export async function printResults(
  context: CommandContext,
  tenant: Tenant,
  { campaign: sid, json }: Asked,
  print: Print,
): Promise<void> {
  const [campaign, results] = await refusing(tenant, sid, () =>
    // A read may not take as long as counting can.
    context.database.write(tenant, asOperator(context, tenant.livemode), async (t) => [
      await getCampaign(t, sid),
      await resultsOf(t, sid),
    ]),
  );
  if (json) return print(JSON.stringify({ campaign, results }));
  print(tellCampaign(campaign));
  for (const line of tellResults(results)) print(line);
}

const counted = [
  'queued',
  'sent',
  'delivered',
  'read',
  'replied',
  'optedOut',
  'failed',
  'canceled',
  'expired',
] as const;

function tellResults({ total, variants }: CampaignResults): string[] {
  const line = (outcome: CampaignResults['total']) =>
    `${outcome.messages} messages: ${counted.map((what) => `${outcome[what]} ${what}`).join(', ')}`;
  const byCode = (what: string, codes: { code: string; count: number }[]) =>
    codes.map(({ code, count }) => `  ${what} ${code} ${count}`);
  return [
    line(total),
    ...byCode('refused', total.refusals),
    ...byCode('failed', total.failures),
    ...variants.map((one) => `  variant ${one.variant} (${one.weight} %): ${line(one)}`),
  ];
}

const moves = { pause: pauseCampaign, resume: resumeCampaign, cancel: cancelCampaign };
export type Move = keyof typeof moves;

export async function moveByHand(
  context: CommandContext,
  tenant: Tenant,
  { campaign: sid, move, json }: Asked & { move: Move },
  print: Print,
): Promise<void> {
  const moved = await refusing(tenant, sid, () =>
    context.database.write(tenant, asOperator(context, tenant.livemode), (t) => moves[move](t, sid)),
  );
  print(json ? JSON.stringify(moved) : tellCampaign(moved));
}

async function refusing<T>({ livemode }: Tenant, sid: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const environment = livemode ? 'live environment' : 'sandbox';
    if (error.code === 'NOT_FOUND')
      throw new ConfigError(`There is no campaign ${sid} in this account's ${environment}.`);
    throw new ConfigError(error.message);
  }
}
