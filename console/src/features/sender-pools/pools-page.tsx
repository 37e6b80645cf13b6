// Senders that share the work.
import type { CreateSenderPoolRequest, SenderPool } from '@godwit/sdk';
import { Link, useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { issueAt } from '../../api/problem.ts';
import { useAct } from '../../shell/act.ts';
import { CursorList } from '../../shell/cursor-list.tsx';
import { MakingHead } from '../../shell/making.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Field } from '../../ui/field.tsx';
import { FormEnd } from '../../ui/form-end.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { useFormats } from '../../words/words.tsx';

export function PoolsPage() {
  const words = useResourceWords().pools;
  const { api } = useWorkspace();
  return (
    <div className="grid gap-4">
      <MakingHead
        title={words.title}
        make={words.make}
        by="createSenderPool"
        form={(close) => <NewPool onCancel={close} />}
      />
      <CursorList
        name={['sender-pools', 'all']}
        load={(page) => api.senderPools.list(page)}
        none={words.none}
      >
        {(pools) => <Pools pools={pools} />}
      </CursorList>
    </div>
  );
}

function NewPool({ onCancel }: { onCancel(): void }) {
  const words = useResourceWords().pools;
  const { api, here } = useWorkspace();
  const navigate = useNavigate();
  const make = useAct(
    'sender-pools',
    (meant: CreateSenderPoolRequest) => api.senderPools.create(meant),
    ({ sid }) => navigate({ to: '/$environment/$account/pools/$pool', params: { ...here, pool: sid } }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    make.mutate({ name: String(new FormData(event.currentTarget).get('name')).trim() });
  };
  const { error } = make;
  return (
    <Panel title={words.make}>
      <form className="grid max-w-2xl gap-3" onSubmit={submit}>
        <Field label={words.name} name="name" issue={issueAt(error, 'name')} autoFocus required />
        {error && <ProblemPanel error={error} fields={['name']} />}
        <FormEnd submit={words.create} cancel={words.cancel} busy={make.isPending} onCancel={onCancel} />
      </form>
    </Panel>
  );
}

function Pools({ pools }: { pools: SenderPool[] }) {
  const words = useResourceWords().pools;
  const { number, time } = useFormats();
  const { here } = useWorkspace();
  return (
    <Table columns={[words.name, words.members, words.contacts, words.changed]}>
      {pools.map(({ sid, name, members, updatedAt }) => (
        <Row key={sid}>
          <Cell className="max-w-72 wrap-anywhere">
            <Link
              to="/$environment/$account/pools/$pool"
              params={{ ...here, pool: sid }}
              className="text-accent underline"
            >
              {name}
            </Link>
          </Cell>
          <Cell className="tabular-nums">{number(members.length)}</Cell>
          <Cell className="tabular-nums">
            {number(members.reduce((sum, { assignedContacts }) => sum + assignedContacts, 0))}
          </Cell>
          <Cell className="whitespace-nowrap">{time(updatedAt)}</Cell>
        </Row>
      ))}
    </Table>
  );
}
