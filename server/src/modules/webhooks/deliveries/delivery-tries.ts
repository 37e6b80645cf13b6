// What was delivered of one resource's events, try by try: for its timeline.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';

/** One try to deliver an event to an endpoint; or a delivery that nothing was tried for yet. */
export type DeliveryTry = {
  deliverySid: string;
  endpointSid: string;
  eventSid: string;
  eventType: string;
  outcome: 'pending' | 'delivered' | 'failed';
  at: string;
  /** Counted per delivery; null when nothing was tried. */
  number: number | null;
  httpStatus: number | null;
  reason: string | null;
  durationMs: number | null;
};

/** Many endpoints that fail for days would fill an answer; the log of deliveries has them all. */
const most = 1_000;

export function deliveryTriesOf(t: TenantTx, resourceSid: string): Promise<DeliveryTry[]> {
  return t.many<DeliveryTry>(sql`
    select d.sid as "deliverySid", d.endpoint_sid as "endpointSid", d.event_sid as "eventSid",
      d.event_type as "eventType",
      case when a.number is not null then case when a.failure is null then 'delivered' else 'failed' end
        when u.due_at is not null then 'pending' else 'failed' end as outcome,
      coalesce(a.attempted_at, d.created_at) as at, a.number, a.status as "httpStatus", coalesce(a.reason, u.gave_up) as reason,
      a.duration_ms as "durationMs"
      from webhook_deliveries d
      left join webhook_attempts a on a.account_sid = d.account_sid and a.delivery_sid = d.sid
      left join webhook_undelivered u on u.account_sid = d.account_sid and u.delivery_sid = d.sid and a.number is null
     where d.account_sid = ${t.accountSid} and d.livemode = ${t.livemode} and d.resource_sid = ${resourceSid}
     order by d.event_sequence, d.sid, a.number limit ${most}`);
}
