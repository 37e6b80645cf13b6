// A template goes at once for whoever would send it, and is gone when the provider agrees. What was never submitted is gone
// at once.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { audit } from '../audit/index.ts';
import { refuseBusy } from './create-template.ts';
import { lockName } from './name-locks.ts';
import type { Template } from './schema.ts';
import { queueSubmission } from './submit-template.ts';
import { changeTemplate, lockTemplate, toTemplate } from './templates.ts';

export async function deleteTemplate(t: TenantTx, sid: string): Promise<Template> {
  const row = await lockTemplate(t, sid);
  // Asked twice: it is on its way already.
  if (row.status === 'PENDING_DELETION') return toTemplate(row);
  refuseBusy(row);
  if (row.status === 'DISABLED') {
    throw new ApiError('CONFLICT', { message: 'The provider does not delete a template it has disabled.' });
  }
  audit(t, { action: 'template.deleted', resource: sid, facts: { name: row.name, language: row.language } });
  const word = { saidAt: t.now, reason: 'deleted' };
  if (row.providerTemplateId === null) {
    const gone = { status: 'DELETED', deletedAt: t.now.toISOString() } as const;
    return toTemplate((await changeTemplate(t, row, gone, word))!);
  }
  await lockName(t, row);
  const revision = row.revision + 1;
  const going = {
    status: 'PENDING_DELETION',
    pendingChange: 'DELETE',
    proposed: { statusBefore: row.status },
    revision,
    failure: null,
  } as const;
  const changed = (await changeTemplate(t, row, going, word))!;
  queueSubmission(t, changed);
  return toTemplate(changed);
}
