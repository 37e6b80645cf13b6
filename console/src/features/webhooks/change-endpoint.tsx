// What an endpoint was made with, to be changed. A new URL takes a second factor, and a new challenge.
import type { UpdateWebhookRequest, WebhookEndpoint } from '@godwit/sdk';
import type { FormEvent } from 'react';
import { issueAt } from '../../api/problem.ts';
import { useAct } from '../../shell/act.ts';
import { useStepUp } from '../../shell/step-up.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Area, Field } from '../../ui/field.tsx';
import { FormEnd } from '../../ui/form-end.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useWords } from '../../words/words.tsx';

type Props = { endpoint: WebhookEndpoint; onClose(): void };

const fields = ['url', 'eventFilters', 'timeoutMs', 'concurrencyCap'] as const;

export function ChangeEndpoint({ endpoint, onClose }: Props) {
  const words = useWords().webhooks;
  const { api } = useWorkspace();
  const prove = useStepUp();
  const { error, mutate, isPending } = useAct(
    'webhooks',
    (meant: UpdateWebhookRequest) =>
      prove(({ idempotencyKey, ...shown }) =>
        api.webhooks.update(endpoint.sid, { ...meant, ...shown }, { idempotencyKey }),
      ),
    onClose,
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    mutate(changedBy(new FormData(event.currentTarget), endpoint));
  };
  return (
    <Panel title={words.change}>
      <form className="grid max-w-2xl gap-3" onSubmit={submit}>
        <Field
          label={words.url}
          name="url"
          type="url"
          defaultValue={endpoint.url}
          hint={words.urlHint}
          issue={issueAt(error, 'url')}
          required
        />
        <Area
          label={words.filters}
          name="eventFilters"
          defaultValue={endpoint.eventFilters.join('\n')}
          hint={words.filtersHint}
          issue={issueAt(error, 'eventFilters')}
        />
        <Field
          label={words.timeout}
          name="timeoutMs"
          type="number"
          defaultValue={endpoint.timeoutMs}
          issue={issueAt(error, 'timeoutMs')}
          required
        />
        <Field
          label={words.atOnce}
          name="concurrencyCap"
          type="number"
          defaultValue={endpoint.concurrencyCap}
          issue={issueAt(error, 'concurrencyCap')}
          required
        />
        {error && <ProblemPanel error={error} fields={fields} />}
        <FormEnd submit={words.save} cancel={words.cancel} busy={isPending} onCancel={onClose} />
      </form>
    </Panel>
  );
}

/** What was not touched is not sent: it asks for no second factor, and takes nothing back that somebody else changes. */
function changedBy(given: FormData, before: WebhookEndpoint): UpdateWebhookRequest {
  const after = {
    url: String(given.get('url')).trim(),
    eventFilters: String(given.get('eventFilters')).split(/\s+/).filter(Boolean),
    timeoutMs: Number(given.get('timeoutMs')),
    concurrencyCap: Number(given.get('concurrencyCap')),
  };
  const isOther = (name: (typeof fields)[number]) => String(after[name]) !== String(before[name]);
  return Object.fromEntries(fields.filter(isOther).map((name) => [name, after[name]]));
}
