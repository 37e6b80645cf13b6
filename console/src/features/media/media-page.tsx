// The files that were sent, received or wait to be sent, with what was found in them.
import type { Media } from '@godwit/sdk';
import { Link } from '@tanstack/react-router';
import { CursorList } from '../../shell/cursor-list.tsx';
import { MakingHead } from '../../shell/making.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { useFormats } from '../../words/words.tsx';
import { NewMedia } from './new-media.tsx';
import { MediaStatus } from './status.tsx';

export function MediaPage() {
  const words = useResourceWords().media;
  const { api } = useWorkspace();
  return (
    <div className="grid gap-4">
      <MakingHead
        title={words.title}
        make={words.make}
        by="createMedia"
        form={(close) => <NewMedia onDone={close} />}
      />
      <CursorList name={['media', 'all']} load={(page) => api.media.list(page)} none={words.none}>
        {(items) => <Items items={items} />}
      </CursorList>
    </div>
  );
}

function Items({ items }: { items: Media[] }) {
  const words = useResourceWords().media;
  const { time } = useFormats();
  const { here } = useWorkspace();
  return (
    <Table columns={[words.file, words.type, words.direction, words.size, words.status, words.since]}>
      {items.map(({ sid, filename, type, mimeType, direction, sizeBytes, status, createdAt }) => (
        <Row key={sid}>
          <Cell className="max-w-72 wrap-anywhere">
            <Link
              to="/$environment/$account/media/$media"
              params={{ ...here, media: sid }}
              className="text-accent underline"
            >
              {filename ?? sid}
            </Link>
          </Cell>
          <Cell>{mimeType ?? type ?? ''}</Cell>
          <Cell>{words.directions[direction as keyof typeof words.directions] ?? direction}</Cell>
          <Cell className="tabular-nums whitespace-nowrap">
            {sizeBytes !== null && <Size bytes={sizeBytes} />}
          </Cell>
          <Cell>
            <MediaStatus status={status} />
          </Cell>
          <Cell className="whitespace-nowrap">{time(createdAt)}</Cell>
        </Row>
      ))}
    </Table>
  );
}

export function Size({ bytes }: { bytes: number }) {
  const words = useResourceWords().media;
  const { number } = useFormats();
  return words.kilobytes(number(Math.ceil(bytes / 1_000)));
}
