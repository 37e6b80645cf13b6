// Every type of notification, as the modules declare them. Which modules there are is known where they are put together.
import type { TenantTx } from '../../platform/db/database.ts';
import { reactToEvents } from '../../platform/events.ts';
import type { NotificationType } from '../../platform/notifications.ts';
import { reactToActs } from '../audit/index.ts';
import { notify } from './notify.ts';

let known: ReadonlyMap<string, NotificationType> = new Map();

/** Told once, at the start: from then on what these come from is told with the transaction it happens in. */
export function knowNotificationTypes(types: readonly NotificationType[]): void {
  known = new Map(types.map((type) => [type.name, type]));
  reactToEvents(reactionsBy(types, ({ from }) => (from && 'event' in from ? from.event.name : null)));
  reactToActs(reactionsBy(types, ({ from }) => (from && 'action' in from ? from.action : null)));
}

function reactionsBy(
  types: readonly NotificationType[],
  sourceOf: (type: NotificationType) => string | null,
): Map<string, (t: TenantTx, data: object) => void> {
  const bySource = Map.groupBy(types, sourceOf);
  return new Map(
    [...bySource].flatMap(([source, from]) =>
      source === null ? [] : [[source, (t, data) => tellAll(t, from, data)] as const],
    ),
  );
}

function tellAll(t: TenantTx, types: NotificationType[], data: object): void {
  for (const type of types) {
    const notice = type.notice(data, t);
    if (notice) notify(t, type, notice);
  }
}

export const notificationTypes = (): NotificationType[] => [...known.values()];

/** One that a newer process wrote may be unknown here. */
export const notificationType = (name: string): NotificationType | null => known.get(name) ?? null;
