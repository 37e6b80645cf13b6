// One merge: what moved, and taking it back while that can be done.
import type { ContactMerge } from '@godwit/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Asked } from '../../../shell/asked.tsx';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { SureButton } from '../../../ui/sure-button.tsx';
import { useFormats, useWords } from '../../../words/words.tsx';
import { ContactLink } from '../contact-link.tsx';
import { Belongings } from './belongings.tsx';
import { MergeStatus } from './merge-status.tsx';

export function MergeRecordPage() {
  const { merge: id } = useParams({ from: '/$environment/$account/merges/$merge' });
  const words = useWords().merges;
  const { api } = useWorkspace();
  return (
    <Asked name={['contacts', 'merges', id]} load={() => api.contacts.getMerge(id)}>
      {(merge) => (
        <div className="grid gap-4">
          <h1>{words.one}</h1>
          <What merge={merge} />
          <Panel title={words.belongings}>
            <div className="grid gap-3 sm:grid-cols-3">
              <Belongings label={words.moved} of={merge.moved} />
              {merge.movedBack && <Belongings label={words.movedBack} of={merge.movedBack} />}
              {merge.stayed && <Belongings label={words.stayed} of={merge.stayed} />}
            </div>
          </Panel>
        </div>
      )}
    </Asked>
  );
}

function What({ merge }: { merge: ContactMerge }) {
  const words = useWords().merges;
  const { time } = useFormats();
  const { survivorContactSid, mergedContactSid, reason, mergedBy, createdAt, revertibleUntil } = merge;
  const { revertedAt, revertedBy } = merge;
  const facts: Fact[] = [
    [words.status, <MergeStatus key="status" status={merge.status} />],
    [words.survivor, <ContactLink key="survivor" sid={survivorContactSid} />],
    [words.merged, <ContactLink key="merged" sid={mergedContactSid} />],
    [words.reason, reason],
    [words.when, time(createdAt)],
    [words.by, mergedBy],
    ...(revertedAt
      ? [[words.takenBack, `${time(revertedAt)} ${revertedBy ?? ''}`] as const]
      : [[words.until, time(revertibleUntil)] as const]),
  ];
  return (
    <Panel title={words.facts}>
      <Facts facts={facts} />
      {!revertedAt && <Revert id={merge.id} />}
    </Panel>
  );
}

function Revert({ id }: { id: string }) {
  const words = useWords().merges;
  const { api, can, key } = useWorkspace();
  const queries = useQueryClient();
  const revert = useMutation({
    mutationFn: () => api.contacts.revertMerge(id),
    onSettled: () => queries.invalidateQueries({ queryKey: [...key, 'contacts'] }),
  });
  if (!can('revertContactMerge')) return null;
  return (
    <div className="mt-3 grid gap-3 justify-items-start">
      <SureButton
        label={words.takeBack}
        sure={words.takeBackSurely}
        busy={revert.isPending}
        onSure={() => revert.mutate()}
      />
      {revert.error && <ProblemPanel error={revert.error} />}
    </div>
  );
}
