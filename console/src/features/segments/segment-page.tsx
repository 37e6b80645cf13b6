// One audience: what makes somebody belong, how many do, and who.
import type { Segment, SegmentMember } from '@godwit/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { CursorList } from '../../shell/cursor-list.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { SureButton } from '../../ui/sure-button.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { ContactLink } from '../contacts/contact-link.tsx';
import { definitionOf } from './definition.ts';
import { SegmentForm } from './segment-form.tsx';

export function SegmentPage() {
  const { segment: sid } = useParams({ from: '/$environment/$account/segments/$segment' });
  const words = useWords().segments;
  const { api, can, here, key } = useWorkspace();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => api.segments.delete(sid),
    onSuccess: async () => {
      await navigate({ to: '/$environment/$account/segments', params: here });
      await queries.invalidateQueries({ queryKey: [...key, 'segments'] });
    },
  });
  const [isEditing, setEditing] = useState(false);
  const close = () => setEditing(false);
  // What is being deleted, or deleted already, is asked for no more: it would not be found.
  const isGoing = remove.isPending || remove.isSuccess;
  const { data, error, refetch } = useQuery({
    queryKey: [...key, 'segments', sid],
    queryFn: () => api.segments.get(sid),
    enabled: !isGoing,
  });
  if (error) return <ProblemPanel error={error} retry={refetch} />;
  if (!data || isGoing) return <Waiting />;
  return (
    <div className="grid gap-4">
      <PageHead title={data.name}>
        {can('explainSegment') && can('listSenders') && (
          <Link
            to="/$environment/$account/segments/$segment/why-not"
            params={{ ...here, segment: sid }}
            className={buttonClass('primary')}
          >
            {words.whyNot}
          </Link>
        )}
      </PageHead>
      {isEditing ? (
        <SegmentForm given={data} onDone={close} onCancel={close} />
      ) : (
        <What segment={data} onEdit={() => setEditing(true)} onRemove={remove.mutate} />
      )}
      {remove.error && <ProblemPanel error={remove.error} />}
      <Panel title={words.members}>
        <CursorList
          name={['segments', sid, 'members', data.materializedAt]}
          load={(page) => api.segments.listMembers(sid, page)}
          none={words.noMember}
        >
          {(members) => <Members members={members} />}
        </CursorList>
      </Panel>
    </div>
  );
}

type Doable = { onEdit(): void; onRemove(): void };

function What({ segment, ...doable }: Doable & { segment: Segment }) {
  const words = useWords().segments;
  const { number, time } = useFormats();
  const definition = definitionOf(segment);
  return (
    <Panel title={words.definition}>
      <Facts
        facts={[
          [words.sid, <code key="sid">{segment.sid}</code>],
          [
            words.members,
            <span key="size" data-size={segment.memberCount}>
              {number(segment.memberCount)}
            </span>,
          ],
          [words.cut, time(segment.materializedAt)],
          [words.version, number(segment.filterVersion)],
          ...(definition.length === 0 ? [[words.who, words.everybody] as const] : definition),
        ]}
      />
      <Acts sid={segment.sid} {...doable} />
    </Panel>
  );
}

function Acts({ sid, onEdit, onRemove }: Doable & { sid: string }) {
  const words = useWords().segments;
  const { api, can, key } = useWorkspace();
  const queries = useQueryClient();
  const cut = useMutation({
    mutationFn: () => api.segments.refresh(sid),
    onSuccess: () => queries.invalidateQueries({ queryKey: [...key, 'segments'] }),
  });
  return (
    <div className="mt-3 grid gap-3">
      <div className="flex flex-wrap gap-2">
        {can('updateSegment') && <Button onClick={onEdit}>{words.edit}</Button>}
        {can('refreshSegment') && (
          <Button busy={cut.isPending} onClick={() => cut.mutate()}>
            {words.cutAgain}
          </Button>
        )}
        {can('deleteSegment') && (
          <SureButton label={words.remove} sure={words.removeSurely} busy={cut.isPending} onSure={onRemove} />
        )}
      </div>
      {cut.error && <ProblemPanel error={cut.error} />}
    </div>
  );
}

function Members({ members }: { members: SegmentMember[] }) {
  const words = useWords().segments;
  const { time } = useFormats();
  return (
    <Table columns={[words.person, words.because, words.consentRecord, words.memberSince]}>
      {members.map(({ contactSid, provenance: { matched, consentSid, matchedAt } }) => (
        <Row key={contactSid}>
          <Cell>
            <ContactLink sid={contactSid} />
          </Cell>
          <Cell className="wrap-anywhere">{matched.join(', ')}</Cell>
          <Cell>{consentSid && <code>{consentSid}</code>}</Cell>
          <Cell className="whitespace-nowrap">{time(matchedAt)}</Cell>
        </Row>
      ))}
    </Table>
  );
}
