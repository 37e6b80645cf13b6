// One operation: how far it is, what came of it, and what failed.
import type { Operation, OperationChild } from '@godwit/sdk';
import { useParams } from '@tanstack/react-router';
import { useAct } from '../../shell/act.ts';
import { Asked } from '../../shell/asked.tsx';
import { CursorList } from '../../shell/cursor-list.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Json } from '../../ui/json.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { FileResult, isOfContactFiles } from '../contact-files/file-result.tsx';
import { Progress, State } from './state.tsx';

const againMs = 2_000;
const isMoving = ({ state }: Operation) => state === 'PENDING' || state === 'RUNNING';

export function OperationPage() {
  const { operation: sid } = useParams({ from: '/$environment/$account/operations/$operation' });
  const words = useWords().operations;
  const { api } = useWorkspace();
  return (
    <Asked
      name={['operations', sid]}
      load={() => api.operations.get(sid)}
      againMs={(operation) => isMoving(operation) && againMs}
    >
      {(operation) => (
        <div className="grid gap-4">
          <h1>
            {words.one} <code>{sid}</code>
          </h1>
          <What operation={operation} />
          {operation.result && isOfContactFiles(operation) && <FileResult operation={operation} />}
          <Panel title={words.items}>
            <CursorList
              // What is listed grows while it is at work.
              name={['operations', sid, 'items', operation.state]}
              load={(page) => api.operations.listChildren(sid, page)}
              none={words.noItems}
            >
              {(items) => <Items items={items} />}
            </CursorList>
          </Panel>
        </div>
      )}
    </Asked>
  );
}

function What({ operation }: { operation: Operation }) {
  const words = useWords().operations;
  const { time } = useFormats();
  const { type, state, createdBy, createdAt, finishedAt, awaits, nextAction, result, error } = operation;
  return (
    <Panel title={words.facts} aside={<Acts operation={operation} />}>
      <Facts
        facts={[
          [words.type, <code key="type">{type}</code>],
          [words.state, <State key="state" state={state} />],
          [words.progress, <Progress key="progress" of={operation} />],
          [words.when, time(createdAt)],
          ...(finishedAt ? [[words.finished, time(finishedAt)] as const] : []),
          [words.by, createdBy],
          ...(awaits ? [[words.awaits, awaits] as const] : []),
          ...(isPage(nextAction?.url)
            ? [[words.next, <Next key="next" url={nextAction.url} />] as const]
            : []),
        ]}
      />
      {error && (
        <p className="mt-3 text-bad wrap-anywhere">
          <code>{error.code}</code> {error.message}
        </p>
      )}
      {result && !isOfContactFiles(operation) && <Json value={result} />}
    </Panel>
  );
}

/** Where somebody goes on; what is no page is no link. */
const isPage = (url: unknown): url is string =>
  typeof url === 'string' && ['https:', 'http:'].includes(URL.parse(url)?.protocol ?? '');

const Next = ({ url }: { url: string }) => (
  <a href={url} target="_blank" rel="noreferrer" className="text-accent underline">
    {url}
  </a>
);

function Acts({ operation: { sid, finishedAt, cancelable, retryEligible } }: { operation: Operation }) {
  const words = useWords().operations;
  const { api, can } = useWorkspace();
  const act = useAct('operations', (what: 'cancel' | 'retry') => api.operations[what](sid));
  return (
    <div className="flex flex-wrap gap-2">
      {finishedAt === null && cancelable && can('cancelOperation') && (
        <Button busy={act.isPending} onClick={() => act.mutate('cancel')}>
          {words.cancel}
        </Button>
      )}
      {retryEligible && can('retryOperation') && (
        <Button busy={act.isPending} onClick={() => act.mutate('retry')}>
          {words.retry}
        </Button>
      )}
      {act.error && <ProblemPanel error={act.error} />}
    </div>
  );
}

function Items({ items }: { items: OperationChild[] }) {
  const words = useWords().operations;
  const { number } = useFormats();
  return (
    <Table columns={[words.position, words.item, words.state, words.error]}>
      {items.map(({ position, ref, state, error }) => (
        <Row key={position}>
          <Cell className="tabular-nums">{number(position)}</Cell>
          <Cell className="wrap-anywhere">{ref}</Cell>
          <Cell>
            <State state={state} />
          </Cell>
          <Cell className="wrap-anywhere">{error && `${error.code}: ${error.message}`}</Cell>
        </Row>
      ))}
    </Table>
  );
}
