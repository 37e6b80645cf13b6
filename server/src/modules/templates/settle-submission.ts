// How a submission ends: the provider took the change or refused it, or nobody could tell it for so long that it is given up.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { TenantJobContext } from '../../platform/jobs/jobs.ts';
import type { ProviderFailure } from '../provider/index.ts';
import { unlockName } from './name-locks.ts';
import {
  changeTemplate,
  type Failure,
  type RowChange,
  rememberStatus,
  type TemplateRow,
  templateColumns,
} from './templates.ts';

/** While a change waits nobody can make another: after three days people rather have the template back, and the reason. */
const giveUpMs = 72 * 60 * 60_000;

export type Settling = {
  /** By the row as it is now, which is held. */
  changeOf(row: TemplateRow): RowChange;
  reason: string;
  /** When the change is the provider's word about the status; where something newer was heard only `otherwise` is written. */
  saidAt?: Date;
  otherwise?: RowChange;
  /** Written to the history also when the status stays. */
  isNoted?: boolean;
};

/** Writes the outcome, unless the template has moved on to another revision or is gone. */
export async function settle(
  { write, now }: TenantJobContext,
  { sid, revision }: Pick<TemplateRow, 'sid' | 'revision'>,
  settling: Settling,
): Promise<void> {
  const { changeOf, reason, saidAt, otherwise = {}, isNoted = false } = settling;
  await write(async (t) => {
    const row = await t.maybe<TemplateRow>(sql`
      select ${templateColumns} from templates
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and revision = ${revision}
         and pending_change is not null and deleted_at is null for update`);
    if (!row) return;
    const change = changeOf(row);
    const word = { about: saidAt ? (['status'] as const) : [], saidAt: saidAt ?? now(), reason };
    const changed = await changeTemplate(t, row, change, word);
    if (!changed) await changeTemplate(t, row, otherwise, { saidAt: now(), reason });
    if (isNoted && changed?.status === row.status) await rememberStatus(t, row, row.status, reason, now());
    await giveNameBack(t, row, change);
  });
}

async function giveNameBack(t: TenantTx, row: TemplateRow, change: RowChange): Promise<void> {
  if (row.pendingChange === 'DELETE' && change.pendingChange === null && !change.deletedAt)
    await unlockName(t, row);
}

/** What waited is taken back, and the template is what it was. */
const withdrawn = ({ pendingChange, proposed, status }: TemplateRow): RowChange => ({
  pendingChange: null,
  proposed: null,
  ...(pendingChange === 'DELETE' && { status: proposed?.statusBefore ?? status }),
});

/** The provider has not taken a change now, and may later. */
export class NotTaken extends Error {}

/** For good: what waited is given up. For the moment: it is written down, and thrown to be tried again. */
export async function refused(
  context: TenantJobContext,
  row: TemplateRow,
  { code, reason, providerCode, retryable }: Omit<ProviderFailure, 'providerSubcode' | 'retryAfterMs'>,
): Promise<void> {
  const failure = { code, message: reason, providerCode };
  const again = retryable || code === 'PROVIDER_RESULT_UNKNOWN';
  await settle(context, row, {
    changeOf: (held) => (again ? { failure } : { failure, ...withdrawn(held) }),
    reason: code,
  });
  if (again) throw new NotTaken(`the provider did not take the template: ${code}`);
}

export const isOverdue = ({ pendingSince }: TemplateRow, now: Date): boolean =>
  now.getTime() - Date.parse(pendingSince!) >= giveUpMs;

// After an error of ours the provider may have the change: its list will tell, whenever it is next read.
const unknown: Failure = {
  code: 'PROVIDER_RESULT_UNKNOWN',
  message: 'Nobody knows whether the provider has the change.',
  providerCode: null,
};

export async function giveUp(context: TenantJobContext, row: TemplateRow, error: unknown): Promise<void> {
  context.log.error({ err: error, template: row.sid }, 'a change of a template is given up');
  const failureOf = (held: TemplateRow) => (error instanceof NotTaken && held.failure) || unknown;
  await settle(context, row, {
    changeOf: (held) => ({ failure: failureOf(held), ...withdrawn(held) }),
    reason: `given up after ${giveUpMs / 3_600_000} hours`,
    isNoted: true,
  });
}
