// How the attempts at an endpoint went in the last days.
import type { WebhookFailureCounts, WebhookStatistics } from '@godwit/sdk';
import { Asked } from '../../shell/asked.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useFormats, useWords } from '../../words/words.tsx';

export function Statistics({ sid }: { sid: string }) {
  const words = useWords().webhooks;
  const { api } = useWorkspace();
  return (
    <Panel title={words.statistics}>
      <Asked name={['webhooks', sid, 'statistics']} load={() => api.webhooks.getStatistics(sid)}>
        {(statistics) =>
          statistics.attempts === 0 ? (
            <p className="text-quiet">{words.noAttempt}</p>
          ) : (
            <Days statistics={statistics} />
          )
        }
      </Asked>
    </Panel>
  );
}

function Days({ statistics }: { statistics: WebhookStatistics }) {
  const words = useWords().webhooks;
  const { number } = useFormats();
  const total = { ...statistics, day: words.inAll };
  const took = (ms: number | null) => (ms === null ? '–' : words.took(number(ms)));
  const attempted = statistics.days.filter(({ attempts }) => attempts > 0);
  return (
    <Table columns={[words.day, words.tries, words.succeeded, words.failed, words.median, words.p95]}>
      {[...attempted, total].map(({ day, attempts, succeeded, failed, failures, p50Ms, p95Ms }) => (
        <Row key={day}>
          <Cell className="whitespace-nowrap">{day}</Cell>
          <Cell className="tabular-nums">{number(attempts)}</Cell>
          <Cell className="tabular-nums">{number(succeeded)}</Cell>
          <Cell className={failed > 0 ? 'text-bad' : ''}>
            {number(failed)} <Kinds failures={failures} />
          </Cell>
          <Cell className="whitespace-nowrap">{took(p50Ms)}</Cell>
          <Cell className="whitespace-nowrap">{took(p95Ms)}</Cell>
        </Row>
      ))}
    </Table>
  );
}

function Kinds({ failures }: { failures: WebhookFailureCounts }) {
  const { kinds } = useWords().webhooks;
  const { number } = useFormats();
  const told = (Object.keys(kinds) as (keyof typeof kinds)[])
    .filter((kind) => failures[kind] > 0)
    .map((kind) => `${kinds[kind]} ${number(failures[kind])}`);
  return told.length > 0 && `(${told.join(', ')})`;
}
