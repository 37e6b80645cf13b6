// One endpoint: how it is, what it never acknowledged, and every delivery with its proof.
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { Deliveries } from './deliveries.tsx';
import { EndpointActs } from './endpoint-acts.tsx';
import { Gaps } from './gaps.tsx';
import { EndpointStatus } from './status.tsx';
import { useGaps } from './use-gaps.ts';

export function EndpointPage() {
  const { endpoint: sid } = useParams({ from: '/$environment/$account/webhooks/$endpoint' });
  const words = useWords().webhooks;
  const { number, time } = useFormats();
  const { api, key } = useWorkspace();
  const { data, error, refetch } = useQuery({
    queryKey: [...key, 'webhooks', sid],
    queryFn: () => api.webhooks.get(sid),
  });
  const gaps = useGaps(sid);
  if (error) return <ProblemPanel error={error} retry={refetch} />;
  if (!data) return <Waiting />;
  const { failingSince, previousSecretExpiresAt, warnings } = data;
  return (
    <div className="grid gap-4">
      <h1>
        {words.one} <code>{sid}</code>
      </h1>
      <Panel title={words.facts}>
        <Facts
          facts={[
            [words.url, data.url],
            [words.status, <EndpointStatus key="status" status={data.status} />],
            [words.filters, data.eventFilters.join(' ') || words.everything],
            [words.version, data.apiVersion],
            [words.failures, number(data.failures)],
            ...(failingSince ? [[words.failingSince, time(failingSince)] as const] : []),
            ...(previousSecretExpiresAt ? [[words.overlap, time(previousSecretExpiresAt)] as const] : []),
          ]}
        />
        {warnings.map(({ path, issue }) => (
          <p key={path} className="mt-2 text-sm text-warn">
            <code>{path}</code> {issue}
          </p>
        ))}
        <EndpointActs endpoint={data} />
      </Panel>
      <Gaps sid={sid} gaps={gaps} />
      <Deliveries sid={sid} asOf={gaps.mark} onRetried={gaps.watch} />
    </div>
  );
}
