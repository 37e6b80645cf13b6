// Somebody new, by their number.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { issueAt } from '../../api/problem.ts';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Field } from '../../ui/field.tsx';
import { FormEnd } from '../../ui/form-end.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useWords } from '../../words/words.tsx';

const phoneAt = 'identifiers[0].value';

export function NewContact({ onCancel }: { onCancel(): void }) {
  const words = useWords().contacts;
  const { api, key, here } = useWorkspace();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const make = useMutation({
    mutationFn: ({ phone, displayName }: { phone: string; displayName: string }) =>
      api.contacts.create({
        identifiers: [{ identifierType: 'phone_e164', value: phone }],
        ...(displayName && { displayName }),
      }),
    onSuccess: async ({ sid }) => {
      await queries.invalidateQueries({ queryKey: [...key, 'contacts'] });
      await navigate({ to: '/$environment/$account/contacts/$contact', params: { ...here, contact: sid } });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const text = (name: string) => String(given.get(name)).trim();
    make.mutate({ phone: text('phone'), displayName: text('displayName') });
  };
  const { error } = make;
  return (
    <Panel title={words.make}>
      <form className="grid max-w-xl gap-3" onSubmit={submit}>
        <Field
          label={words.phone}
          name="phone"
          type="tel"
          issue={issueAt(error, phoneAt)}
          autoFocus
          required
        />
        <Field label={words.name} name="displayName" issue={issueAt(error, 'displayName')} />
        {error && <ProblemPanel error={error} fields={[phoneAt, 'displayName']} />}
        <FormEnd submit={words.create} cancel={words.cancel} busy={make.isPending} onCancel={onCancel} />
      </form>
    </Panel>
  );
}
