// What an account has decided for all its campaigns, per environment.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { principalName } from '../../../platform/principal.ts';
import { audit } from '../../audit/index.ts';
import { isTimeZone } from '../../contacts/index.ts';
import type { CampaignSettings, SettingsChange } from '../schema.ts';

type Settings = Pick<CampaignSettings, 'approvalAbove' | 'fallbackTimezone' | 'updatedAt'>;

const untouched: Settings = { approvalAbove: 10_000, fallbackTimezone: 'UTC', updatedAt: null };

export async function settingsOf(t: TenantTx): Promise<Settings> {
  const found = await t.maybe<Settings>(sql`
    select approval_above as "approvalAbove", fallback_timezone as "fallbackTimezone", updated_at as "updatedAt"
      from campaign_settings where account_sid = ${t.accountSid} and livemode = ${t.livemode}`);
  return found ?? untouched;
}

const told = ({ accountSid, livemode }: TenantTx, settings: Settings): CampaignSettings => ({
  object: 'campaign_settings',
  accountSid,
  livemode,
  ...settings,
});

export const getSettings = async (t: TenantTx): Promise<CampaignSettings> => told(t, await settingsOf(t));

export async function changeSettings(t: TenantTx, change: SettingsChange): Promise<CampaignSettings> {
  const before = await settingsOf(t);
  const { approvalAbove = before.approvalAbove, fallbackTimezone = before.fallbackTimezone } = change;
  if (!isTimeZone(fallbackTimezone))
    throw invalid({ path: 'fallbackTimezone', issue: 'must be a time zone such as Europe/Paris' });
  if (isMore(approvalAbove, before.approvalAbove)) refuseAllButOwners(t);
  const after = { approvalAbove, fallbackTimezone, updatedAt: t.now.toISOString() };
  await t.run(sql`
    insert into campaign_settings (account_sid, livemode, approval_above, fallback_timezone, updated_by, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${approvalAbove}, ${fallbackTimezone}, ${principalName(t.principal)}, ${t.now})
    on conflict (account_sid, livemode) do update set approval_above = excluded.approval_above,
      fallback_timezone = excluded.fallback_timezone, updated_by = excluded.updated_by, updated_at = excluded.updated_at`);
  const { updatedAt: _, ...facts } = after;
  audit(t, {
    action: 'campaign_settings.changed',
    facts: { ...facts, approvedAboveBefore: before.approvalAbove },
  });
  return told(t, after);
}

const isMore = (asked: number | null, before: number | null) =>
  before !== null && (asked === null || asked > before);

/** Whoever launches campaigns could otherwise first do away with the second person. */
function refuseAllButOwners(t: TenantTx): void {
  if (!t.livemode || t.principal.scopesOn(t.accountSid)?.has('organization:own')) return;
  throw new ApiError('AUTHORIZATION_ERROR', {
    details: [{ path: 'approvalAbove', issue: 'is raised by an owner of the organization only' }],
  });
}
