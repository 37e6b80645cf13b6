// What a run would remove, by the very conditions by which it removes.
import type { TenantTx } from '../../platform/db/database.ts';
import { firstSid } from '../../platform/ids.ts';
import { countDaysBefore } from '../analytics/index.ts';
import { countFiles, countRemovable, type Stretch } from '../messages/index.ts';
import type { Estimate } from './schema.ts';
import type { Cutoffs } from './windows.ts';

// What is counted while somebody waits.
const mostLookedAt = 200_000;

/** The messages that go, and those of which the content does. */
export function stretchesOf({ messageContent, messageMetadata }: Cutoffs, contentGoneBefore: string) {
  const sidAt = (cutoff: Date | null) => (cutoff === null ? '' : firstSid('SM', cutoff));
  const rows: Stretch = { from: '', before: sidAt(messageMetadata) };
  const contents: Stretch = { from: contentGoneBefore, before: sidAt(messageContent) };
  return { rows, contents };
}

/** As analytics call it. */
export const dayOf = (midnight: Date) => midnight.toISOString().slice(0, 10);

export async function estimate(t: TenantTx, cutoffs: Cutoffs, contentGoneBefore: string): Promise<Estimate> {
  const { rows, contents: all } = stretchesOf(cutoffs, contentGoneBefore);
  // What goes as a whole is not told a second time.
  const contents = rows.before > all.from ? { ...all, from: rows.before } : all;
  const messages = await countRemovable(t, 'messages', rows, mostLookedAt);
  const bodies = await countRemovable(t, 'contents', contents, mostLookedAt);
  const exact = messages.lookedAt < mostLookedAt && bodies.lookedAt < mostLookedAt;
  const files = exact ? await countFiles(t, rows, contents) : { files: 0, bytes: 0 };
  return {
    removes: {
      messageContents: bodies.removable,
      messages: messages.removable,
      mediaFiles: files.files,
      mediaBytes: files.bytes,
      analyticsDays: cutoffs.analytics === null ? 0 : await countDaysBefore(t, dayOf(cutoffs.analytics)),
    },
    heldBack: { messageContents: bodies.heldBack, messages: messages.heldBack },
    exact,
  };
}
