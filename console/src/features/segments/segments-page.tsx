// Audiences cut out of the contacts, each with what makes somebody belong.
import type { Segment } from '@godwit/sdk';
import { Link, useNavigate } from '@tanstack/react-router';
import { CursorList } from '../../shell/cursor-list.tsx';
import { MakingHead } from '../../shell/making.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { definitionOf } from './definition.ts';
import { SegmentForm } from './segment-form.tsx';

export function SegmentsPage() {
  const words = useWords().segments;
  const { api, here } = useWorkspace();
  const navigate = useNavigate();
  const open = (segment: string) =>
    navigate({ to: '/$environment/$account/segments/$segment', params: { ...here, segment } });
  return (
    <div className="grid gap-4">
      <MakingHead
        title={words.title}
        make={words.make}
        by="createSegment"
        form={(close) => <SegmentForm onCancel={close} onDone={({ sid }) => open(sid)} />}
      />
      <CursorList name={['segments', 'all']} load={(page) => api.segments.list(page)} none={words.none}>
        {(segments) => <Segments segments={segments} />}
      </CursorList>
    </div>
  );
}

function Segments({ segments }: { segments: Segment[] }) {
  const words = useWords().segments;
  const { number, time } = useFormats();
  const { here } = useWorkspace();
  return (
    <Table columns={[words.name, words.members, words.definition, words.cut]}>
      {segments.map((segment) => (
        <Row key={segment.sid}>
          <Cell className="max-w-72 wrap-anywhere">
            <Link
              to="/$environment/$account/segments/$segment"
              params={{ ...here, segment: segment.sid }}
              className="text-accent underline"
            >
              {segment.name}
            </Link>
          </Cell>
          <Cell className="tabular-nums">{number(segment.memberCount)}</Cell>
          <Cell className="wrap-anywhere">
            {definitionOf(segment)
              .map((pair) => pair.join(': '))
              .join(', ') || words.everybody}
          </Cell>
          <Cell className="whitespace-nowrap">{time(segment.materializedAt)}</Cell>
        </Row>
      ))}
    </Table>
  );
}
