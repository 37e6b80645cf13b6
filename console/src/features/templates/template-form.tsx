// Writing a template: its parts, an example for each blank, and beside it what the customer would see.
import type { Template } from '@godwit/sdk';
import { type FormEvent, useState } from 'react';
import { issueAt } from '../../api/problem.ts';
import { useAct } from '../../shell/act.ts';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Check } from '../../ui/check.tsx';
import { Area, Choose, Field } from '../../ui/field.tsx';
import { FormEnd } from '../../ui/form-end.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { WabaField } from '../resources/waba-field.tsx';
import { ButtonsField } from './buttons-field.tsx';
import { type Draft, draftOf, emptyDraft, exampleKey, headerFormats, isNamed, partsOf } from './draft.ts';
import { categories } from './filters.ts';
import { Preview } from './preview.tsx';
import { SampleField } from './sample-field.tsx';
import { blanksIn } from './texts.ts';

type Props = { given?: Template; onDone(template: Template): void; onCancel(): void };

export function TemplateForm({ given, onDone, onCancel }: Props) {
  const words = useResourceWords().templates;
  const { api } = useWorkspace();
  const [draft, setDraft] = useState(given ? draftOf(given) : emptyDraft);
  const change = (changed: Partial<Draft>) => setDraft({ ...draft, ...changed });
  const named = given ? given.parameterFormat === 'NAMED' : isNamed(draft);
  const components = partsOf(draft, named);
  const { name, language, category, wabaSid } = draft;
  const save = useAct(
    'templates',
    () =>
      given
        ? api.templates.update(given.sid, {
            components,
            ...(category !== given.category && { category }),
          })
        : api.templates.create({
            name: name.trim(),
            language: language.trim(),
            category,
            components,
            ...(named && { parameterFormat: 'NAMED' }),
            ...(wabaSid && { wabaSid }),
          }),
    onDone,
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const { error } = save;
  const isCode = category === 'AUTHENTICATION';
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Panel title={given ? words.edit : words.make}>
        <form className="grid gap-3" onSubmit={submit}>
          {!given && (
            <>
              <WabaField value={wabaSid} error={error} onChange={(picked) => change({ wabaSid: picked })} />
              <Field
                label={words.name}
                value={name}
                hint={words.nameHint}
                issue={issueAt(error, 'name')}
                required
                onChange={({ target }) => change({ name: target.value })}
              />
              <Field
                label={words.language}
                value={language}
                hint={words.languageHint}
                issue={issueAt(error, 'language')}
                required
                onChange={({ target }) => change({ language: target.value })}
              />
            </>
          )}
          <Choose
            label={words.category}
            value={category}
            disabled={given?.status === 'APPROVED'}
            choices={categories.map((value) => ({ value, label: words.categories[value] }))}
            issue={issueAt(error, 'category')}
            onChange={({ target }) =>
              change({ category: categories.find((one) => one === target.value) ?? category })
            }
          />
          {isCode ? (
            <CodeFields draft={draft} onChange={change} />
          ) : (
            <WrittenFields
              draft={draft}
              onChange={change}
              issueOf={(part, field) =>
                issueAt(error, `components.${components.findIndex(({ type }) => type === part)}.${field}`)
              }
            />
          )}
          {error && <ProblemPanel error={error} fields={['name', 'language', 'category', 'wabaSid']} />}
          <FormEnd
            submit={given ? words.resubmit : words.create}
            cancel={words.cancel}
            busy={save.isPending}
            onCancel={onCancel}
          />
        </form>
      </Panel>
      <Preview components={components} />
    </div>
  );
}

type FieldsProps = { draft: Draft; onChange(changed: Partial<Draft>): void };

function WrittenFields({
  draft,
  onChange,
  issueOf,
}: FieldsProps & { issueOf(part: string, field: string): string | null }) {
  const words = useResourceWords().templates;
  const { format, header, body, footer, buttons, handle } = draft;
  return (
    <>
      <Choose
        label={words.header}
        value={format}
        choices={headerFormats.map((value) => ({ value, label: words.formats[value] }))}
        onChange={({ target }) =>
          onChange({ format: headerFormats.find((one) => one === target.value) ?? '', handle: '' })
        }
      />
      {format === 'TEXT' && (
        <Field
          label={words.headerText}
          value={header}
          issue={issueOf('HEADER', 'text')}
          required
          onChange={({ target }) => onChange({ header: target.value })}
        />
      )}
      {['IMAGE', 'VIDEO', 'DOCUMENT'].includes(format) && (
        <SampleField
          key={format}
          format={format}
          handle={handle}
          issue={issueOf('HEADER', 'example.headerHandle')}
          onHandle={(given) => onChange({ handle: given })}
        />
      )}
      <Area
        label={words.body}
        value={body}
        hint={words.bodyHint}
        issue={issueOf('BODY', 'text')}
        required
        onChange={({ target }) => onChange({ body: target.value })}
      />
      <Examples draft={draft} onChange={onChange} />
      <Field
        label={words.footer}
        value={footer}
        issue={issueOf('FOOTER', 'text')}
        onChange={({ target }) => onChange({ footer: target.value })}
      />
      <ButtonsField
        buttons={buttons}
        issueOf={(at, field) => issueOf('BUTTONS', `buttons.${at}.${field}`)}
        onChange={(changed) => onChange({ buttons: changed })}
      />
    </>
  );
}

/** Whoever reviews the template wants to see what each blank could hold. */
function Examples({ draft, onChange }: FieldsProps) {
  const words = useResourceWords().templates;
  const { format, examples } = draft;
  const parts = format === 'TEXT' ? (['header', 'body'] as const) : (['body'] as const);
  const blanks = parts.flatMap((part) => blanksIn(draft[part]).map((name) => [name, exampleKey(part, name)]));
  return blanks.map(([name = '', key = '']) => (
    <Field
      key={key}
      label={words.example(name)}
      value={examples[key] ?? ''}
      required
      onChange={({ target }) => onChange({ examples: { ...examples, [key]: target.value } })}
    />
  ));
}

function CodeFields({ draft: { warns, minutes }, onChange }: FieldsProps) {
  const words = useResourceWords().templates;
  return (
    <>
      <p className="text-sm text-quiet">{words.codeHelp}</p>
      <Check
        label={words.warns}
        checked={warns}
        onChange={({ target }) => onChange({ warns: target.checked })}
      />
      <Field
        label={words.minutes}
        type="number"
        min={1}
        max={90}
        value={minutes}
        onChange={({ target }) => onChange({ minutes: target.value })}
      />
    </>
  );
}
