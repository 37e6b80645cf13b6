// A new file: from this machine, or fetched from an address.
import type { CreateMediaForm, CreateMediaRequest } from '@godwit/sdk';
import type { FormEvent } from 'react';
import { issueAt } from '../../api/problem.ts';
import { useAct } from '../../shell/act.ts';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Field } from '../../ui/field.tsx';
import { FormEnd } from '../../ui/form-end.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useResourceWords } from '../../words/resources/words.ts';

export function NewMedia({ onDone }: { onDone(): void }) {
  const words = useResourceWords().media;
  const { api } = useWorkspace();
  const make = useAct(
    'media',
    (meant: CreateMediaForm | CreateMediaRequest) => api.media.create(meant),
    onDone,
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const file = given.get('file');
    const isFile = file instanceof File && file.size > 0;
    make.mutate(isFile ? { file, filename: file.name } : { url: String(given.get('url')).trim() });
  };
  const { error } = make;
  return (
    <Panel title={words.make}>
      <form className="grid max-w-2xl gap-3" onSubmit={submit}>
        <Field label={words.file} name="file" type="file" issue={issueAt(error, 'file')} />
        <Field label={words.url} name="url" type="url" hint={words.urlHint} issue={issueAt(error, 'url')} />
        {error && <ProblemPanel error={error} fields={['file', 'url']} />}
        <FormEnd submit={words.create} cancel={words.cancel} busy={make.isPending} onCancel={onDone} />
      </form>
    </Panel>
  );
}
