// A new audience: what makes somebody belong, counted before it is kept.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useRef } from 'react';
import { issueAt } from '../../api/problem.ts';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Area, Choose, Field } from '../../ui/field.tsx';
import { FormEnd } from '../../ui/form-end.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { purposes } from '../contacts/purposes.ts';
import { definitionIn } from './definition.ts';

const statuses = ['OPTED_IN', 'OPTED_OUT', 'UNKNOWN', 'REVOKED', 'EXPIRED'] as const;
const fields = ['name', 'filters.localeIn', 'filters.createdAfter', 'filters.attributes'];

export function NewSegment({ onCancel }: { onCancel(): void }) {
  const { segments: words, contacts } = useWords();
  const { number } = useFormats();
  const { api, can, key, here } = useWorkspace();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const given = () => new FormData(form.current!);
  const count = useMutation({ mutationFn: () => api.segments.preview(definitionIn(given())) });
  const make = useMutation({
    mutationFn: () =>
      api.segments.create({ ...definitionIn(given()), name: String(given().get('name')).trim() }),
    onSuccess: async ({ sid }) => {
      await queries.invalidateQueries({ queryKey: [...key, 'segments'] });
      await navigate({ to: '/$environment/$account/segments/$segment', params: { ...here, segment: sid } });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  const error = make.error ?? count.error;
  return (
    <Panel title={words.make}>
      {/* What was counted is no longer what the form says. */}
      <form ref={form} className="grid max-w-xl gap-3" onSubmit={submit} onChange={() => count.reset()}>
        <Field label={words.name} name="name" issue={issueAt(error, 'name')} autoFocus required />
        <div className="grid gap-3 sm:grid-cols-2">
          <Choose
            label={words.consentTo}
            name="purpose"
            choices={purposes.map((value) => ({ value, label: contacts.purposes[value] }))}
          />
          <Choose
            label={words.consentIs}
            name="status"
            choices={[
              { value: '', label: words.any },
              ...statuses.map((value) => ({ value, label: contacts.statuses[value] })),
            ]}
          />
          <Choose
            label={words.suppressed}
            name="suppressed"
            choices={[
              { value: '', label: words.any },
              { value: 'false', label: words.notSuppressed },
              { value: 'true', label: words.isSuppressed },
            ]}
          />
          <Field
            label={words.since}
            name="since"
            type="date"
            issue={issueAt(error, 'filters.createdAfter')}
          />
          <Field label={words.nameContains} name="name-contains" />
          <Field
            label={words.locales}
            name="locales"
            hint={words.localesHint}
            issue={issueAt(error, 'filters.localeIn')}
          />
        </div>
        <Area
          label={words.attributes}
          name="attributes"
          hint={words.attributesHint}
          issue={issueAt(error, 'filters.attributes')}
        />
        {error && <ProblemPanel error={error} fields={fields} />}
        {can('previewSegment') && (
          <div className="flex flex-wrap items-center gap-3">
            <Button busy={count.isPending} onClick={() => count.mutate()}>
              {words.count}
            </Button>
            <span role="status">{count.data && words.counted(number(count.data.count))}</span>
          </div>
        )}
        <FormEnd submit={words.create} cancel={words.cancel} busy={make.isPending} onCancel={onCancel} />
      </form>
    </Panel>
  );
}
