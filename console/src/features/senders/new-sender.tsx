// Another number of the sandbox, which makes it up.
import type { CreateSenderRequest } from '@godwit/sdk';
import { type FormEvent, useState } from 'react';
import { issueAt } from '../../api/problem.ts';
import { useAct } from '../../shell/act.ts';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Field } from '../../ui/field.tsx';
import { FormEnd } from '../../ui/form-end.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { WabaField } from '../resources/waba-field.tsx';

export function NewSender({ onDone }: { onDone(): void }) {
  const words = useResourceWords().senders;
  const { api } = useWorkspace();
  const [wabaSid, setWaba] = useState('');
  const make = useAct('senders', (meant: CreateSenderRequest) => api.senders.create(meant), onDone);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const displayName = String(new FormData(event.currentTarget).get('displayName')).trim();
    make.mutate({ displayName, ...(wabaSid && { wabaSid }) });
  };
  const { error } = make;
  return (
    <Panel title={words.make}>
      <form className="grid max-w-2xl gap-3" onSubmit={submit}>
        <Field
          label={words.name}
          name="displayName"
          issue={issueAt(error, 'displayName')}
          autoFocus
          required
        />
        <WabaField value={wabaSid} error={error} onChange={setWaba} />
        {error && <ProblemPanel error={error} fields={['displayName', 'wabaSid']} />}
        <FormEnd submit={words.create} cancel={words.cancel} busy={make.isPending} onCancel={onDone} />
      </form>
    </Panel>
  );
}
