// Everything that is kept of a person, or what they gave themselves, copied store by store. A chunk is a page of one store, and commits
// with its place: whoever goes on after a crash copies nothing twice and leaves nothing out.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { personOf } from '../../contacts/index.ts';
import { type Chunk, defineOperationType, type OperationContext } from '../../operations/index.ts';
import { privacyRequestEvents } from '../events.ts';
import { announce, getRequest, here, moveRequest, note } from '../requests.ts';
import type { PrivacyRequest } from '../schema.ts';
import { type CopiedStore, copiedStores } from '../stores.ts';
import { aboutCopy } from './about.ts';
import { addPart, sizesOf } from './parts.ts';

// A message can hold 64 KiB: a page stays in memory whole.
const pageRows = 200;
const keptMs = 7 * 24 * 60 * 60 * 1000;
/** The part that says what the others are. */
export const aboutStore = 'about';

/** The store it has come to, and where in it; null when all of that store is copied. */
type Checkpoint = { store: string; next: string | null; position: number };

const isPortable = ({ kind }: PrivacyRequest) => kind === 'PORTABILITY';

export const privacyCopy = defineOperationType({
  type: 'privacy.copy',
  input: Closed({ requestSid: Sid('DR') }),
  // Whoever may stop operations may not have a say in what a person has a right to.
  cancelable: false,
  async *chunks(context, { input }, checkpoint) {
    const request = await context.write((t) => begin(t, input.requestSid));
    const reached = checkpoint as Checkpoint | null;
    const stores = copiedStores(isPortable(request));
    const place = stores.findIndex(({ name }) => name === reached?.store);
    let position = reached?.position ?? 0;
    let after = reached?.next ?? null;
    // What was copied to its end is behind us.
    for (const store of stores.slice(reached?.next === null ? place + 1 : Math.max(0, place))) {
      for await (const chunk of pagesOf(context, request, store, { after, position })) {
        yield chunk;
        position += 1;
      }
      after = null;
    }
  },
  async finish(t, { input }) {
    const request = await getRequest(t, input.requestSid, sql`for update`);
    const sizes = await sizesOf(t, request.sid);
    const about = await aboutCopy(t, request, copiedStores(isPortable(request)), sizes);
    await addPart(t, request.sid, { position: -1, store: aboutStore, entries: [about], files: [] });
    return complete(t, request.sid, Object.fromEntries(sizes.map(({ store, entries }) => [store, entries])));
  },
});

async function begin(t: TenantTx, requestSid: string): Promise<PrivacyRequest> {
  const started = await moveRequest(t, requestSid, 'start');
  return started ?? getRequest(t, requestSid);
}

/** What has nothing of the person makes no part. */
async function* pagesOf(
  { read, signal }: OperationContext,
  request: PrivacyRequest,
  { name, copy }: CopiedStore,
  from: { after: string | null; position: number },
): AsyncGenerator<Chunk> {
  let { after, position } = from;
  for (let more = true; more; ) {
    signal.throwIfAborted();
    const asked = { after, limit: pageRows, provided: isPortable(request) };
    const {
      entries,
      next,
      files = [],
    } = await read(async (t) => copy.page(t, await personOf(t, request.subject.contactSid!), asked));
    [after, more] = [next, next !== null];
    if (entries.length === 0) continue;
    const part = { position, store: name, entries, files };
    position += 1;
    yield {
      checkpoint: { store: name, next, position } satisfies Checkpoint,
      async apply(t) {
        await addPart(t, request.sid, part);
        return { done: entries.length, failed: 0 };
      },
    };
  }
}

async function complete(t: TenantTx, sid: string, counts: Record<string, number>) {
  const expiresAt = new Date(t.now.getTime() + keptMs);
  await t.run(sql`
    update privacy_requests set counts = ${JSON.stringify(counts)}::json, export_expires_at = ${expiresAt} where ${here(t, sid)}`);
  const completed = await moveRequest(t, sid, 'complete');
  if (!completed) throw new Error(`${sid} is copied and cannot be completed`);
  announce(t, privacyRequestEvents.completed, completed);
  note(t, 'privacy_request.completed', completed);
  return { requestSid: sid, counts, export: completed.export };
}
