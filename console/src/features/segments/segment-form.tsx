// What makes somebody belong, while somebody writes it: counted before it is kept.
import type { Segment } from '@godwit/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { issueAt, issueWithin } from '../../api/problem.ts';
import { useAct } from '../../shell/act.ts';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Area, Choose, Field } from '../../ui/field.tsx';
import { FormEnd } from '../../ui/form-end.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { purposes } from '../contacts/purposes.ts';
import { definitionIn, fieldsOf, unreadableIn } from './definition.ts';

const statuses = ['OPTED_IN', 'OPTED_OUT', 'UNKNOWN', 'REVOKED', 'EXPIRED'] as const;
const filters = ['displayNameContains', 'localeIn', 'timezoneIn', 'consent', 'createdAfter', 'attributes'];
const fields = ['name', ...filters.map((name) => `filters.${name}.*`)];

type Props = {
  /** The one that is changed, as it is now; another is made where there is none. */
  given?: Segment;
  onDone(segment: Segment): unknown;
  onCancel(): void;
};

export function SegmentForm({ given, onDone, onCancel }: Props) {
  const { segments: words, contacts } = useWords();
  const { number } = useFormats();
  const { api, can } = useWorkspace();
  const form = useRef<HTMLFormElement>(null);
  // As it was when the form was opened: what nobody touches stays so.
  const [opened, setOpened] = useState(given);
  // The newest version somebody here knows of: one they do not know is not written over.
  const [known, setKnown] = useState(given?.filterVersion);
  const [unreadable, setUnreadable] = useState<string | null>(null);
  const before = opened?.filters ?? {};
  const shown = fieldsOf(before);
  const meant = () => definitionIn(new FormData(form.current!), before);
  const count = useMutation({
    mutationFn: () =>
      api.segments.preview({ ...meant(), ...(given?.contactSids && { contactSids: given.contactSids }) }),
  });
  const save = useAct(
    'segments',
    async () => {
      const { kind, filters: wanted } = meant();
      const name = String(new FormData(form.current!).get('name')).trim();
      if (!given) return api.segments.create({ kind, name, ...(wanted && { filters: wanted }) });
      const { filterVersion } = await api.segments.get(given.sid);
      if (filterVersion !== known) return null;
      return api.segments.update(given.sid, { kind, name, filters: wanted ?? {} });
    },
    (saved) => saved && onDone(saved),
  );
  const whenReadable = (act: () => void) => {
    const line = unreadableIn(new FormData(form.current!));
    setUnreadable(line);
    if (line === null) act();
  };
  const beginAgain = () => {
    setOpened(given);
    setKnown(given?.filterVersion);
    setUnreadable(null);
    save.reset();
    count.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    whenReadable(() => save.mutate());
  };
  const error = save.error ?? count.error;
  const at = (filter: string) => issueWithin(error, `filters.${filter}`);
  return (
    <Panel title={given ? words.edit : words.make}>
      {given && given.filterVersion !== known && (
        <div role="alert" className="mb-3 flex flex-wrap items-center gap-3 text-warn" data-changed>
          {words.changedMeanwhile(number(given.filterVersion))}
          <Button onClick={beginAgain}>{words.readAgain}</Button>
          <Button onClick={() => setKnown(given.filterVersion)}>{words.keepMine}</Button>
        </div>
      )}
      {/* What was counted is no longer what the form says. */}
      <form
        key={opened?.filterVersion}
        ref={form}
        className="grid max-w-xl gap-3"
        onSubmit={submit}
        onChange={() => count.reset()}
      >
        <Field
          label={words.name}
          name="name"
          defaultValue={opened?.name}
          issue={issueAt(error, 'name')}
          autoFocus
          required
        />
        {given?.contactSids && (
          <p className="text-sm text-quiet">{words.narrowed(number(given.contactSids.length))}</p>
        )}
        <div className="grid gap-3 sm:grid-cols-2">
          <Choose
            label={words.consentTo}
            name="purpose"
            defaultValue={shown.purpose}
            issue={at('consent')}
            choices={purposes.map((value) => ({ value, label: contacts.purposes[value] }))}
          />
          <Choose
            label={words.consentIs}
            name="status"
            defaultValue={shown.status}
            choices={[
              { value: '', label: words.any },
              ...statuses.map((value) => ({ value, label: contacts.statuses[value] })),
            ]}
          />
          <Choose
            label={words.suppressed}
            name="suppressed"
            defaultValue={shown.suppressed}
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
            defaultValue={shown.since}
            issue={at('createdAfter')}
          />
          <Field
            label={words.nameContains}
            name="name-contains"
            defaultValue={shown['name-contains']}
            issue={at('displayNameContains')}
          />
          <Field
            label={words.locales}
            name="locales"
            defaultValue={shown.locales}
            hint={words.localesHint}
            issue={at('localeIn')}
          />
          <Field
            label={words.timezones}
            name="timezones"
            defaultValue={shown.timezones}
            hint={words.timezonesHint}
            issue={at('timezoneIn')}
          />
        </div>
        <Area
          label={words.attributes}
          name="attributes"
          defaultValue={shown.attributes}
          hint={words.attributesHint}
          issue={unreadable === null ? at('attributes') : words.unreadable(unreadable)}
        />
        {error && <ProblemPanel error={error} fields={fields} />}
        {can('previewSegment') && (
          <div className="flex flex-wrap items-center gap-3">
            <Button busy={count.isPending} onClick={() => whenReadable(() => count.mutate())}>
              {words.count}
            </Button>
            <span role="status">{count.data && words.counted(number(count.data.count))}</span>
          </div>
        )}
        <FormEnd
          submit={given ? words.save : words.create}
          cancel={words.cancel}
          busy={save.isPending}
          onCancel={onCancel}
        />
      </form>
    </Panel>
  );
}
