// One flow: how the provider has it, reading it again, and forgetting it here.
import type { Flow } from '@godwit/sdk';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useAct } from '../../../shell/act.ts';
import { Asked } from '../../../shell/asked.tsx';
import { DeleteButton } from '../../../shell/delete-button.tsx';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { Button } from '../../../ui/button.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { PageHead } from '../../../ui/page-head.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { useResourceWords } from '../../../words/resources/words.ts';
import { useFormats } from '../../../words/words.tsx';
import { WabaLink } from '../../resources/waba-link.tsx';
import { FlowStatus } from './status.tsx';

export function FlowPage() {
  const { flow: sid } = useParams({ from: '/$environment/$account/flows/$flow' });
  const { api } = useWorkspace();
  return (
    <Asked name={['flows', sid]} load={() => api.flows.get(sid)}>
      {(flow) => (
        <div className="grid gap-4">
          <PageHead title={flow.name}>
            <Acts sid={sid} />
          </PageHead>
          <What flow={flow} />
        </div>
      )}
    </Asked>
  );
}

function What({ flow }: { flow: Flow }) {
  const words = useResourceWords().flows;
  const { time } = useFormats();
  return (
    <Panel title={words.facts}>
      <Facts
        facts={[
          [words.sid, <code key="sid">{flow.sid}</code>],
          [words.providerId, <code key="provider">{flow.providerFlowId}</code>],
          [words.status, <FlowStatus key="status" status={flow.status} />],
          [words.since, time(flow.statusChangedAt)],
          [words.endpoint, flow.exchangesData ? words.yes : words.no],
          [words.waba, <WabaLink key="waba" sid={flow.wabaSid} label={flow.wabaSid} />],
          [words.changed, time(flow.updatedAt)],
        ]}
      />
    </Panel>
  );
}

function Acts({ sid }: { sid: string }) {
  const words = useResourceWords().flows;
  const { api, can, here } = useWorkspace();
  const navigate = useNavigate();
  const sync = useAct('flows', () => api.flows.sync(sid));
  return (
    <div className="flex flex-wrap gap-2">
      {can('syncFlow') && (
        <Button busy={sync.isPending} onClick={() => sync.mutate()}>
          {words.sync}
        </Button>
      )}
      {can('forgetFlow') && (
        <DeleteButton
          name="flows"
          label={words.remove}
          sure={words.removeSurely}
          remove={() => api.flows.forget(sid)}
          onGone={() => navigate({ to: '/$environment/$account/flows', params: here })}
        />
      )}
      {sync.error && <ProblemPanel error={sync.error} />}
    </div>
  );
}
