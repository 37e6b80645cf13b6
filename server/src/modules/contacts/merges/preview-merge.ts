// What merging would do, found out by merging and taking it back: another account of the same would one day tell something else.
import type { Outside } from '../../../platform/http/operations/operation.ts';
import { getContact } from '../contacts.ts';
import type { ContactHooks } from '../hooks.ts';
import type { ContactMergePreview } from '../schema.ts';
import { mergeContacts } from './merge-contacts.ts';

/** Thrown so that nothing of the merge is committed: no row, no event, no line of the audit log. */
class TakenBack extends Error {
  readonly preview: ContactMergePreview;

  constructor(preview: ContactMergePreview) {
    super('a preview was taken back');
    this.preview = preview;
  }
}

export async function previewMerge(
  call: Outside,
  hooks: ContactHooks,
  survivorSid: string,
  mergeContactSid: string,
): Promise<ContactMergePreview> {
  try {
    return await call.write(async (t) => {
      const merge = await mergeContacts(t, hooks, survivorSid, { mergeContactSid, reason: 'Preview' });
      const { accountSid, livemode, survivorContactSid, mergedContactSid, moved, revertibleUntil } = merge;
      throw new TakenBack({
        object: 'contact_merge_preview',
        accountSid,
        livemode,
        survivorContactSid,
        mergedContactSid,
        moved,
        survivor: await getContact(t, hooks, survivorSid),
        revertibleUntil,
      });
    });
  } catch (error) {
    if (error instanceof TakenBack) return error.preview;
    throw error;
  }
}
