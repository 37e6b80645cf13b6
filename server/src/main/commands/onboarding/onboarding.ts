// Applications to be set up by the operator, decided from the command line.
import {
  type Application,
  approve,
  type EndTask,
  finishTask,
  issuesOfTask,
  type LiveApplication,
  provisionWith,
  reject,
  requestInformation,
  requote,
  retry,
  revealDetails,
  takeIntoReview,
  taskNames,
  waitingApplications,
} from '../../../modules/managed-onboarding/index.ts';
import { ConfigError } from '../../../platform/config.ts';
import type { Tenant, TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { wabaHooks } from '../../hooks.ts';
import { asOperator, type CommandContext } from '../../process/keys.ts';

export type Where = CommandContext & { tenant: Tenant };

export const listWaiting = ({ database }: CommandContext, livemode: boolean): Promise<LiveApplication[]> =>
  database.system((s) => waitingApplications(s, livemode));

/** What the API would refuse is told in its words. */
async function asTold<T>({ tenant, ...context }: Where, work: (t: TenantTx) => Promise<T>): Promise<T> {
  try {
    return await context.database.write(tenant, asOperator(context, tenant.livemode), work);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const details = error.facts.details?.map(({ path, issue }) => ` ${path} ${issue}.`).join('') ?? '';
    throw new ConfigError(error.message + details);
  }
}

type Verb = (t: TenantTx, sid: string) => Promise<Application>;
const verb = (work: Verb) => (where: Where, sid: string) => asTold(where, (t) => work(t, sid));

const provision = provisionWith(wabaHooks);

export const reviewIt = verb(takeIntoReview);
export const approveIt = verb((t, sid) => approve(t, provision, sid));
export const retryIt = verb((t, sid) => retry(t, provision, sid));

export const rejectIt = (where: Where, sid: string, reason: string) =>
  asTold(where, (t) => reject(t, sid, reason));
export const askFor = (where: Where, sid: string, request: string) =>
  asTold(where, (t) => requestInformation(t, sid, request));
export const revealIt = (where: Where, sid: string, reason: string) =>
  asTold(where, (t) => revealDetails(t, sid, reason));

export type Amounts = { setup?: string; number?: string; rent?: string };

export function requoteIt(where: Where, sid: string, reason: string, { setup, number, rent }: Amounts) {
  const given = [setup, number, rent].filter((one) => one !== undefined).length;
  if (given !== 0 && given !== 3)
    throw new ConfigError('Name all of --setup, --number and --rent, or none for the price list.');
  const lines = given === 3 ? { setup: setup!, number: number!, rent: rent! } : undefined;
  return asTold(where, (t) => requote(t, sid, { reason, ...(lines && { lines }) }));
}

export function endTaskOf(where: Where, sid: string, body: EndTask) {
  if (!taskNames.includes(body.task)) throw new ConfigError(`--task must be one of ${taskNames.join(', ')}.`);
  const [wrong] = issuesOfTask(body);
  if (wrong) throw new ConfigError(`${wrong.path} ${wrong.issue}.`);
  return asTold(where, (t) => finishTask(t, sid, body));
}
