// Who may be one person, and who was made one.
import type { ContactMerge } from '@godwit/sdk';
import { Link } from '@tanstack/react-router';
import { CursorList } from '../../../shell/cursor-list.tsx';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Cell, Row, Table } from '../../../ui/table.tsx';
import { useFormats, useWords } from '../../../words/words.tsx';
import { ContactLink } from '../contact-link.tsx';
import { Conflicts } from './conflicts.tsx';
import { MergeStatus } from './merge-status.tsx';

export function MergesPage() {
  const words = useWords().merges;
  const { api } = useWorkspace();
  return (
    <div className="grid gap-4">
      <h1>{words.title}</h1>
      <Conflicts />
      <Panel title={words.merges}>
        <CursorList
          name={['contacts', 'merges']}
          load={(page) => api.contacts.listMerges(page)}
          none={words.none}
        >
          {(merges) => <Merges merges={merges} />}
        </CursorList>
      </Panel>
    </div>
  );
}

function Merges({ merges }: { merges: ContactMerge[] }) {
  const words = useWords().merges;
  const { time } = useFormats();
  const { here } = useWorkspace();
  return (
    <Table columns={[words.when, words.survivor, words.merged, words.reason, words.status]}>
      {merges.map(({ id, createdAt, survivorContactSid, mergedContactSid, reason, status }) => (
        <Row key={id}>
          <Cell className="whitespace-nowrap">
            <Link
              to="/$environment/$account/merges/$merge"
              params={{ ...here, merge: id }}
              className="text-accent underline"
            >
              {time(createdAt)}
            </Link>
          </Cell>
          <Cell>
            <ContactLink sid={survivorContactSid} />
          </Cell>
          <Cell>
            <ContactLink sid={mergedContactSid} />
          </Cell>
          <Cell className="wrap-anywhere">{reason}</Cell>
          <Cell>
            <MergeStatus status={status} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}
