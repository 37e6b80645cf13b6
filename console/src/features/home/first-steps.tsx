// What an account has once it is in use, and what it still lacks.
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { OperationId } from '../../api/can.ts';
import { useWorkspace, type Workspace } from '../../shell/workspace.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { useWords } from '../../words/words.tsx';

type Step = {
  name: 'sender' | 'template' | 'message' | 'webhook';
  operation: OperationId;
  isDone(api: Workspace['api']): Promise<boolean>;
};

const steps: readonly Step[] = [
  {
    name: 'sender',
    operation: 'listSenders',
    isDone: async (api) =>
      (await api.senders.list({ status: 'CONNECTED', limit: 20 })).data.some(({ ready }) => ready),
  },
  {
    name: 'template',
    operation: 'listTemplates',
    isDone: async (api) => (await api.templates.list({ status: 'APPROVED', limit: 1 })).data.length > 0,
  },
  {
    name: 'message',
    operation: 'listMessages',
    isDone: async (api) => (await api.messages.list({ direction: 'outbound', limit: 1 })).data.length > 0,
  },
  {
    name: 'webhook',
    operation: 'listWebhooks',
    isDone: async (api) => (await api.webhooks.list({ limit: 1 })).data.length > 0,
  },
];

export function FirstSteps() {
  const words = useWords().home;
  const { api, can, key } = useWorkspace();
  const mine = steps.filter(({ operation }) => can(operation));
  const asked = useQueries({
    queries: mine.map(({ name, isDone }) => ({
      queryKey: [...key, 'first-steps', name],
      queryFn: () => isDone(api),
    })),
  });
  const failed = asked.find(({ error }) => error);
  if (mine.length === 0) return null;
  return (
    <Panel title={words.start}>
      {failed && <ProblemPanel error={failed.error} retry={failed.refetch} />}
      {asked.some(({ isPending }) => isPending) ? (
        <Waiting />
      ) : (
        <ul className="grid gap-1">
          {mine.map(({ name }, at) => (
            <li key={name} data-step={name} className="flex justify-between gap-4">
              {name === 'message' && !asked[at]?.data ? <FirstMessage /> : words.steps[name]}
              <span className={asked[at]?.data ? 'text-good' : 'text-quiet'}>
                {asked[at]?.data ? words.done : words.open}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** In the sandbox it costs nothing and reaches nobody, so the way to it is short. */
function FirstMessage() {
  const words = useWords().home;
  const { environment, can, here } = useWorkspace();
  if (environment !== 'sandbox' || !can('sendMessage') || !can('listSenders')) return words.steps.message;
  return (
    <Link to="/$environment/$account/messages/new" params={here} className="text-accent underline">
      {words.steps.message}
    </Link>
  );
}
