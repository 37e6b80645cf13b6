// The run of an account: a chunk is a stretch of a thousand messages, and commits with the place it ended at.
//
//   EVENTS     the event log first: what it still tells afterwards waits for somebody, and is blanked with its message
//   MESSAGES   those of which nothing stays
//   CONTENTS   those that lose only what was said in them
//   ANALYTICS  numbers of days
//
// Every transaction reads the policy again and asks for holds again: what somebody was told is kept, is.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { emit } from '../../platform/events.ts';
import { Closed } from '../../platform/http/input/schema.ts';
import { countDaysBefore, removeAggregatesBefore } from '../analytics/index.ts';
import { removing } from '../legal-holds/index.ts';
import {
  endOfBatch,
  exceptionsIn,
  type Files,
  firstWithContent,
  removeContents,
  removeCopies,
  removeMessages,
  removeRest,
  type Stretch,
} from '../messages/index.ts';
import { type Chunk, defineOperationType, type OperationContext } from '../operations/index.ts';
import { trimHistory } from '../webhooks/index.ts';
import { retentionEvents } from './events.ts';
import { readPolicy } from './policy.ts';
import { dayOf, stretchesOf } from './preview.ts';
import { addToRun, endRun } from './runs.ts';
import { cutoffsAt } from './windows.ts';

const batch = 1_000;
const phases = ['EVENTS', 'MESSAGES', 'CONTENTS', 'ANALYTICS'] as const;
type Phase = (typeof phases)[number];
type Checkpoint = { phase: Phase; from: string };

export const retentionRun = defineOperationType({
  type: 'retention.run',
  input: Closed({}),
  cancelable: false,
  async *chunks(context, { sid }, checkpoint) {
    const reached = (checkpoint ?? { phase: phases[0], from: '' }) as Checkpoint;
    for (const phase of phases.slice(phases.indexOf(reached.phase))) {
      const from = phase === reached.phase ? reached.from : '';
      if (phase === 'EVENTS') await trimEvents(context);
      else if (phase === 'ANALYTICS') yield* analyticsChunks(context, sid);
      else yield* messageChunks(context, sid, phase, from);
    }
  },
  async finish(t, { sid }) {
    const run = await endRun(t, sid);
    emit(t, retentionEvents.completed, run);
    return run.removed;
  },
});

/** Nothing is counted here, and trimming again changes nothing: so it needs no place to go on from. */
async function trimEvents({ write, signal }: OperationContext): Promise<void> {
  for (let more = true; more && !signal.aborted; )
    more = await write(async (t) => {
      const { messageContent } = await cutoffsInForce(t, sql`for share`);
      return messageContent !== null && (await trimHistory(t, messageContent));
    });
}

async function cutoffsInForce(t: TenantTx, lock?: Sql) {
  return cutoffsAt(t.now, (await readPolicy(t, lock)).inForce);
}

type MessagePhase = 'MESSAGES' | 'CONTENTS';

/** What the policy lets go at this moment, from where the run has come to. */
async function stretchNow(t: TenantTx, phase: MessagePhase, from: string, lock?: Sql): Promise<Stretch> {
  const { inForce, contentGoneBefore } = await readPolicy(t, lock);
  const { rows, contents } = stretchesOf(cutoffsAt(t.now, inForce), contentGoneBefore);
  const stretch = phase === 'MESSAGES' ? rows : contents;
  return from > stretch.from ? { ...stretch, from } : stretch;
}

async function* messageChunks(
  { read }: OperationContext,
  operationSid: string,
  phase: MessagePhase,
  reached: string,
): AsyncGenerator<Chunk> {
  for (let from = reached; ; ) {
    const begin = from;
    const next = await read(async (t) => {
      const stretch = await stretchNow(t, phase, begin);
      const end = await endOfBatch(t, stretch, batch);
      return end && { from: stretch.from, before: behind(end.last), withContent: end.withContent };
    });
    if (next === null) return;
    from = next.before;
    yield {
      checkpoint: { phase, from } satisfies Checkpoint,
      apply: (t) =>
        phase === 'MESSAGES' ? messageBatch(t, operationSid, next) : contentBatch(t, operationSid, next),
    };
  }
}

/** The least text that sorts behind a SID. */
const behind = (sid: string) => `${sid}0`;

type Planned = Stretch & { withContent: number };

/** As far as the policy still lets it go. What is asked here is asked at once, and answered in this order. */
async function beginBatch(t: TenantTx, phase: MessagePhase, { from, before }: Planned) {
  const [, allowed, exceptions] = await Promise.all([
    removing(t),
    stretchNow(t, phase, from, sql`for share`),
    exceptionsIn(t),
  ]);
  const stretch: Stretch = { from, before: allowed.before < before ? allowed.before : before };
  return { stretch, exceptions };
}

async function messageBatch(t: TenantTx, operationSid: string, planned: Planned) {
  const { stretch, exceptions } = await beginBatch(t, 'MESSAGES', planned);
  const sids = await removeMessages(t, stretch, exceptions);
  const [files] = await Promise.all([
    removeCopies(t, sids),
    removeRest(t, sids),
    addToRun(t, operationSid, { messages: sids.length }),
  ]);
  return endBatch(t, operationSid, sids, files);
}

async function contentBatch(t: TenantTx, operationSid: string, planned: Planned) {
  const { stretch, exceptions } = await beginBatch(t, 'CONTENTS', planned);
  const sids = await removeContents(t, stretch, exceptions);
  const firstLeft = sids.length < planned.withContent ? await firstWithContent(t, stretch) : null;
  const added = { messageContents: sids.length, firstLeft, contentsUntil: stretch.before };
  const [files] = await Promise.all([removeCopies(t, sids), addToRun(t, operationSid, added)]);
  return endBatch(t, operationSid, sids, files);
}

/** Few messages carry files. */
async function endBatch(t: TenantTx, operationSid: string, sids: readonly string[], { files, bytes }: Files) {
  if (files > 0) await addToRun(t, operationSid, { mediaFiles: files, mediaBytes: bytes });
  return { done: sids.length, failed: 0 };
}

async function* analyticsChunks({ read }: OperationContext, operationSid: string): AsyncGenerator<Chunk> {
  // Looked at while the one before is written, so that the last may find nothing.
  while (await read(async (t) => (await daysOver(t)).days > 0))
    yield {
      checkpoint: { phase: 'ANALYTICS', from: '' } satisfies Checkpoint,
      apply: (t) => removeDays(t, operationSid),
    };
}

async function daysOver(t: TenantTx, lock?: Sql) {
  const { analytics } = await cutoffsInForce(t, lock);
  return { analytics, days: analytics === null ? 0 : await countDaysBefore(t, dayOf(analytics)) };
}

async function removeDays(t: TenantTx, operationSid: string) {
  const { analytics, days } = await daysOver(t, sql`for share`);
  if (analytics === null || days === 0) return { done: 0, failed: 0 };
  await removeAggregatesBefore(t, dayOf(analytics));
  const gone = days - (await countDaysBefore(t, dayOf(analytics)));
  await addToRun(t, operationSid, { analyticsDays: gone });
  return { done: gone, failed: 0 };
}
