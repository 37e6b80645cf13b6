// The one place where a campaign goes from one state to another, under its lock.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { type EventType, emit } from '../../../platform/events.ts';
import { audit } from '../../audit/index.ts';
import { campaignEvents } from '../events.ts';
import type { Campaign } from '../schema.ts';
import { type CampaignMove, campaignMoves, hasEnded, mayMove } from '../states.ts';
import { type CampaignRow, columns, here, toCampaign } from './rows.ts';
import { useSegment } from './segment-use.ts';

const announcements: Record<CampaignMove, EventType<Campaign>> = {
  launch: campaignEvents.scheduled,
  start: campaignEvents.started,
  pause: campaignEvents.paused,
  resume: campaignEvents.resumed,
  complete: campaignEvents.completed,
  cancel: campaignEvents.canceled,
  fail: campaignEvents.failed,
};

type Moved = {
  /** The code of the error that it moves by itself with. */
  reason?: string | null;
  /** What else changes with it. */
  also?: Sql;
};

/** CONFLICT where it cannot be done to the campaign as it stands. */
export async function moveCampaign(
  t: TenantTx,
  { sid, state }: Pick<CampaignRow, 'sid' | 'state'>,
  move: CampaignMove,
  { reason = null, also = sql`` }: Moved = {},
): Promise<CampaignRow> {
  if (!mayMove(state, move))
    throw new ApiError('CONFLICT', { message: `The campaign is ${state}: it cannot be ${doneBy[move]}.` });
  const { to } = campaignMoves[move];
  const row = await t.one<CampaignRow>(sql`
    update campaigns set state = ${to}, reason = ${reason}, updated_at = ${t.now}
      ${hasEnded(to) ? sql`, finished_at = ${t.now}` : sql``} ${also}
     where ${here(t, sid)} and state = ${state}
    returning ${columns}`);
  if (hasEnded(to)) await useSegment(t, sid, null);
  const type = announcements[move];
  const { recipients, admitted, refused } = row;
  audit(t, { action: type.name, resource: sid, facts: { reason, recipients, admitted, refused } });
  emit(t, type, toCampaign(t, row));
  return row;
}

const doneBy: Record<CampaignMove, string> = {
  launch: 'launched',
  start: 'started',
  pause: 'paused',
  resume: 'resumed',
  complete: 'completed',
  cancel: 'canceled',
  fail: 'failed',
};
