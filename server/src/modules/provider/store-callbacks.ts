// Callbacks are stored before they are acknowledged. Those that arrive while others are being committed share the next
// commit, so that thousands a second cost a few hundred waits for the disk.
import type { Database } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { gatherer } from '../../platform/http/operations/gathering.ts';

export type NewCallback = {
  livemode: boolean;
  body: Buffer;
  receivedAt: Date;
  /** Somebody asks in it to be left alone. */
  urgent: boolean;
};

/** Where it is told that callbacks are stored: opt-outs wait for none of the others. */
export const channelOf = (urgent: boolean): string => (urgent ? 'provider-opt-outs' : 'provider-callbacks');

const mostTogether = 512;
// What may wait for the disk at one time. Beyond it the provider is asked to come again, which it does for days.
const mostWaitingBytes = 48 * 1024 * 1024;

export type CallbackStore = (callback: NewCallback) => Promise<void>;

export function callbackStore(database: Database): CallbackStore {
  let waitingBytes = 0;
  const gather = gatherer<NewCallback, void>({ most: mostTogether }, async (_lane, callbacks) => {
    const groups = Map.groupBy(callbacks, ({ urgent }) => urgent);
    await database.system(async (s) => {
      for (const [urgent, group] of groups) await s.run(insertion(group, urgent));
    });
    for (const urgent of groups.keys()) database.tell(channelOf(urgent));
    return callbacks.map(() => ({ result: undefined }));
  });
  return async (callback) => {
    const { length } = callback.body;
    if (waitingBytes + length > mostWaitingBytes) throw new ApiError('INTERNAL_TEMPORARY_ERROR');
    waitingBytes += length;
    try {
      await gather('callbacks', callback);
    } finally {
      waitingBytes -= length;
    }
  };
}

/** All bodies travel as one value and are cut apart there: as bytes, not as text twice their length. */
function insertion(callbacks: NewCallback[], urgent: boolean) {
  let end = 1;
  const starts = callbacks.map(({ body }) => {
    const start = end;
    end += body.length;
    return start;
  });
  return sql`
    with stored as (
      insert into provider_callbacks (livemode, received_at, body)
      select item.livemode, item.received_at, substring(${Buffer.concat(callbacks.map(({ body }) => body))}::bytea
        from item.start for item.bytes)
        from unnest(${callbacks.map(({ livemode }) => livemode)}::boolean[],
          ${callbacks.map(({ receivedAt }) => receivedAt)}::timestamptz[], ${starts}::integer[],
          ${callbacks.map(({ body }) => body.length)}::integer[]) as item (livemode, received_at, start, bytes)
      returning id, octet_length(body) as bytes)
    insert into provider_callback_work (id, state, bytes, due_at, urgent)
    select id, 'due', bytes, '-infinity', ${urgent} from stored`;
}
