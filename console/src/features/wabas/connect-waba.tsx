// Connecting a business account: in the sandbox one is made up, live the provider is asked with its token.
import type { ConnectWabaRequest } from '@godwit/sdk';
import type { FormEvent } from 'react';
import { issueAt } from '../../api/problem.ts';
import { useAct } from '../../shell/act.ts';
import { useStepUp } from '../../shell/step-up.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Field } from '../../ui/field.tsx';
import { FormEnd } from '../../ui/form-end.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useResourceWords } from '../../words/resources/words.ts';

const atProvider = ['providerBusinessId', 'providerWabaId', 'accessToken'] as const;

export function ConnectWaba({ onDone }: { onDone(): void }) {
  const words = useResourceWords().wabas;
  const { api, environment } = useWorkspace();
  const prove = useStepUp();
  const connect = useAct(
    'wabas',
    (meant: ConnectWabaRequest) =>
      prove(({ idempotencyKey, ...shown }) =>
        api.providerAccounts.connectWaba({ ...meant, ...shown }, { idempotencyKey }),
      ),
    onDone,
  );
  const fields = environment === 'live' ? atProvider : [];
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const text = (name: string) => String(given.get(name)).trim();
    connect.mutate({
      name: text('name'),
      ...Object.fromEntries(fields.map((field) => [field, text(field)])),
    });
  };
  const { error } = connect;
  return (
    <Panel title={words.make}>
      <form className="grid max-w-2xl gap-3" onSubmit={submit}>
        <Field label={words.name} name="name" issue={issueAt(error, 'name')} autoFocus required />
        {fields.map((field) => (
          <Field
            key={field}
            label={words.atProvider[field]}
            name={field}
            type={field === 'accessToken' ? 'password' : 'text'}
            autoComplete="off"
            issue={issueAt(error, field)}
            required
          />
        ))}
        {error && <ProblemPanel error={error} fields={['name', ...fields]} />}
        <FormEnd submit={words.connect} cancel={words.cancel} busy={connect.isPending} onCancel={onDone} />
      </form>
    </Panel>
  );
}
