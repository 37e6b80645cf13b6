// Where events are sent to: the endpoints, and how they are.
import type { WebhookEndpoint, WebhookEndpointWithSecret } from '@godwit/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { CursorList } from '../../shell/cursor-list.tsx';
import { MakingHead } from '../../shell/making.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { NewEndpoint } from './new-endpoint.tsx';
import { EndpointStatus } from './status.tsx';

export function WebhooksPage() {
  const words = useWords().webhooks;
  const { api, can, key } = useWorkspace();
  const queries = useQueryClient();
  const [made, setMade] = useState<WebhookEndpointWithSecret | null>(null);
  return (
    <div className="grid gap-4">
      <MakingHead
        title={words.title}
        make={words.make}
        by="createWebhook"
        form={(close) => (
          <NewEndpoint
            onCancel={close}
            onMade={(one) => {
              setMade(one);
              close();
              void queries.invalidateQueries({ queryKey: [...key, 'webhooks'] });
            }}
          />
        )}
      />
      {made && (
        <ShownOnce
          title={words.shown(made.url)}
          secrets={[[words.secret, made.secret]]}
          onKept={() => setMade(null)}
        />
      )}
      {can('listWebhooks') && (
        <CursorList name={['webhooks', 'all']} load={(page) => api.webhooks.list(page)} none={words.none}>
          {(endpoints) => <Endpoints endpoints={endpoints} />}
        </CursorList>
      )}
    </div>
  );
}

function Endpoints({ endpoints }: { endpoints: WebhookEndpoint[] }) {
  const words = useWords().webhooks;
  const { number } = useFormats();
  const { here } = useWorkspace();
  return (
    <Table columns={[words.url, words.status, words.filters, words.failures]}>
      {endpoints.map(({ sid, url, status, eventFilters, failures }) => (
        <Row key={sid}>
          <Cell className="wrap-anywhere">
            <Link
              to="/$environment/$account/webhooks/$endpoint"
              params={{ ...here, endpoint: sid }}
              className="text-accent underline"
            >
              {url}
            </Link>
          </Cell>
          <Cell>
            <EndpointStatus status={status} />
          </Cell>
          <Cell className="wrap-anywhere">{eventFilters.join(' ') || words.everything}</Cell>
          <Cell className="tabular-nums">{number(failures)}</Cell>
        </Row>
      ))}
    </Table>
  );
}
