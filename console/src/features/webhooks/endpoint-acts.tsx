// What can be done to an endpoint in the state it is in.
import type { WebhookEndpoint, WebhookTestReport } from '@godwit/sdk';
import { useState } from 'react';
import type { OperationId } from '../../api/can.ts';
import { useAct } from '../../shell/act.ts';
import { useStepUp } from '../../shell/step-up.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Json } from '../../ui/json.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { SureButton } from '../../ui/sure-button.tsx';
import { useFormats, useWords } from '../../words/words.tsx';

type Act = 'verify' | 'test' | 'pause' | 'resume' | 'rotate' | 'endOverlap';
type Done = Act | 'remove';

const operations: Record<Act, OperationId> = {
  verify: 'verifyWebhook',
  test: 'testWebhook',
  pause: 'pauseWebhook',
  resume: 'resumeWebhook',
  rotate: 'rotateWebhookSecret',
  endOverlap: 'endWebhookSecretOverlap',
};

function actsOn({ status, previousSecretExpiresAt }: WebhookEndpoint): Act[] {
  if (status === 'disabled') return [];
  const byStatus: Record<string, Act[]> = {
    unverified: ['verify'],
    active: ['pause'],
    paused: ['resume'],
    suspended: ['resume'],
  };
  const overlap: Act[] = previousSecretExpiresAt ? ['endOverlap'] : [];
  return [...(byStatus[status] ?? []), 'test', 'rotate', ...overlap];
}

export function EndpointActs({ endpoint }: { endpoint: WebhookEndpoint }) {
  const words = useWords().webhooks;
  const { api, can } = useWorkspace();
  const { sid } = endpoint;
  const prove = useStepUp();
  const [secret, setSecret] = useState<string | null>(null);
  const [report, setReport] = useState<WebhookTestReport | null>(null);
  const doing: Record<Done, () => Promise<unknown>> = {
    verify: () => api.webhooks.verifyEndpoint(sid),
    test: async () => setReport(await api.webhooks.test(sid)),
    pause: () => api.webhooks.pause(sid),
    resume: () => prove((shown) => api.webhooks.resume(sid, shown)),
    rotate: () =>
      prove(async ({ idempotencyKey, ...shown }) => {
        const rotated = await api.webhooks.rotateSecret(sid, shown, { idempotencyKey });
        setSecret(rotated.secret);
      }),
    endOverlap: () => api.webhooks.endSecretOverlap(sid),
    remove: () => api.webhooks.delete(sid),
  };
  const act = useAct('webhooks', (what: Done) => doing[what]());
  return (
    <div className="mt-3 grid gap-3">
      <div className="flex flex-wrap gap-2">
        {actsOn(endpoint)
          .filter((one) => can(operations[one]))
          .map((one) => (
            <Button key={one} busy={act.isPending} onClick={() => act.mutate(one)}>
              {words.acts[one]}
            </Button>
          ))}
        {endpoint.status !== 'disabled' && can('deleteWebhook') && (
          <SureButton
            label={words.remove}
            sure={words.removeSurely}
            busy={act.isPending}
            onSure={() => act.mutate('remove')}
          />
        )}
      </div>
      {act.error && <ProblemPanel error={act.error} />}
      {secret && (
        <ShownOnce
          title={words.shown(endpoint.url)}
          secrets={[[words.secret, secret]]}
          onKept={() => setSecret(null)}
        />
      )}
      {report && <Report report={report} />}
    </div>
  );
}

function Report({ report }: { report: WebhookTestReport }) {
  const words = useWords().webhooks;
  const { number } = useFormats();
  const { delivered, status, durationMs, problems, answer } = report;
  return (
    <div role="status" data-report={delivered ? 'delivered' : 'refused'}>
      <p className={delivered ? 'text-good' : 'text-bad'}>
        {delivered ? words.answered : words.notAnswered} {status} {words.took(number(durationMs))}
      </p>
      <ul className="list-disc pl-5">
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
      {answer && <Json value={answer} />}
    </div>
  );
}
