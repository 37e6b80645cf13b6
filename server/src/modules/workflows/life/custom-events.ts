// What a business tells of itself, so that workflows can hear it.
import { type Static, Type } from 'typebox';
import type { TenantTx } from '../../../platform/db/database.ts';
import { invalid } from '../../../platform/errors/errors.ts';
import { emit } from '../../../platform/events.ts';
import { NamedObject, Sid } from '../../../platform/http/input/schema.ts';
import { survivorOf } from '../../contacts/index.ts';
import type { CustomEvent } from '../definition/schema.ts';
import { customEvents } from '../resources/events.ts';

const maxPayloadBytes = 16 * 1024;

export const NewCustomEvent = NamedObject('CreateWorkflowEventRequest', {
  eventType: Type.String({ pattern: '^CUSTOM_[A-Z0-9_]{1,57}$' }),
  contactSid: Sid('CT'),
  payload: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true })),
});
export type NewCustomEvent = Static<typeof NewCustomEvent>;

export function judgePayload({ payload = {} }: NewCustomEvent): void {
  if (Buffer.byteLength(JSON.stringify(payload)) <= maxPayloadBytes) return;
  throw invalid({ path: 'payload', issue: `must be at most ${maxPayloadBytes / 1024} KiB as JSON` });
}

export async function tellCustomEvent(
  t: TenantTx,
  { eventType, contactSid, payload = {} }: NewCustomEvent,
): Promise<CustomEvent> {
  const event: CustomEvent = {
    object: 'custom_event',
    accountSid: t.accountSid,
    livemode: t.livemode,
    eventType,
    contactSid: await survivorOf(t, contactSid),
    payload,
    createdAt: t.now.toISOString(),
  };
  emit(t, customEvents.event, event);
  return event;
}
