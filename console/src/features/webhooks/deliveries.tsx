// Every delivery to an endpoint, with what was sent and what was answered.
import type { WebhookDelivery } from '@godwit/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { CursorList } from '../../shell/cursor-list.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Json } from '../../ui/json.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { Unfold } from '../../ui/unfold.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { DeliveryState } from './status.tsx';

type Props = {
  sid: string;
  /** Read anew when this changes. */
  asOf: string;
  onRetried(): void;
};

export function Deliveries({ sid, asOf, onRetried }: Props) {
  const words = useWords().webhooks;
  const { api } = useWorkspace();
  return (
    <Panel title={words.deliveries}>
      <CursorList
        name={['webhooks', sid, 'deliveries', asOf]}
        load={(page) => api.webhooks.listDeliveries(sid, page)}
        none={words.noDelivery}
      >
        {(deliveries) => <Rows deliveries={deliveries} onRetried={onRetried} />}
      </CursorList>
    </Panel>
  );
}

function Rows({ deliveries, onRetried }: { deliveries: WebhookDelivery[]; onRetried(): void }) {
  const words = useWords().webhooks;
  const { number, precise } = useFormats();
  return (
    <Table columns={[words.sequence, words.when, words.type, words.state, words.answer, words.proof]}>
      {deliveries.map((one) => (
        <Row key={one.sid}>
          <Cell className="tabular-nums">{number(one.sequence)}</Cell>
          <Cell className="whitespace-nowrap">{precise(one.createdAt)}</Cell>
          <Cell>
            <code>{one.eventType}</code>
          </Cell>
          <Cell>
            <DeliveryState state={one.state} /> {words.attempts(number(one.attemptCount))}
          </Cell>
          <Cell>{one.lastStatus ?? one.error?.failure ?? ''}</Cell>
          <Cell>
            <Unfold label={one.sid}>{() => <Proof delivery={one} onRetried={onRetried} />}</Unfold>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

/** What was sent beside what came back. */
function Proof({ delivery, onRetried }: { delivery: WebhookDelivery; onRetried(): void }) {
  const words = useWords().webhooks;
  const { precise, number } = useFormats();
  const { api, can, key } = useWorkspace();
  const { endpointSid, sid } = delivery;
  const { data, error, refetch } = useQuery({
    queryKey: [...key, 'webhooks', endpointSid, 'delivery', sid],
    queryFn: () => api.webhooks.getDelivery(endpointSid, sid),
  });
  const retry = useMutation({
    mutationFn: () => api.webhooks.retryDelivery(endpointSid, sid),
    onSuccess: onRetried,
  });
  if (error) return <ProblemPanel error={error} retry={refetch} />;
  if (!data) return <Waiting />;
  return (
    <div className="grid gap-3 lg:grid-cols-2">
      <div>
        <h3 className="mt-2 font-semibold">{words.request}</h3>
        <Json value={data.request} />
        {can('retryWebhookDelivery') && (
          <Button className="mt-2" busy={retry.isPending} onClick={() => retry.mutate()}>
            {words.retry}
          </Button>
        )}
        {retry.error && <ProblemPanel error={retry.error} />}
      </div>
      <div>
        <h3 className="mt-2 font-semibold">{words.answers}</h3>
        <ol>
          {data.attempts.map((attempt) => (
            <li key={attempt.number} data-attempt={attempt.number} className="mt-2">
              {precise(attempt.attemptedAt)}, {words.took(number(attempt.durationMs))}:{' '}
              {attempt.status ?? attempt.error?.failure}
              <Json value={attempt.answer ?? attempt.error?.message ?? ''} />
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}
