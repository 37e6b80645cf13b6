// What waits, or waited, for a second person.
import type { Approval } from '@godwit/sdk';
import { Link } from '@tanstack/react-router';
import { CursorList } from '../../shell/cursor-list.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { State } from './state.tsx';

export function ApprovalsPage() {
  const words = useWords().approvals;
  const { api } = useWorkspace();
  return (
    <div className="grid gap-4">
      <PageHead title={words.title} />
      <CursorList name={['approvals']} load={(page) => api.approvals.list(page)} none={words.none}>
        {(approvals) => <Rows approvals={approvals} />}
      </CursorList>
    </div>
  );
}

function Rows({ approvals }: { approvals: Approval[] }) {
  const words = useWords().approvals;
  const { time } = useFormats();
  const { here } = useWorkspace();
  return (
    <Table columns={[words.when, words.action, words.summary, words.by, words.state]}>
      {approvals.map(({ sid, createdAt, action, summary, requestedBy, state }) => (
        <Row key={sid}>
          <Cell className="whitespace-nowrap">
            <Link
              to="/$environment/$account/approvals/$approval"
              params={{ ...here, approval: sid }}
              className="text-accent underline"
            >
              {time(createdAt)}
            </Link>
          </Cell>
          <Cell>
            <code>{action}</code>
          </Cell>
          <Cell className="max-w-md wrap-anywhere">{summary}</Cell>
          <Cell className="wrap-anywhere">{requestedBy}</Cell>
          <Cell>
            <State state={state} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}
