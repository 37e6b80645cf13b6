// A content while somebody writes it: words as they are, everything else as the API takes it.
import type { Content, CreateContentRequest } from '@godwit/sdk';
import { type FormEvent, useState } from 'react';
import { issueAt } from '../../../api/problem.ts';
import { useAct } from '../../../shell/act.ts';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { Area, Choose, Field } from '../../../ui/field.tsx';
import { FormEnd } from '../../../ui/form-end.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { useResourceWords } from '../../../words/resources/words.ts';
import { bodyOf, contentTypes, fieldOf, wordsOf } from './body.ts';

type Props = { given?: Content; onDone(content: Content): void; onCancel(): void };

export function ContentForm({ given, onDone, onCancel }: Props) {
  const words = useResourceWords().contents;
  const { api } = useWorkspace();
  const [type, setType] = useState<string>(given?.type ?? 'text');
  const [isMalformed, setMalformed] = useState(false);
  const save = useAct(
    'contents',
    (meant: CreateContentRequest) =>
      given
        ? api.reusableContents.update(given.sid, { ...meant, expectedVersion: given.version })
        : api.reusableContents.create(meant),
    onDone,
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const body = type === 'text' ? { body: String(form.get('body')) } : parsed(String(form.get('body')));
    setMalformed(body === null);
    if (body) save.mutate({ name: String(form.get('name')).trim(), type, [fieldOf(type)]: body });
  };
  const { error } = save;
  const field = fieldOf(type);
  const before = given?.type === type ? bodyOf(given) : undefined;
  return (
    <Panel title={given ? words.edit : words.make}>
      <form className="grid max-w-2xl gap-3" onSubmit={submit}>
        <Field
          label={words.name}
          name="name"
          defaultValue={given?.name}
          issue={issueAt(error, 'name')}
          required
        />
        <Choose
          label={words.type}
          value={type}
          choices={contentTypes.map((value) => ({ value, label: value }))}
          issue={issueAt(error, 'type')}
          onChange={({ target }) => setType(target.value)}
        />
        <Area
          key={type}
          label={type === 'text' ? words.text : words.json(field)}
          name="body"
          hint={words.bodyHint}
          defaultValue={wordsOf(type, before) ?? (before ? JSON.stringify(before, null, 2) : '')}
          issue={isMalformed ? words.malformed : (issueAt(error, field) ?? issueAt(error, `${field}.body`))}
          required
        />
        {error && <ProblemPanel error={error} fields={['name', 'type', field, `${field}.body`]} />}
        <FormEnd submit={words.save} cancel={words.cancel} busy={save.isPending} onCancel={onCancel} />
      </form>
    </Panel>
  );
}

/** Null for what is no object. */
function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
