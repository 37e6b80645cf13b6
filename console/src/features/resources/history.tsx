// How something came to its status, the newest first: of a template or of a sender.
import type { List } from '@godwit/sdk';
import type { ReactNode } from 'react';
import { CursorList } from '../../shell/cursor-list.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { useFormats } from '../../words/words.tsx';

type Change = { createdAt: string; occurredAt: string; status: string; reason: string | null };

type Props<One extends Change> = {
  /** Read anew when a part of it changes. */
  name: readonly [string, ...unknown[]];
  load(page: { limit: number; cursor?: string }): PromiseLike<List<One>>;
  status(status: string): ReactNode;
  /** What else may have changed. */
  also: string;
  alsoOf(change: One): ReactNode;
};

export function History<One extends Change>({ name, load, status, also, alsoOf }: Props<One>) {
  const words = useResourceWords().history;
  const { precise } = useFormats();
  return (
    <Panel title={words.title}>
      <CursorList name={name} load={load} none={words.none}>
        {(changes) => (
          <Table columns={[words.when, words.status, also, words.reason]}>
            {changes.map((change, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: what was written down has a place and no name
              <Row key={at}>
                <Cell className="whitespace-nowrap">{precise(change.occurredAt)}</Cell>
                <Cell>{status(change.status)}</Cell>
                <Cell>{alsoOf(change)}</Cell>
                <Cell className="wrap-anywhere">{change.reason ?? ''}</Cell>
              </Row>
            ))}
          </Table>
        )}
      </CursorList>
    </Panel>
  );
}
