// One endpoint: how it is, what it never acknowledged, and every delivery with its proof.
import type { WebhookEndpoint } from '@godwit/sdk';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Asked } from '../../shell/asked.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { ChangeEndpoint } from './change-endpoint.tsx';
import { Deliveries } from './deliveries.tsx';
import { EndpointActs } from './endpoint-acts.tsx';
import { Gaps } from './gaps.tsx';
import { OwnHeaders } from './own-headers.tsx';
import { Statistics } from './statistics.tsx';
import { EndpointStatus } from './status.tsx';
import { useGaps } from './use-gaps.ts';

export function EndpointPage() {
  const { endpoint: sid } = useParams({ from: '/$environment/$account/webhooks/$endpoint' });
  const { api } = useWorkspace();
  return (
    <Asked name={['webhooks', sid]} load={() => api.webhooks.get(sid)}>
      {(endpoint) => <One endpoint={endpoint} />}
    </Asked>
  );
}

function One({ endpoint }: { endpoint: WebhookEndpoint }) {
  const words = useWords().webhooks;
  const { number, time } = useFormats();
  const { sid, url, status, eventFilters, apiVersion, failures } = endpoint;
  const gaps = useGaps(sid);
  const { can } = useWorkspace();
  const [isChanging, setChanging] = useState(false);
  const mayChange = can('updateWebhook') && status !== 'disabled';
  const { failingSince, previousSecretExpiresAt, warnings } = endpoint;
  return (
    <div className="grid gap-4">
      <h1>
        {words.one} <code>{sid}</code>
      </h1>
      <Panel
        title={words.facts}
        aside={mayChange && !isChanging && <Button onClick={() => setChanging(true)}>{words.change}</Button>}
      >
        <Facts
          facts={[
            [words.url, url],
            [words.status, <EndpointStatus key="status" status={status} />],
            [words.filters, eventFilters.join(' ') || words.everything],
            [words.version, apiVersion],
            [words.timeout, number(endpoint.timeoutMs)],
            [words.atOnce, number(endpoint.concurrencyCap)],
            [words.failures, number(failures)],
            ...(failingSince ? [[words.failingSince, time(failingSince)] as const] : []),
            ...(previousSecretExpiresAt ? [[words.overlap, time(previousSecretExpiresAt)] as const] : []),
          ]}
        />
        {warnings.map(({ path, issue }) => (
          <p key={path} className="mt-2 text-sm text-warn">
            <code>{path}</code> {issue}
          </p>
        ))}
        <EndpointActs endpoint={endpoint} />
      </Panel>
      {isChanging && <ChangeEndpoint endpoint={endpoint} onClose={() => setChanging(false)} />}
      <OwnHeaders endpoint={endpoint} />
      {can('getWebhookStatistics') && <Statistics sid={sid} />}
      <Gaps sid={sid} gaps={gaps} />
      <Deliveries sid={sid} asOf={gaps.mark} onRetried={gaps.watch} />
    </div>
  );
}
