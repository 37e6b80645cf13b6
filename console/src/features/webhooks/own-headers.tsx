// Headers of one's own, sent with every request to an endpoint. Their values are never shown again.
import type { WebhookEndpoint, WebhookHeader } from '@godwit/sdk';
import { type FormEvent, useState } from 'react';
import { useAct } from '../../shell/act.ts';
import { useStepUp } from '../../shell/step-up.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Area } from '../../ui/field.tsx';
import { FormEnd } from '../../ui/form-end.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useWords } from '../../words/words.tsx';

export function OwnHeaders({ endpoint }: { endpoint: WebhookEndpoint }) {
  const words = useWords().webhooks;
  const { can } = useWorkspace();
  const [isChanging, setChanging] = useState(false);
  const mayChange = can('setWebhookHeaders') && endpoint.status !== 'disabled';
  return (
    <Panel
      title={words.headers}
      aside={
        mayChange && !isChanging && <Button onClick={() => setChanging(true)}>{words.setHeaders}</Button>
      }
    >
      {endpoint.headers.length === 0 ? (
        <p className="text-quiet">{words.noHeader}</p>
      ) : (
        <ul className="grid gap-1">
          {endpoint.headers.map(({ name, value }) => (
            <li key={name} data-header={name}>
              <code>{`${name}: ${value}`}</code>
            </li>
          ))}
        </ul>
      )}
      {isChanging && <Change sid={endpoint.sid} onClose={() => setChanging(false)} />}
    </Panel>
  );
}

function Change({ sid, onClose }: { sid: string; onClose(): void }) {
  const words = useWords().webhooks;
  const { api } = useWorkspace();
  const prove = useStepUp();
  const { error, mutate, isPending } = useAct(
    'webhooks',
    (headers: WebhookHeader[]) =>
      prove(({ idempotencyKey, ...shown }) =>
        api.webhooks.setHeaders(sid, { headers, ...shown }, { idempotencyKey }),
      ),
    onClose,
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    mutate(headersIn(String(new FormData(event.currentTarget).get('headers'))));
  };
  return (
    <form className="mt-3 grid max-w-2xl gap-3" onSubmit={submit}>
      <Area label={words.newHeaders} name="headers" hint={words.newHeadersHint} autoFocus />
      {error && <ProblemPanel error={error} />}
      <FormEnd submit={words.save} cancel={words.cancel} busy={isPending} onCancel={onClose} />
    </form>
  );
}

/** `Name: value`, one a line. */
function headersIn(text: string): WebhookHeader[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [name, ...value] = line.split(':');
    return { name: name!.trim(), value: value.join(':').trim() };
  });
}
