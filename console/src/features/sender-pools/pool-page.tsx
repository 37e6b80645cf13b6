// One pool: who is in it, with which share of the work.
import type { Sender, SenderPool, SenderPoolMember } from '@godwit/sdk';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { issueAt } from '../../api/problem.ts';
import { useAct } from '../../shell/act.ts';
import { Asked } from '../../shell/asked.tsx';
import { DeleteButton } from '../../shell/delete-button.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Choose, Field } from '../../ui/field.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { SureButton } from '../../ui/sure-button.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { useFormats } from '../../words/words.tsx';
import { SenderLink } from '../resources/sender-link.tsx';
import { SenderStatus } from '../resources/sender-status.tsx';

type Known = { pool: SenderPool; senders: Sender[] };

export function PoolPage() {
  const { pool: sid } = useParams({ from: '/$environment/$account/pools/$pool' });
  const { api } = useWorkspace();
  const load = async (): Promise<Known> => {
    const [pool, senders] = await Promise.all([api.senderPools.get(sid), api.senders.list({ limit: 100 })]);
    return { pool, senders: senders.data };
  };
  return (
    <Asked name={['sender-pools', sid]} load={load}>
      {(known) => <One {...known} />}
    </Asked>
  );
}

function One({ pool, senders }: Known) {
  const words = useResourceWords().pools;
  const { can } = useWorkspace();
  const isOpen = pool.deletedAt === null;
  return (
    <div className="grid gap-4">
      <PageHead title={pool.name}>{isOpen && can('deleteSenderPool') && <Delete sid={pool.sid} />}</PageHead>
      <p className="text-quiet">{isOpen ? words.help : words.deleted}</p>
      <Panel title={words.members}>
        {pool.members.length === 0 ? (
          <p className="text-quiet">{words.noMember}</p>
        ) : (
          <Table columns={[words.sender, words.status, words.contacts, words.share]}>
            {pool.members.map((member) => (
              <Member
                key={member.senderSid}
                pool={pool}
                member={member}
                name={nameOf(senders.find(({ sid }) => sid === member.senderSid)) ?? member.senderSid}
              />
            ))}
          </Table>
        )}
      </Panel>
      {isOpen && can('setSenderPoolMember') && <Add pool={pool} senders={senders} />}
      {isOpen && can('updateSenderPool') && <Rename pool={pool} />}
    </div>
  );
}

const nameOf = (sender: Sender | undefined) => sender && `${sender.displayName} ${sender.phoneNumber}`;

function Member({ pool, member, name }: { pool: SenderPool; member: SenderPoolMember; name: string }) {
  const words = useResourceWords().pools;
  const { number } = useFormats();
  const { api, can } = useWorkspace();
  const { senderSid, weight, priority, status, assignedContacts } = member;
  const act = useAct('sender-pools', (doing: () => Promise<SenderPool>) => doing());
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const share = { weight: Number(given.get('weight')), priority: Number(given.get('priority')) };
    act.mutate(() => api.senderPools.setMember(pool.sid, senderSid, share));
  };
  const { error } = act;
  const mayChange = pool.deletedAt === null && can('setSenderPoolMember');
  return (
    <Row>
      <Cell className="max-w-72 wrap-anywhere">
        <SenderLink sid={senderSid} label={name} />
      </Cell>
      <Cell>
        <SenderStatus status={status} />
      </Cell>
      <Cell className="tabular-nums">{number(assignedContacts)}</Cell>
      <Cell>
        {mayChange ? (
          <form className="flex flex-wrap items-end gap-2" onSubmit={submit}>
            <Numbered name="weight" value={weight} min={1} issue={issueAt(error, 'weight')} />
            <Numbered name="priority" value={priority} min={0} issue={issueAt(error, 'priority')} />
            <Button type="submit" busy={act.isPending}>
              {words.save}
            </Button>
            {can('removeSenderPoolMember') && (
              <SureButton
                label={words.takeOut}
                sure={words.takeOutSurely}
                busy={act.isPending}
                onSure={() => act.mutate(() => api.senderPools.removeMember(pool.sid, senderSid))}
              />
            )}
            {error && <ProblemPanel error={error} fields={['weight', 'priority']} />}
          </form>
        ) : (
          words.told(number(weight), number(priority))
        )}
      </Cell>
    </Row>
  );
}

type NumberedProps = { name: 'weight' | 'priority'; value: number; min: number; issue: string | null };

function Numbered({ name, value, min, issue }: NumberedProps) {
  const words = useResourceWords().pools;
  return (
    <div className="w-24">
      <Field
        label={words[name]}
        name={name}
        type="number"
        min={min}
        defaultValue={value}
        issue={issue}
        required
      />
    </div>
  );
}

function Add({ pool, senders }: Known) {
  const words = useResourceWords().pools;
  const { api } = useWorkspace();
  const inside = new Set(pool.members.map(({ senderSid }) => senderSid));
  const outside = senders.filter(({ sid, status }) => !inside.has(sid) && status !== 'DELETED');
  const [picked, setPicked] = useState('');
  const add = useAct(
    'sender-pools',
    (senderSid: string) => api.senderPools.setMember(pool.sid, senderSid),
    () => setPicked(''),
  );
  if (outside.length === 0) return null;
  return (
    <Panel title={words.add}>
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate(picked || outside[0]!.sid);
        }}
      >
        <Choose
          label={words.sender}
          value={picked}
          choices={outside.map((sender) => ({ value: sender.sid, label: nameOf(sender)! }))}
          onChange={({ target }) => setPicked(target.value)}
        />
        <Button type="submit" busy={add.isPending}>
          {words.addIt}
        </Button>
      </form>
      {add.error && <ProblemPanel error={add.error} />}
    </Panel>
  );
}

function Rename({ pool: { sid, name } }: { pool: SenderPool }) {
  const words = useResourceWords().pools;
  const { api } = useWorkspace();
  const rename = useAct('sender-pools', (wanted: string) => api.senderPools.update(sid, { name: wanted }));
  return (
    <Panel title={words.rename}>
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate(String(new FormData(event.currentTarget).get('name')).trim());
        }}
      >
        <Field
          label={words.name}
          name="name"
          defaultValue={name}
          issue={issueAt(rename.error, 'name')}
          required
        />
        <Button type="submit" busy={rename.isPending}>
          {words.save}
        </Button>
      </form>
      {rename.error && <ProblemPanel error={rename.error} fields={['name']} />}
    </Panel>
  );
}

function Delete({ sid }: { sid: string }) {
  const words = useResourceWords().pools;
  const { api, here } = useWorkspace();
  const navigate = useNavigate();
  return (
    <DeleteButton
      name="sender-pools"
      label={words.remove}
      sure={words.removeSurely}
      remove={() => api.senderPools.delete(sid)}
      onGone={() => navigate({ to: '/$environment/$account/pools', params: here })}
    />
  );
}
