// One content: what it holds, and what a message would carry with its blanks filled in.
import type { Content } from '@godwit/sdk';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Asked } from '../../../shell/asked.tsx';
import { DeleteButton } from '../../../shell/delete-button.tsx';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { Button } from '../../../ui/button.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { Field } from '../../../ui/field.tsx';
import { Json } from '../../../ui/json.tsx';
import { PageHead } from '../../../ui/page-head.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { useResourceWords } from '../../../words/resources/words.ts';
import { useFormats } from '../../../words/words.tsx';
import { bodyOf } from './body.ts';
import { ContentForm } from './content-form.tsx';

export function ContentPage() {
  const { content: sid } = useParams({ from: '/$environment/$account/contents/$content' });
  const { api } = useWorkspace();
  return (
    <Asked name={['contents', sid]} load={() => api.reusableContents.get(sid)}>
      {(content) => <One content={content} />}
    </Asked>
  );
}

function One({ content }: { content: Content }) {
  const words = useResourceWords().contents;
  const { api, can, here } = useWorkspace();
  const navigate = useNavigate();
  const [isEditing, setEditing] = useState(false);
  const { sid, name } = content;
  const leaveForm = () => setEditing(false);
  return (
    <div className="grid gap-4">
      <PageHead title={name}>
        <div className="flex flex-wrap gap-2">
          {can('updateContent') && !isEditing && (
            <Button onClick={() => setEditing(true)}>{words.edit}</Button>
          )}
          {can('deleteContent') && (
            <DeleteButton
              name="contents"
              label={words.remove}
              sure={words.removeSurely}
              remove={() => api.reusableContents.delete(sid)}
              onGone={() => navigate({ to: '/$environment/$account/contents', params: here })}
            />
          )}
        </div>
      </PageHead>
      {isEditing ? (
        <ContentForm given={content} onDone={leaveForm} onCancel={leaveForm} />
      ) : (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <What content={content} />
          <Filling key={content.version} content={content} />
        </div>
      )}
    </div>
  );
}

function What({ content }: { content: Content }) {
  const words = useResourceWords().contents;
  const { number, time } = useFormats();
  const { sid, type, variables, version, updatedAt } = content;
  return (
    <Panel title={words.facts}>
      <Facts
        facts={[
          [words.sid, <code key="sid">{sid}</code>],
          [words.type, type],
          [words.version, number(version)],
          ...(variables.length > 0 ? [[words.blanks, variables.join(', ')] as const] : []),
          [words.changed, time(updatedAt)],
        ]}
      />
      <Json value={bodyOf(content)} />
    </Panel>
  );
}

function Filling({ content: { sid, variables } }: { content: Content }) {
  const words = useResourceWords().contents;
  const { api } = useWorkspace();
  const fill = useMutation({
    mutationFn: (values: Record<string, string>) => api.reusableContents.preview(sid, { variables: values }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    fill.mutate(Object.fromEntries(variables.map((name) => [name, String(given.get(name))])));
  };
  return (
    <Panel title={words.filled}>
      <form className="grid gap-3" onSubmit={submit}>
        {variables.map((name) => (
          <Field key={name} label={name} name={name} required />
        ))}
        <Button type="submit" busy={fill.isPending} className="justify-self-start">
          {words.fill}
        </Button>
      </form>
      {fill.error && <ProblemPanel error={fill.error} />}
      {fill.data && (
        <div role="status" data-filled={sid}>
          <Json value={fill.data.content} />
        </div>
      )}
    </Panel>
  );
}
