// Something that is so or not.
import type { ComponentProps } from 'react';

type Props = Omit<ComponentProps<'input'>, 'type'> & { label: string };

export const Check = ({ label, ...input }: Props) => (
  <label className="flex items-center gap-2 text-sm">
    <input {...input} type="checkbox" className="size-4" />
    <span className="wrap-anywhere">{label}</span>
  </label>
);

type ManyProps = {
  legend: string;
  all: readonly string[];
  chosen: readonly string[];
  issue?: string | null;
  onChange(chosen: string[]): void;
};

/** Any of several words, each as it is. */
export const Checks = ({ legend, all, chosen, issue, onChange }: ManyProps) => (
  <fieldset className="grid gap-1">
    <legend className="mb-1 text-sm text-quiet">{legend}</legend>
    {issue && <p className="text-sm text-bad">{issue}</p>}
    <div className="grid max-h-64 gap-1 overflow-y-auto rounded-md border border-line p-2 sm:grid-cols-2">
      {all.map((word) => (
        <Check
          key={word}
          label={word}
          checked={chosen.includes(word)}
          onChange={({ target }) =>
            onChange(target.checked ? [...chosen, word] : chosen.filter((one) => one !== word))
          }
        />
      ))}
    </div>
  </fieldset>
);
