// A draft becomes final: it is judged once more as things stand now, agreed to by a second person where it reaches very many, and
// handed to the operation that cuts its audience and admits its messages.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { defineApprovable } from '../../../platform/http/operations/approvable.ts';
import { principalName } from '../../../platform/principal.ts';
import { findApproval, requestApproval } from '../../approvals/index.ts';
import { startOperation } from '../../operations/index.ts';
import { refuseWithoutFeature } from '../../plans/index.ts';
import { budgetInWallet, judgeAudience, judgeNamed, judgeTimes } from '../draft/judge.ts';
import { moveCampaign } from '../resource/move.ts';
import { type CampaignRow, here, lockCampaign, toCampaign } from '../resource/rows.ts';
import { runCampaign } from '../run/run-campaign.ts';
import type { Campaign } from '../schema.ts';
import { mayMove } from '../states.ts';
import { settingsOf } from './account-settings.ts';
import { audienceOf } from './campaigns.ts';
import { judgeByGates } from './judge-by-gates.ts';

type Launch = { campaignSid: string; version: number; recipients: number };

/** The campaign, or that somebody else must agree first, which a handler returns. */
export async function launchCampaign(t: TenantTx, sid: string): Promise<Campaign | ApiError> {
  await refuseWithoutFeature(t, 'campaigns');
  const { row, recipients } = await readyToLaunch(t, sid);
  const { approvalAbove } = await settingsOf(t);
  const isAlone = !t.livemode || approvalAbove === null || recipients <= approvalAbove;
  return isAlone ? launch(t, row, null) : askSomebodyElse(t, row, recipients);
}

/** Everything that stands against it now. */
async function readyToLaunch(t: TenantTx, sid: string): Promise<{ row: CampaignRow; recipients: number }> {
  const row = await lockCampaign(t, sid);
  if (!mayMove(row.state, 'launch'))
    throw new ApiError('CONFLICT', { message: `The campaign is ${row.state}: it was launched already.` });
  const audience = await audienceOf(t, row);
  const { size, issues } = await judgeAudience(t, audience);
  const all = [...judgeTimes(row.definition, t.now), ...(await judgeNamed(t, row.definition)), ...issues];
  if (all.length > 0) throw invalid(...all);
  await judgeByGates(t, row, audience);
  return { row, recipients: size };
}

async function askSomebodyElse(t: TenantTx, row: CampaignRow, recipients: number): Promise<ApiError> {
  const waiting = row.approvalSid === null ? null : await findApproval(t, row.approvalSid);
  if (waiting?.state === 'PENDING')
    return new ApiError('APPROVAL_REQUIRED', { details: [{ path: 'approvalSid', issue: waiting.sid }] });
  const request: Launch = { campaignSid: row.sid, version: row.version, recipients };
  const refusal = await requestApproval(t, {
    action: launchApproval.action,
    summary: `Launch the campaign "${row.name}" (${row.sid}) to ${recipients} recipients`,
    request,
  });
  await t.run(sql`
    update campaigns set approval_sid = ${refusal.facts.details![0]!.issue}, updated_at = ${t.now} where ${here(t, row.sid)}`);
  return refusal;
}

/** What was agreed to is one version and so many people: what was changed since must be agreed to again. */
export const launchApproval = defineApprovable<Launch>({
  action: 'campaign.launch',
  scope: 'messages:send',
  async run(t, { campaignSid, version, recipients: agreed }, approvalSid) {
    const { row, recipients } = await readyToLaunch(t, campaignSid);
    if (row.version !== version)
      throw new ApiError('CONFLICT', { message: 'The campaign was changed since its launch was asked for.' });
    if (recipients > agreed) {
      const message = `The audience has grown from ${agreed} to ${recipients} since the launch was asked for.`;
      throw new ApiError('CONFLICT', { message });
    }
    const { operationSid } = await launch(t, row, approvalSid);
    return { campaignSid, operationSid };
  },
});

async function launch(t: TenantTx, row: CampaignRow, approvalSid: string | null): Promise<Campaign> {
  const { fallbackTimezone } = await settingsOf(t);
  const budget = await budgetInWallet(t, row.definition);
  const operation = await startOperation(t, runCampaign, { campaignSid: row.sid });
  const launched = await moveCampaign(t, row, 'launch', {
    also: sql`, approval_sid = ${approvalSid}, operation_sid = ${operation.sid}, fallback_timezone = ${fallbackTimezone},
      budget_minor = ${budget?.limitMinor.toString() ?? null}::bigint, budget_currency = ${budget?.currency ?? null},
      budget_scale = ${budget?.scale ?? null}, launched_by = ${principalName(t.principal)}, launched_at = ${t.now}`,
  });
  return toCampaign(t, launched);
}
