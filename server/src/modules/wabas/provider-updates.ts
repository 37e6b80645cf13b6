// What the provider tells about a whole business account: restrictions, bans, reviews, limits, and that it is gone. Each
// aspect takes only what is newer than what it last heard.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { emit } from '../../platform/events.ts';
import {
  type AccountUpdate,
  inForce,
  isNews,
  type Restriction,
  type Routed,
  saidAtOf,
  withSaidAt,
} from '../provider/index.ts';
import { endConnection } from './connection/end-connection.ts';
import { wabaEvents } from './events.ts';
import type { WabaHooks } from './hooks.ts';
import { applyLimits } from './limits.ts';
import { tellIfWorse } from './notifications.ts';
import { readMessagingLimit } from './portfolios.ts';
import { requestWabaFacts } from './read-waba.ts';
import { endings, requestReconnection } from './reconnect-waba.ts';
import { getWaba } from './resource.ts';
import { lockWaba, type Waba } from './wabas.ts';

const banStates: Record<string, Waba['banState']> = {
  SCHEDULE_FOR_DISABLE: 'SCHEDULED',
  DISABLE: 'DISABLED',
  REINSTATE: 'NONE',
};
/** After these the provider may let the account use another transport. */
const onboardings = new Set(['MM_LITE_TERMS_SIGNED', 'AD_ACCOUNT_LINKED']);

export const applyAccountUpdates =
  (hooks: WabaHooks) =>
  async (t: TenantTx, updates: readonly Routed<AccountUpdate>[]): Promise<void> => {
    for (const update of updates) await applyAccountUpdate(t, hooks, update);
  };

export async function applyAccountUpdate(
  t: TenantTx,
  hooks: WabaHooks,
  update: Routed<AccountUpdate>,
): Promise<void> {
  if (update.wabaSid === null) return;
  const waba = await lockWaba(t, update.wabaSid);
  const saidAt = saidAtOf(t, update.occurredAt);
  if (update.field === 'business_capability_update') return applyCapability(t, hooks, waba, update, saidAt);
  if (update.field === 'account_update' && onboardings.has(update.event ?? '')) {
    return requestWabaFacts(t, waba.sid);
  }
  const meant = meaningOf(waba, update);
  if (!meant || !(await applyNews(t, waba, meant, saidAt))) return;
  if (meant.returns) requestReconnection(t, waba.sid);
  else if (meant.about === 'connection' && meant.ends)
    await endConnection(t, hooks, waba.sid, update.event!, saidAt);
  else {
    const changed = await getWaba(t, hooks, waba.sid);
    emit(t, wabaEvents.updated, changed, saidAt);
    tellIfWorse(t, { ...waba, restrictions: inForce(waba.restrictions, t.now) }, changed);
  }
}

type Meaning = { about: string; set: Sql; ends?: boolean; returns?: boolean };

function meaningOf(waba: Waba, { field, event, banState, restrictions }: AccountUpdate): Meaning | null {
  if (field === 'account_review_update') return { about: 'review', set: sql`review_status = ${event}` };
  if (field !== 'account_update' || event === null) return null;
  if (event === 'ACCOUNT_RESTRICTION') {
    const kept = JSON.stringify(withRestrictions(waba.restrictions, restrictions));
    return { about: 'restrictions', set: sql`restrictions = ${kept}::jsonb` };
  }
  if (event === 'DISABLED_UPDATE' && banStates[banState ?? '']) {
    return { about: 'ban', set: sql`ban_state = ${banStates[banState!]}` };
  }
  if (event === 'ACCOUNT_RECONNECTED' && waba.connectionState === 'DISCONNECTED') {
    return { about: 'connection', set: sql`name = name`, returns: true };
  }
  if (!endings.includes(event)) return null;
  return { about: 'connection', set: sql`name = name`, ends: waba.connectionState === 'CONNECTED' };
}

/** A restriction told again replaces what was known of it. */
function withRestrictions(known: readonly Restriction[], told: AccountUpdate['restrictions']): Restriction[] {
  const next = new Map(known.map((restriction) => [restriction.type, restriction]));
  for (const { type, expiresAt } of told)
    next.set(type, { type, expiresAt: expiresAt?.toISOString() ?? null });
  return [...next.values()];
}

async function applyNews(t: TenantTx, waba: Waba, { about, set }: Meaning, saidAt: Date): Promise<boolean> {
  const touched = await t.run(sql`
    update wabas set ${set}, said_at = ${withSaidAt([about], saidAt)}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${waba.sid} and ${isNews(about, saidAt)}`);
  return touched > 0;
}

async function applyCapability(
  t: TenantTx,
  hooks: WabaHooks,
  waba: Waba,
  { messagingLimit, value }: AccountUpdate,
  saidAt: Date,
): Promise<void> {
  const { max_phone_numbers_per_business: cap, max_daily_conversations_per_business: daily } = value;
  await applyLimits(t, hooks, waba.portfolioId, {
    messagingLimit: readMessagingLimit(messagingLimit ?? (daily as string | number | undefined)),
    phoneNumberCap: Number.isInteger(cap) && (cap as number) >= 0 ? (cap as number) : null,
    saidAt,
  });
}
