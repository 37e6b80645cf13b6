// A labelled input with what is wrong with it.
import { type ComponentProps, type ReactNode, useId } from 'react';
import { useWords } from '../words/words.tsx';

const inputClass =
  'w-full min-h-9 rounded-md border border-edge bg-paper px-2.5 py-1 text-ink aria-invalid:border-bad';

type Around = { label: string; issue?: string | null; hint?: string };

function Labelled({
  label,
  issue,
  hint,
  children,
}: Around & { children(ids: { id: string; describedBy: string | undefined }): ReactNode }) {
  const id = useId();
  const told = issue ?? hint;
  const describedBy = told ? `${id}-told` : undefined;
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm text-quiet">
        {label}
      </label>
      {children({ id, describedBy })}
      {told && (
        <p id={describedBy} className={`text-sm ${issue ? 'text-bad' : 'text-quiet'}`}>
          {told}
        </p>
      )}
    </div>
  );
}

export function Field({ label, issue, hint, ...input }: Around & ComponentProps<'input'>) {
  return (
    <Labelled label={label} issue={issue} hint={hint}>
      {({ id, describedBy }) => (
        <input
          {...input}
          id={id}
          aria-invalid={issue ? true : undefined}
          aria-describedby={describedBy}
          className={inputClass}
        />
      )}
    </Labelled>
  );
}

export function Area({ label, issue, hint, ...area }: Around & ComponentProps<'textarea'>) {
  return (
    <Labelled label={label} issue={issue} hint={hint}>
      {({ id, describedBy }) => (
        <textarea
          {...area}
          id={id}
          aria-invalid={issue ? true : undefined}
          aria-describedby={describedBy}
          className={`${inputClass} min-h-24`}
        />
      )}
    </Labelled>
  );
}

type Choice = { value: string; label: string };

export function Choose({
  label,
  issue,
  hint,
  choices,
  ...select
}: Around & ComponentProps<'select'> & { choices: readonly Choice[] }) {
  return (
    <Labelled label={label} issue={issue} hint={hint}>
      {({ id, describedBy }) => (
        <select
          {...select}
          id={id}
          aria-invalid={issue ? true : undefined}
          aria-describedby={describedBy}
          className={inputClass}
        >
          {choices.map(({ value, label: shown }) => (
            <option key={value} value={value}>
              {shown}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

type FilterProps<Word extends string> = {
  label: string;
  value: Word | undefined;
  all: readonly Word[];
  /** Each as it is, where there are none. */
  names?: Readonly<Record<Word, string>>;
  onChange(value: Word | undefined): void;
};

/** One of several words to look for, or any of them. */
export const Filter = <Word extends string>({ label, value, all, names, onChange }: FilterProps<Word>) => (
  <Choose
    label={label}
    value={value ?? ''}
    choices={[
      { value: '', label: useWords().list.any },
      ...all.map((word) => ({ value: word, label: names?.[word] ?? word })),
    ]}
    onChange={({ target }) => onChange(all.find((word) => word === target.value))}
  />
);
