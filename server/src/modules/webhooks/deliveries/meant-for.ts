// Which events `ev` are for which endpoints `e`: one answer for the fan-out, for what is sent again and for what was missed.
import { sql } from '../../../platform/db/query.ts';

/** A ping that was made for one endpoint, and sent to it by whoever made it. */
export const isOwnPing = sql`(ev.type = 'test.ping' and ev.data ->> 'endpointSid' is not null)`;

/** What is for one endpoint and goes to no other, whatever they subscribe to. */
export const isForOne = sql`(${isOwnPing} or ev.type = 'webhook_request.made')`;

/** What the endpoint subscribes to. A message may name one that hears of its statuses, whatever that one subscribes to. */
export const isMeantFor = sql`(case when ev.type = 'webhook_request.made' then ev.data ->> 'endpointSid' = e.sid
  else webhook_subscribes(e.event_filters, ev.type)
    or (ev.type like 'message.%' and ev.data ->> 'statusCallbackSid' = e.sid) end)`;
