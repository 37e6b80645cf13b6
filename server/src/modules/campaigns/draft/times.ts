// When somebody may be written to: the moment that was asked for, on their own clock where that was asked for too, and not in their
// quiet hours.
import { localTime, minuteOf, momentThere, nextLocalTime } from '../../../platform/time/local-time.ts';
import type { QuietHours } from '../schema.ts';
import type { Definition } from './definition.ts';

// No place's clock is further behind.
const lastZoneMs = 12 * 60 * 60 * 1000;

/** What the clock on the wall shows, as it is written, whatever the offset behind it. */
const wallOf = (sendAt: string) => sendAt.slice(0, 19);

/** When a person in a zone is due. Where the moment has passed there, they are due at once. */
export function dueIn(zone: string, { sendAt, localTime: isLocal }: Definition, now: Date): Date {
  if (sendAt === undefined) return now;
  const at = isLocal ? momentThere(wallOf(sendAt), zone) : new Date(sendAt);
  if (!at) throw new Error(`there is no time zone ${zone}`);
  return at > now ? at : now;
}

/** The moment by which it has come everywhere. */
export const lastMomentOf = (sendAt: string, isLocal: boolean): Date =>
  isLocal ? new Date(Date.parse(`${wallOf(sendAt)}Z`) + lastZoneMs) : new Date(sendAt);

/** The end of the quiet hours it is in a zone now; null when it is not quiet there. */
export function quietUntil(zone: string, { from, to }: QuietHours, now: Date): Date | null {
  const at = now.toISOString();
  const local = localTime(at, zone);
  if (!local) throw new Error(`there is no time zone ${zone}`);
  const [begins, ends] = [minuteOf(from), minuteOf(to)];
  const { minute } = local;
  const isQuiet = begins < ends ? minute >= begins && minute < ends : minute >= begins || minute < ends;
  return isQuiet ? new Date(nextLocalTime(at, { at: to, timezone: zone })!) : null;
}
