// The notices of somebody, the newest first: read one by one or all at once.
import type { Godwit, Notification } from '@godwit/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { CursorList } from '../cursor-list.tsx';
import { SidLink } from '../links/sids.tsx';
import { useWorkspace } from '../workspace.tsx';

type Props = { unread: number; onLeave(): void };

export default function NoticeList({ unread, onLeave }: Props) {
  const words = useWords().notices;
  const { api, key } = useWorkspace();
  const queries = useQueryClient();
  const read = useMutation({
    mutationFn: (id: string | null): Promise<unknown> => (id ? api.notifications.markRead(id) : readAll(api)),
    onSettled: () =>
      Promise.all(
        // Home says how many are unread.
        ['notices', 'needs'].map((name) => queries.invalidateQueries({ queryKey: [...key, name] })),
      ),
  });
  return (
    <>
      {read.error && <ProblemPanel error={read.error} />}
      {unread > 0 && (
        <Button className="justify-self-start" busy={read.isPending} onClick={() => read.mutate(null)}>
          {words.readAll}
        </Button>
      )}
      <CursorList name={['notices', 'all']} load={(page) => api.notifications.list(page)} none={words.none}>
        {(notices) => (
          <ul className="grid gap-3">
            {notices.map((one) => (
              <Notice
                key={one.id}
                notice={one}
                busy={read.isPending}
                onRead={() => read.mutate(one.id)}
                onLeave={onLeave}
              />
            ))}
          </ul>
        )}
      </CursorList>
    </>
  );
}

type NoticeProps = { notice: Notification; busy: boolean; onRead(): void; onLeave(): void };

function Notice({ notice, busy, onRead, onLeave }: NoticeProps) {
  const words = useWords().notices;
  const { time, number } = useFormats();
  const { title, body, resource, count, readAt, lastAt } = notice;
  return (
    <li
      data-notice={readAt ? 'read' : 'unread'}
      className={`grid gap-1 border-l-4 pl-3 ${readAt ? 'border-line' : 'border-accent'}`}
    >
      <p className="font-medium wrap-anywhere">
        {title}
        {count > 1 && ` × ${number(count)}`}
      </p>
      <p className="text-sm wrap-anywhere">{body}</p>
      <div className="flex flex-wrap items-center gap-3 text-sm text-quiet">
        {time(lastAt)}
        {resource && (
          <code>
            <SidLink text={resource} onOpen={onLeave} />
          </code>
        )}
        {!readAt && (
          <Button busy={busy} onClick={onRead}>
            {words.read}
          </Button>
        )}
      </div>
    </li>
  );
}

/** Listed to their end first: what is read is no longer listed. */
async function readAll(api: Godwit): Promise<void> {
  const unread: string[] = [];
  for await (const { id } of api.notifications.list({ unread: true, limit: 100 })) unread.push(id);
  for (const id of unread) await api.notifications.markRead(id);
}
