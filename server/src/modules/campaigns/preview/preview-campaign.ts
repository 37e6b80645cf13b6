// A preview at once where the audience is small, and as an operation with progress where it is not.
import type { TenantTx } from '../../../platform/db/database.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { accepted, type Chunk, defineOperationType, startOperation } from '../../operations/index.ts';
import { DraftPreview } from './preview-draft.ts';
import type { CampaignPreview } from './schema.ts';

const mostAtOnce = 5_000;

export async function previewCampaign(t: TenantTx, campaignSid: string) {
  const preview = await DraftPreview.of(t, campaignSid);
  if (preview.size >= mostAtOnce)
    return accepted(await startOperation(t, campaignPreview, { campaignSid }, { total: preview.size }));
  for (let part = await preview.load(t); part; part = await preview.load(t)) preview.judge(part);
  return preview.told(t);
}

/** How many are judged between two words of how far it is: each is a transaction. */
const toldEach = 5_000;

const judged = (done: number, checkpoint: object = {}): Chunk => ({
  checkpoint,
  apply: async () => ({ done, failed: 0 }),
});

/** What it has seen is in memory, and it has no effect but its result: after a crash it begins anew. */
export const campaignPreview = defineOperationType({
  type: 'campaigns.preview',
  input: Closed({ campaignSid: Sid('CP') }),
  resumable: false,
  async *chunks({ read, signal }, { input }): AsyncGenerator<Chunk> {
    const preview = await read((t) => DraftPreview.of(t, input.campaignSid));
    const load = () => {
      const loading = read((t) => preview.load(t));
      loading.catch(() => {}); // heard when it is awaited
      return loading;
    };
    let coming = load();
    let untold = 0;
    for (;;) {
      const part = await coming;
      signal.throwIfAborted();
      if (!part) break;
      // While the database looks up the next part this one is judged.
      if (preview.ahead) coming = load();
      untold += preview.judge(part);
      if (!preview.ahead) coming = load();
      if (untold < toldEach) continue;
      yield judged(untold);
      untold = 0;
    }
    yield judged(untold, { told: await read((t) => preview.told(t)) });
  },
  finish: async (_t, _operation, checkpoint) => (checkpoint as { told: CampaignPreview }).told,
});
