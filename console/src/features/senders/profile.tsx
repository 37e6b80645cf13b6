// The card people see behind a number. The provider keeps it, and is asked while somebody waits.
import type { BusinessProfile, UpdateSenderProfileRequest } from '@godwit/sdk';
import { type FormEvent, useState } from 'react';
import { issueAt } from '../../api/problem.ts';
import { useAct } from '../../shell/act.ts';
import { Asked } from '../../shell/asked.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Area, Field } from '../../ui/field.tsx';
import { FormEnd } from '../../ui/form-end.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useResourceWords } from '../../words/resources/words.ts';

const lines = ['about', 'address', 'email', 'vertical'] as const;
const fields = [...lines, 'description', 'websites'] as const;

export function Profile({ sid }: { sid: string }) {
  const words = useResourceWords().senders;
  const { api, can } = useWorkspace();
  const [isEditing, setEditing] = useState(false);
  return (
    <Panel
      title={words.profile}
      aside={
        can('updateSenderProfile') &&
        !isEditing && <Button onClick={() => setEditing(true)}>{words.editProfile}</Button>
      }
    >
      <Asked name={['sender-profiles', sid]} load={() => api.senders.getProfile(sid)}>
        {(profile) =>
          isEditing ? <Edit profile={profile} onDone={() => setEditing(false)} /> : <Card profile={profile} />
        }
      </Asked>
    </Panel>
  );
}

function Card({ profile }: { profile: BusinessProfile }) {
  const words = useResourceWords().senders;
  const told = fields.flatMap((field) => {
    const value = profile[field];
    const text = Array.isArray(value) ? value.join(' ') : value;
    return text ? [[words.card[field], text] as const] : [];
  });
  return told.length > 0 ? <Facts facts={told} /> : <p className="text-quiet">{words.noProfile}</p>;
}

function Edit({ profile, onDone }: { profile: BusinessProfile; onDone(): void }) {
  const words = useResourceWords().senders;
  const { api } = useWorkspace();
  const save = useAct(
    'sender-profiles',
    (meant: UpdateSenderProfileRequest) => api.senders.updateProfile(profile.senderSid, meant),
    onDone,
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const text = (name: string) => String(given.get(name)).trim();
    const meant = Object.fromEntries(
      [...lines, 'description' as const]
        .filter((field) => text(field) !== (profile[field] ?? ''))
        .map((field) => [field, text(field)]),
    );
    const websites = text('websites').split(/\s+/).filter(Boolean);
    const isSame = websites.join(' ') === profile.websites.join(' ');
    save.mutate({ ...meant, ...(!isSame && { websites }) });
  };
  const { error } = save;
  return (
    <form className="grid gap-3" onSubmit={submit}>
      {lines.map((field) => (
        <Field
          key={field}
          label={words.card[field]}
          name={field}
          defaultValue={profile[field] ?? ''}
          issue={issueAt(error, field)}
        />
      ))}
      <Area
        label={words.card.description}
        name="description"
        defaultValue={profile.description ?? ''}
        issue={issueAt(error, 'description')}
      />
      <Area
        label={words.card.websites}
        name="websites"
        defaultValue={profile.websites.join('\n')}
        issue={issueAt(error, 'websites')}
      />
      {error && <ProblemPanel error={error} fields={fields} />}
      <FormEnd submit={words.saveProfile} cancel={words.cancel} busy={save.isPending} onCancel={onDone} />
    </form>
  );
}
