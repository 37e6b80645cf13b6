// The buttons of a template, in their order. One of a kind that is not written here stays as it is.
import type { TemplateButton } from '@godwit/sdk';
import { Button } from '../../ui/button.tsx';
import { Choose, Field } from '../../ui/field.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { buttonTypes } from './draft.ts';

type Props = {
  buttons: TemplateButton[];
  issueOf(at: number, field: string): string | null;
  onChange(buttons: TemplateButton[]): void;
};

/** What a button of a kind has beside its name. */
const fieldsOf: Partial<Record<TemplateButton['type'], readonly ('url' | 'phoneNumber' | 'example')[]>> = {
  URL: ['url', 'example'],
  PHONE_NUMBER: ['phoneNumber'],
  COPY_CODE: ['example'],
};

export function ButtonsField({ buttons, issueOf, onChange }: Props) {
  const words = useResourceWords().templates;
  const changeAt = (at: number, changed: TemplateButton) => onChange(buttons.with(at, changed));
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm text-quiet">{words.buttons}</legend>
      {buttons.map((button, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: buttons have a place and no name
        <div key={at} className="grid gap-2 rounded-md border border-line p-2" data-button={at}>
          <OneButton
            button={button}
            issueOf={(field) => issueOf(at, field)}
            onChange={(changed) => changeAt(at, changed)}
          />
          <Button className="justify-self-start" onClick={() => onChange(buttons.toSpliced(at, 1))}>
            {words.removeButton}
          </Button>
        </div>
      ))}
      {buttons.length < 10 && (
        <Button
          className="justify-self-start"
          onClick={() => onChange([...buttons, { type: 'QUICK_REPLY', text: '' }])}
        >
          {words.addButton}
        </Button>
      )}
    </fieldset>
  );
}

type OneProps = {
  button: TemplateButton;
  issueOf(field: string): string | null;
  onChange(button: TemplateButton): void;
};

function OneButton({ button, issueOf, onChange }: OneProps) {
  const words = useResourceWords().templates;
  const { type, text } = button;
  if (!buttonTypes.some((one) => one === type))
    return (
      <p className="wrap-anywhere">
        <code>{type}</code> {text}
      </p>
    );
  const fields = fieldsOf[type] ?? [];
  // The example of an address is asked for once it has a blank.
  const shown = fields.filter(
    (field) => field !== 'example' || type === 'COPY_CODE' || button.url?.includes('{{'),
  );
  return (
    <>
      <Choose
        label={words.buttonType}
        value={type}
        choices={buttonTypes.map((value) => ({ value, label: words.buttonTypes[value] }))}
        onChange={({ target }) => {
          const picked = buttonTypes.find((one) => one === target.value)!;
          onChange(picked === 'COPY_CODE' ? { type: picked } : { type: picked, text: text ?? '' });
        }}
      />
      {type !== 'COPY_CODE' && (
        <Field
          label={words.buttonText}
          value={text ?? ''}
          maxLength={25}
          issue={issueOf('text')}
          required
          onChange={({ target }) => onChange({ ...button, text: target.value })}
        />
      )}
      {shown.map((field) => (
        <Field
          key={field}
          label={words.buttonFields[field]}
          value={(field === 'example' ? button.example?.[0] : button[field]) ?? ''}
          issue={issueOf(field)}
          required
          onChange={({ target }) =>
            onChange({ ...button, [field]: field === 'example' ? [target.value] : target.value })
          }
        />
      ))}
    </>
  );
}
