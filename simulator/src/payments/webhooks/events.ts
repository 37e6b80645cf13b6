// What happened, as it was when it happened: kept for thirty days, and told to whoever listens.
import { apiVersion, newId, nowS, type Payments } from '../objects/payments.ts';
import type { EventRow } from '../objects/rows.ts';

const keptS = 30 * 86_400;

export function keepEvent(payments: Payments, type: string, object: object, previous?: object): EventRow {
  const { events } = payments.tables;
  const createdS = nowS(payments);
  for (const [id, { created }] of events) {
    if (created > createdS - keptS) break;
    events.delete(id);
  }
  const event: EventRow = {
    id: newId(payments, 'evt'),
    object: 'event',
    api_version: apiVersion,
    created: createdS,
    data: { object: structuredClone(object), ...(previous && { previous_attributes: previous }) },
    livemode: payments.livemode,
    pending_webhooks: 0,
    request: payments.cause ?? { id: null, idempotency_key: null },
    type: type as EventRow['type'],
  };
  events.set(event.id, event);
  payments.changed();
  return event;
}
