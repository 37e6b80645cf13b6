// Work that takes a while: imports, exports, erasures, campaigns.
import type { Operation } from '@godwit/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { memo } from 'react';
import { CursorList } from '../../shell/cursor-list.tsx';
import { RowLink } from '../../shell/links/row-link.tsx';
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
  return (
    <Table columns={[words.when, words.type, words.state, words.progress]} reuseRows>
      {operations.map((operation) => (
        <OperationRow key={operation.sid} operation={operation} />
      ))}
    </Table>
  );
}

const OperationRow = memo(({ operation }: { operation: Operation }) => {
  const { time } = useFormats();
  const { here } = useWorkspace();
  return (
    <Row>
      <Cell className="whitespace-nowrap">
        <RowLink
          to="/$environment/$account/operations/$operation"
          params={{ ...here, operation: operation.sid }}
          className="text-accent underline"
        >
          {time(operation.createdAt)}
        </RowLink>
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
  );
});
