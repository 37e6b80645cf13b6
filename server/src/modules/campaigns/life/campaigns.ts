// The life of a draft: written, changed, deleted. What was launched never changes.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { type EventType, emit } from '../../../platform/events.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { newSid } from '../../../platform/ids.ts';
import { principalName } from '../../../platform/principal.ts';
import { audit } from '../../audit/index.ts';
import type { Definition } from '../draft/definition.ts';
import { judgeAudience, judgeDefinition, judgeNamed } from '../draft/judge.ts';
import { campaignEvents } from '../events.ts';
import {
  type CampaignRow,
  columns,
  contactSidsOf,
  findCampaign,
  here,
  lockCampaign,
  toCampaign,
} from '../resource/rows.ts';
import { useSegment } from '../resource/segment-use.ts';
import type { Campaign, CampaignChange, CampaignQuery, GivenAudience, NewCampaign } from '../schema.ts';

type Drafted = { name: string; audience: GivenAudience; definition: Definition };

export async function createCampaign(
  t: TenantTx,
  { name, audience, ...definition }: NewCampaign,
): Promise<Campaign> {
  const sid = newSid('CP', t.now);
  await judge(t, sid, { name, audience, definition });
  const row = await t.one<CampaignRow>(sql`
    insert into campaigns (account_sid, livemode, sid, name, state, segment_sid, contact_sids, definition, created_by, created_at,
      updated_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${name}, 'DRAFT', ${audience.segmentSid ?? null},
      ${audience.contactSids ?? null}::text[], ${JSON.stringify(definition)}::json, ${principalName(t.principal)}, ${t.now}, ${t.now})
    returning ${columns}`);
  return announce(t, campaignEvents.created, row, audience.contactSids);
}

/** Everything that is wrong with it is told at once. The segment it names stays while it does. */
async function judge(t: TenantTx, sid: string, { audience, definition }: Drafted): Promise<void> {
  await useSegment(t, sid, audience.segmentSid ?? null);
  const issues = [
    ...judgeDefinition(definition, t.now),
    ...(await judgeNamed(t, definition)),
    ...(await judgeAudience(t, audience)).issues,
  ];
  if (issues.length > 0) throw invalid(...issues);
}

/** What is left out stays as it was; null takes away. A message replaces variants, and the other way round. */
export async function changeCampaign(t: TenantTx, sid: string, change: CampaignChange): Promise<Campaign> {
  const row = await lockDraft(t, sid, 'changed');
  const { name = row.name, audience = await audienceOf(t, row), ...changes } = change;
  const definition = changed(row.definition, changes);
  await judge(t, sid, { name, audience, definition });
  const written = await t.one<CampaignRow>(sql`
    update campaigns set name = ${name}, version = version + 1, approval_sid = null, segment_sid = ${audience.segmentSid ?? null},
      contact_sids = ${audience.contactSids ?? null}::text[], definition = ${JSON.stringify(definition)}::json, updated_at = ${t.now}
     where ${here(t, sid)} and state = 'DRAFT'
    returning ${columns}`);
  return announce(t, campaignEvents.updated, written, audience.contactSids);
}

export async function audienceOf(t: TenantTx, row: CampaignRow): Promise<GivenAudience> {
  if (row.segmentSid !== null) return { segmentSid: row.segmentSid };
  return { contactSids: (await contactSidsOf(t, row.sid))! };
}

function changed(before: Definition, changes: Omit<CampaignChange, 'name' | 'audience'>): Definition {
  const { message, variants, ...kept } = before;
  const replaces = changes.message !== undefined || changes.variants !== undefined;
  const whole = { ...kept, ...(replaces ? {} : { message, variants }), ...changes };
  return Object.fromEntries(
    Object.entries(whole).filter(([, value]) => value !== null && value !== undefined),
  ) as Definition;
}

async function lockDraft(t: TenantTx, sid: string, done: string): Promise<CampaignRow> {
  const row = await lockCampaign(t, sid);
  if (row.state === 'DRAFT') return row;
  throw new ApiError('CONFLICT', { message: `The campaign is ${row.state}: only a draft can be ${done}.` });
}

export async function deleteCampaign(t: TenantTx, sid: string): Promise<void> {
  const row = await lockDraft(t, sid, 'deleted');
  await useSegment(t, sid, null);
  await t.run(sql`delete from campaigns where ${here(t, sid)} and state = 'DRAFT'`);
  announce(t, campaignEvents.deleted, row);
}

function announce(
  t: TenantTx,
  type: EventType<Campaign>,
  row: CampaignRow,
  contactSids: string[] | null = null,
): Campaign {
  const { sid, version } = row;
  audit(t, { action: type.name, resource: sid, facts: { version } });
  emit(t, type, toCampaign(t, row));
  return toCampaign(t, row, contactSids);
}

export async function getCampaign(t: TenantTx, sid: string): Promise<Campaign> {
  const row = await findCampaign(t, sid);
  return toCampaign(t, row, row.contactCount === null ? null : await contactSidsOf(t, sid));
}

/** The newest first. */
export async function listCampaigns(t: TenantTx, { state = undefined }: CampaignQuery, pager: Pager) {
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<CampaignRow>(sql`
    select ${columns} from campaigns
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and (${before}::text is null or sid < ${before})
       and (${state ?? null}::text is null or state = ${state ?? null})
     order by sid desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ sid }) => [sid],
    (row) => toCampaign(t, row),
  );
}
