// Work that takes a while: imports, exports, erasures, campaigns.
import type { Operation } from '@godwit/sdk';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { CursorList } from '../../shell/cursor-list.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Filter } from '../../ui/field.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { operationStates } from './filters.ts';
import { Progress, State } from './state.tsx';

const from = '/$environment/$account/operations' as const;

export function OperationsPage() {
  const words = useWords().operations;
  const { api } = useWorkspace();
  const { state } = useSearch({ from });
  const navigate = useNavigate({ from });
  return (
    <div className="grid gap-4">
      <h1>{words.title}</h1>
      <div className="max-w-xs">
        <Filter
          label={words.state}
          value={state}
          all={operationStates}
          names={words.states}
          onChange={(wanted) => navigate({ search: { state: wanted } })}
        />
      </div>
      <CursorList
        name={['operations', { state }]}
        load={(page) => api.operations.list({ state, sort: '-createdAt', ...page })}
        none={words.none}
      >
        {(operations) => <Rows operations={operations} />}
      </CursorList>
    </div>
  );
}

function Rows({ operations }: { operations: Operation[] }) {
  const words = useWords().operations;
  const { time } = useFormats();
  const { here } = useWorkspace();
  return (
    <Table columns={[words.when, words.type, words.state, words.progress]}>
      {operations.map((operation) => (
        <Row key={operation.sid}>
          <Cell className="whitespace-nowrap">
            <Link
              to="/$environment/$account/operations/$operation"
              params={{ ...here, operation: operation.sid }}
              className="text-accent underline"
            >
              {time(operation.createdAt)}
            </Link>
          </Cell>
          <Cell>
            <code>{operation.type}</code>
          </Cell>
          <Cell>
            <State state={operation.state} />
          </Cell>
          <Cell>
            <Progress of={operation} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}
