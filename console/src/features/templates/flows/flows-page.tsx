// The flows that were built at the provider and are known here.
import type { Flow, RegisterFlowRequest } from '@godwit/sdk';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { issueAt } from '../../../api/problem.ts';
import { useAct } from '../../../shell/act.ts';
import { CursorList } from '../../../shell/cursor-list.tsx';
import { MakingHead } from '../../../shell/making.tsx';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { Field, Filter } from '../../../ui/field.tsx';
import { FormEnd } from '../../../ui/form-end.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { Cell, Row, Table } from '../../../ui/table.tsx';
import { useResourceWords } from '../../../words/resources/words.ts';
import { useFormats } from '../../../words/words.tsx';
import { WabaField } from '../../resources/waba-field.tsx';
import { flowStatuses } from './filters.ts';
import { FlowStatus } from './status.tsx';

const from = '/$environment/$account/flows' as const;

export function FlowsPage() {
  const words = useResourceWords().flows;
  const { api } = useWorkspace();
  const { status } = useSearch({ from });
  const navigate = useNavigate({ from });
  return (
    <div className="grid gap-4">
      <MakingHead
        title={words.title}
        make={words.make}
        by="registerFlow"
        form={(close) => <Register onDone={close} />}
      />
      <div className="max-w-xs">
        <Filter
          label={words.status}
          value={status}
          all={flowStatuses}
          names={words.statuses}
          onChange={(wanted) => navigate({ search: { status: wanted } })}
        />
      </div>
      <CursorList
        name={['flows', { status }]}
        load={(page) => api.flows.list({ status, ...page })}
        none={words.none}
      >
        {(flows) => <Flows flows={flows} />}
      </CursorList>
    </div>
  );
}

function Register({ onDone }: { onDone(): void }) {
  const words = useResourceWords().flows;
  const { api } = useWorkspace();
  const [wabaSid, setWaba] = useState('');
  const register = useAct('flows', (meant: RegisterFlowRequest) => api.flows.register(meant), onDone);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const providerFlowId = String(new FormData(event.currentTarget).get('providerFlowId')).trim();
    register.mutate({ providerFlowId, ...(wabaSid && { wabaSid }) });
  };
  const { error } = register;
  return (
    <Panel title={words.make}>
      <form className="grid max-w-2xl gap-3" onSubmit={submit}>
        <Field
          label={words.providerId}
          name="providerFlowId"
          issue={issueAt(error, 'providerFlowId')}
          autoFocus
          required
        />
        <WabaField value={wabaSid} error={error} onChange={setWaba} />
        {error && <ProblemPanel error={error} fields={['providerFlowId', 'wabaSid']} />}
        <FormEnd submit={words.create} cancel={words.cancel} busy={register.isPending} onCancel={onDone} />
      </form>
    </Panel>
  );
}

function Flows({ flows }: { flows: Flow[] }) {
  const words = useResourceWords().flows;
  const { time } = useFormats();
  const { here } = useWorkspace();
  return (
    <Table columns={[words.name, words.status, words.endpoint, words.changed]}>
      {flows.map(({ sid, name, status, exchangesData, updatedAt }) => (
        <Row key={sid}>
          <Cell className="max-w-72 wrap-anywhere">
            <Link
              to="/$environment/$account/flows/$flow"
              params={{ ...here, flow: sid }}
              className="text-accent underline"
            >
              {name}
            </Link>
          </Cell>
          <Cell>
            <FlowStatus status={status} />
          </Cell>
          <Cell>{exchangesData ? words.yes : words.no}</Cell>
          <Cell className="whitespace-nowrap">{time(updatedAt)}</Cell>
        </Row>
      ))}
    </Table>
  );
}
