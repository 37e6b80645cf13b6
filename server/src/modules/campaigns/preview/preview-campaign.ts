// A preview at once where the audience is small, and as an operation with progress where it is not.
import type { TenantTx } from '../../../platform/db/database.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import type { TenantJobContext } from '../../../platform/jobs/jobs.ts';
import { accepted, type Chunk, defineOperationType, startOperation } from '../../operations/index.ts';
import { DraftPreview, type Part } from './preview-draft.ts';
import type { CampaignPreview } from './schema.ts';

type Read = TenantJobContext['read'];

const mostAtOnce = 5_000;

export async function previewCampaign(t: TenantTx, campaignSid: string) {
  const preview = await DraftPreview.of(t, campaignSid);
  if (preview.size >= mostAtOnce)
    return accepted(await startOperation(t, campaignPreview, { campaignSid }, { total: preview.size }));
  for (let people = await preview.next(t); people; people = await preview.next(t))
    preview.judge(await preview.lookUp(t, people));
  return preview.told(t);
}

/** How many are judged between two words of how far it is: each is a transaction. */
const toldEach = 5_000;

const judged = (done: number, checkpoint: object = {}): Chunk => ({
  checkpoint,
  apply: async () => ({ done, failed: 0 }),
});

/** How many parts are looked up at once, each in a transaction of its own: the database works while others are judged. */
const partsAtOnce = 2;

/** In the order of a launch. */
async function* partsOf(preview: DraftPreview, read: Read): AsyncGenerator<Part> {
  const most = preview.ahead ? partsAtOnce : 1;
  const coming: Promise<Part>[] = [];
  for (let people: string[] | null = []; ; ) {
    while (people && coming.length < most) {
      people = await read((t) => preview.next(t));
      if (people) coming.push(lookUp(preview, read, people));
    }
    const part = coming.shift();
    if (!part) return;
    yield await part;
  }
}

function lookUp(preview: DraftPreview, read: Read, people: string[]): Promise<Part> {
  const looking = read((t) => preview.lookUp(t, people));
  looking.catch(() => {}); // heard when it is awaited
  return looking;
}

/** What it has seen is in memory, and it has no effect but its result: after a crash it begins anew. */
export const campaignPreview = defineOperationType({
  type: 'campaigns.preview',
  input: Closed({ campaignSid: Sid('CP') }),
  resumable: false,
  async *chunks({ read, signal }, { input }): AsyncGenerator<Chunk> {
    const preview = await read((t) => DraftPreview.of(t, input.campaignSid));
    let untold = 0;
    for await (const part of partsOf(preview, read)) {
      signal.throwIfAborted();
      untold += preview.judge(part);
      if (untold < toldEach) continue;
      yield judged(untold);
      untold = 0;
    }
    yield judged(untold, { told: await read((t) => preview.told(t)) });
  },
  finish: async (_t, _operation, checkpoint) => (checkpoint as { told: CampaignPreview }).told,
});
