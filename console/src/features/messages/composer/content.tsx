// What a message says and from where, whoever gets it: a template with its blanks filled, or own words.
import type { Sender, SendMessageRequest, Template } from '@godwit/sdk';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { issueAt } from '../../../api/problem.ts';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { Area, Choose, Field } from '../../../ui/field.tsx';
import { useWords } from '../../../words/words.tsx';
import { blanksOf, componentsOf, isFillable, keyOf, shownText } from './templates.ts';

export type Sendable = { senders: Sender[]; templates: Template[] };

/** From where, and what, can be sent here by hand. */
export function useSendable() {
  const { api, can, key } = useWorkspace();
  return useQuery({
    queryKey: [...key, 'composer'],
    queryFn: async (): Promise<Sendable> => ({
      senders: (await api.senders.list({ status: 'CONNECTED', limit: 100 })).data,
      templates: can('listTemplates')
        ? (await api.templates.list({ status: 'APPROVED', limit: 100 })).data.filter(isFillable)
        : [],
    }),
  });
}

export type Content = {
  from: string;
  /** The SID of a template; empty for own words. */
  template: string;
  text: string;
  filled: Record<string, string>;
};

/** What can be sent as it is, where there is something. */
export const firstContent = ({ senders, templates }: Sendable): Content => ({
  from: senders[0]!.sid,
  template: (templates.find((one) => blanksOf(one).length === 0) ?? templates[0])?.sid ?? '',
  text: '',
  filled: {},
});

/** Null until something is written. */
export function messageOf(
  { from, template: sid, text, filled }: Content,
  { templates }: Sendable,
): Pick<SendMessageRequest, 'from' | 'type' | 'text' | 'template'> | null {
  const template = templates.find((one) => one.sid === sid);
  if (!template) return text === '' ? null : { from, type: 'text', text: { body: text } };
  if (!blanksOf(template).every((blank) => filled[keyOf(blank)])) return null;
  const components = componentsOf(template, filled);
  const { name, language } = template;
  return {
    from,
    type: 'template',
    template: { name, language, ...(components.length > 0 && { components }) },
  };
}

type Props = {
  sendable: Sendable;
  content: Content;
  error?: unknown;
  onChange(changed: Partial<Content>): void;
  /** What stands between from where and what. */
  children?: ReactNode;
};

export function ContentFields({
  sendable: { senders, templates },
  content,
  error,
  onChange,
  children,
}: Props) {
  const words = useWords().composer;
  const template = templates.find(({ sid }) => sid === content.template);
  return (
    <>
      <Choose
        label={words.from}
        value={content.from}
        choices={senders.map(({ sid, displayName, phoneNumber }) => ({
          value: sid,
          label: `${displayName} ${phoneNumber}`,
        }))}
        onChange={({ target }) => onChange({ from: target.value })}
      />
      {children}
      <Choose
        label={words.kind}
        value={content.template}
        choices={[
          ...templates.map(({ sid, name, language }) => ({ value: sid, label: `${name} (${language})` })),
          { value: '', label: words.freeText },
        ]}
        onChange={({ target }) => onChange({ template: target.value, filled: {} })}
      />
      {template ? (
        <Filling template={template} filled={content.filled} onFill={(filled) => onChange({ filled })} />
      ) : (
        <Area
          label={words.text}
          value={content.text}
          maxLength={4096}
          issue={issueAt(error, 'text.body')}
          onChange={({ target }) => onChange({ text: target.value })}
        />
      )}
    </>
  );
}

type FillingProps = {
  template: Template;
  filled: Record<string, string>;
  onFill(filled: Record<string, string>): void;
};

function Filling({ template, filled, onFill }: FillingProps) {
  const words = useWords().composer;
  return (
    <>
      {blanksOf(template).map((blank) => (
        <Field
          key={keyOf(blank)}
          label={words.blank(blank.name)}
          value={filled[keyOf(blank)] ?? ''}
          onChange={({ target }) => onFill({ ...filled, [keyOf(blank)]: target.value })}
        />
      ))}
      <p className="rounded-md bg-soft p-3 whitespace-pre-wrap wrap-anywhere">
        {shownText(template, filled)}
      </p>
    </>
  );
}
