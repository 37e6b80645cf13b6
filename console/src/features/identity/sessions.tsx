// Where one is signed in, and ending it there.
import { type Godwit, GodwitError, type Session } from '@godwit/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { forgetSessions } from '../../api/session.ts';
import { CursorList } from '../../shell/cursor-list.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { SureButton } from '../../ui/sure-button.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useFormats, useWords } from '../../words/words.tsx';

export function Sessions() {
  const words = useWords().own;
  const { api, key } = useWorkspace();
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: (id: string | null) => (id ? endOne(api, id) : endOthers(api)),
    onSettled() {
      // One of them may be this browser's, of the other environment.
      forgetSessions();
      return queries.invalidateQueries({ queryKey: [...key, 'sessions'] });
    },
  });
  return (
    <Panel
      title={words.sessions}
      aside={
        <SureButton
          label={words.endOthers}
          sure={words.endOthersSurely}
          busy={end.isPending}
          onSure={() => end.mutate(null)}
        />
      }
    >
      {end.error && <ProblemPanel error={end.error} />}
      <CursorList
        name={['sessions']}
        load={(page) => api.signIn.listOwnSessions(page)}
        none={words.noSession}
      >
        {(sessions) => <SessionTable sessions={sessions} busy={end.isPending} onEnd={end.mutate} />}
      </CursorList>
    </Panel>
  );
}

type TableProps = { sessions: Session[]; busy: boolean; onEnd(id: string): void };

function SessionTable({ sessions, busy, onEnd }: TableProps) {
  const words = useWords();
  const { own } = words;
  const { time } = useFormats();
  return (
    <Table columns={[own.browser, own.address, words.shell.environment, own.since, own.lastSeen, own.do]}>
      {sessions.map(({ id, userAgent, address, livemode, createdAt, lastSeenAt, current }) => (
        <Row key={id}>
          <Cell className="max-w-80 wrap-anywhere">{userAgent}</Cell>
          <Cell>{address}</Cell>
          <Cell>{words.shell[livemode ? 'live' : 'sandbox']}</Cell>
          <Cell className="whitespace-nowrap">{time(createdAt)}</Cell>
          <Cell className="whitespace-nowrap">{time(lastSeenAt)}</Cell>
          <Cell>
            {current ? (
              <span data-session="this">{own.thisOne}</span>
            ) : (
              <Button busy={busy} onClick={() => onEnd(id)}>
                {own.end}
              </Button>
            )}
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

/** One that has ended meanwhile is as it should be. */
async function endOne(api: Godwit, id: string): Promise<void> {
  try {
    await api.signIn.endOwnSession(id);
  } catch (error) {
    if (!(error instanceof GodwitError) || error.status !== 404) throw error;
  }
}

/** Listed to their end first: a list does not go on from a session that is gone. */
async function endOthers(api: Godwit): Promise<void> {
  const others: string[] = [];
  for await (const { id, current } of api.signIn.listOwnSessions({ limit: 100 }))
    if (!current) others.push(id);
  for (const id of others) await endOne(api, id);
}
