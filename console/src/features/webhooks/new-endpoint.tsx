// A new endpoint: where it is, and which events it hears of.
import type { CreateWebhookRequest, WebhookEndpointWithSecret } from '@godwit/sdk';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { issueAt } from '../../api/problem.ts';
import { useStepUp } from '../../shell/step-up.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Area, Field } from '../../ui/field.tsx';
import { FormEnd } from '../../ui/form-end.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useWords } from '../../words/words.tsx';

type Props = { onMade(made: WebhookEndpointWithSecret): void; onCancel(): void };

export function NewEndpoint({ onMade, onCancel }: Props) {
  const words = useWords().webhooks;
  const { api } = useWorkspace();
  const prove = useStepUp();
  const make = useMutation({
    mutationFn: (meant: CreateWebhookRequest) =>
      prove(({ idempotencyKey, ...shown }) =>
        api.webhooks.create({ ...meant, ...shown }, { idempotencyKey }),
      ),
    onSuccess: onMade,
    gcTime: 0,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const eventFilters = String(given.get('filters')).split(/\s+/).filter(Boolean);
    make.mutate({ url: String(given.get('url')).trim(), eventFilters });
  };
  const { error } = make;
  return (
    <Panel title={words.make}>
      <form className="grid max-w-2xl gap-3" onSubmit={submit}>
        <Field label={words.url} name="url" type="url" issue={issueAt(error, 'url')} autoFocus required />
        <Area
          label={words.filters}
          name="filters"
          hint={words.filtersHint}
          issue={issueAt(error, 'eventFilters')}
        />
        {error && <ProblemPanel error={error} fields={['url', 'eventFilters']} />}
        <FormEnd submit={words.create} cancel={words.cancel} busy={make.isPending} onCancel={onCancel} />
      </form>
    </Panel>
  );
}
