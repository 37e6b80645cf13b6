// Contacts that may be one person: identifiers of one request belonged to both. Somebody decides.
import type { ContactConflict } from '@godwit/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CursorList } from '../../../shell/cursor-list.tsx';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { buttonClass } from '../../../ui/button.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { SureButton } from '../../../ui/sure-button.tsx';
import { Cell, Row, Table } from '../../../ui/table.tsx';
import { useFormats, useWords } from '../../../words/words.tsx';
import { ContactLink } from '../contact-link.tsx';

export function Conflicts() {
  const words = useWords().merges;
  const { api } = useWorkspace();
  return (
    <Panel title={words.conflicts}>
      <CursorList
        name={['contacts', 'conflicts']}
        load={(page) => api.contacts.listConflicts(page)}
        none={words.noConflict}
      >
        {(conflicts) => <Rows conflicts={conflicts} />}
      </CursorList>
    </Panel>
  );
}

function Rows({ conflicts }: { conflicts: ContactConflict[] }) {
  const words = useWords().merges;
  const { time } = useFormats();
  return (
    <Table columns={[words.when, words.both, words.disputed, words.decision]}>
      {conflicts.map((conflict) => (
        <Row key={conflict.id} data-conflict={conflict.resolution ?? conflict.status}>
          <Cell className="whitespace-nowrap">{time(conflict.createdAt)}</Cell>
          <Cell>
            {[conflict.contactSid, conflict.otherContactSid].map((sid) => (
              <span key={sid} className="block">
                <ContactLink sid={sid} />
              </span>
            ))}
          </Cell>
          <Cell className="wrap-anywhere">{conflict.identifiers.map(({ value }) => value).join(', ')}</Cell>
          <Cell>
            {conflict.status === 'open' ? <Decide conflict={conflict} /> : <Decided of={conflict} />}
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function Decided({ of: { resolution, mergeId, resolvedAt } }: { of: ContactConflict }) {
  const words = useWords().merges;
  const { time } = useFormats();
  const { here } = useWorkspace();
  const told = words.resolutions[resolution as keyof typeof words.resolutions] ?? resolution;
  return (
    <>
      {mergeId ? (
        <Link
          to="/$environment/$account/merges/$merge"
          params={{ ...here, merge: mergeId }}
          className="text-accent underline"
        >
          {told}
        </Link>
      ) : (
        told
      )}{' '}
      {resolvedAt && time(resolvedAt)}
    </>
  );
}

function Decide({ conflict: { id, contactSid, otherContactSid } }: { conflict: ContactConflict }) {
  const words = useWords().merges;
  const { api, can, here, key } = useWorkspace();
  const queries = useQueryClient();
  const resolve = useMutation({
    mutationFn: (action: 'merge' | 'dismiss') => api.contacts.resolveConflict(id, { action }),
    onSettled: () => queries.invalidateQueries({ queryKey: [...key, 'contacts'] }),
  });
  if (!can('resolveContactConflict')) return words.resolutions.open;
  // A SID tells when it was made; a merge keeps the older one.
  const [older, newer] = [contactSid, otherContactSid].sort() as [string, string];
  return (
    <div className="flex flex-wrap gap-2">
      {can('previewContactMerge') && (
        <Link
          to="/$environment/$account/contacts/$contact/merge"
          params={{ ...here, contact: older }}
          search={{ with: newer }}
          className={buttonClass()}
        >
          {words.look}
        </Link>
      )}
      <SureButton
        label={words.areOne}
        sure={words.areOneSurely}
        busy={resolve.isPending}
        onSure={() => resolve.mutate('merge')}
      />
      <SureButton
        label={words.areTwo}
        sure={words.areTwoSurely}
        busy={resolve.isPending}
        onSure={() => resolve.mutate('dismiss')}
      />
      {resolve.error && <ProblemPanel error={resolve.error} />}
    </div>
  );
}
