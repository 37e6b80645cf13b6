// Writing a message, with the verdict of every gate beside it while one types. What would be refused cannot be sent.
import type { Sender, SendMessageRequest, Template } from '@godwit/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { issueAt } from '../../../api/problem.ts';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { Button } from '../../../ui/button.tsx';
import { Area, Choose, Field } from '../../../ui/field.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { useWords } from '../../../words/words.tsx';
import { Phone } from '../../sandbox-phones/phone.tsx';
import { blanksOf, componentsOf, isFillable, keyOf, shownText } from './templates.ts';
import { useRested, useVerdict } from './use-verdict.ts';
import { Verdict } from './verdict.tsx';

export function ComposerPage() {
  const words = useWords().composer;
  const { api, can, key } = useWorkspace();
  const { data, error, refetch } = useQuery({
    queryKey: [...key, 'composer'],
    queryFn: async () => ({
      senders: (await api.senders.list({ status: 'CONNECTED', limit: 100 })).data,
      templates: can('listTemplates')
        ? (await api.templates.list({ status: 'APPROVED', limit: 100 })).data.filter(isFillable)
        : [],
    }),
  });
  return (
    <div className="grid gap-4">
      <h1>{words.title}</h1>
      {error ? (
        <ProblemPanel error={error} retry={refetch} />
      ) : !data ? (
        <Waiting />
      ) : data.senders.length === 0 ? (
        <p>{words.noSender}</p>
      ) : (
        <Composer {...data} />
      )}
    </div>
  );
}

type Written = { from: string; to: string; template: string; text: string; filled: Record<string, string> };

/** Null until there is something to ask about. */
function bodyOf(written: Written, template: Template | undefined): SendMessageRequest | null {
  const { from, to, text, filled } = written;
  const isWritten = template ? blanksOf(template).every((blank) => filled[keyOf(blank)]) : text !== '';
  if (to.trim() === '' || !isWritten) return null;
  const meant = { from, to: to.trim() };
  if (!template) return { ...meant, type: 'text', text: { body: text } };
  const components = componentsOf(template, filled);
  const { name, language } = template;
  return {
    ...meant,
    type: 'template',
    template: { name, language, ...(components.length > 0 && { components }) },
  };
}

function Composer({ senders, templates }: { senders: Sender[]; templates: Template[] }) {
  const words = useWords().composer;
  const { api, key, environment, account } = useWorkspace();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [written, setWritten] = useState<Written>({
    from: senders[0]!.sid,
    to: useSearch({ from: '/$environment/$account/messages/new' }).to ?? '',
    // One that can be sent as it is, where there is one.
    template: (templates.find((one) => blanksOf(one).length === 0) ?? templates[0])?.sid ?? '',
    text: '',
    filled: {},
  });
  const template = templates.find(({ sid }) => sid === written.template);
  const body = bodyOf(written, template);
  const { verdict, error, refetch, isCurrent } = useVerdict(body);
  const number = useRested(written.to.trim());
  // One key for one message as it stands: pressed twice, it is sent once.
  const idempotency = useRef({ body: '', key: '' });
  const send = useMutation({
    mutationFn: (meant: SendMessageRequest) => {
      const text = JSON.stringify(meant);
      if (idempotency.current.body !== text) idempotency.current = { body: text, key: crypto.randomUUID() };
      return api.messages.send(meant, { idempotencyKey: idempotency.current.key });
    },
    onSuccess: async ({ sid }) => {
      await queries.invalidateQueries({ queryKey: [...key, 'messages'] });
      await navigate({
        to: '/$environment/$account/messages/$message',
        params: { environment, account: account.accountSid, message: sid },
      });
    },
  });
  const maySend = body !== null && isCurrent && verdict?.accepted === true;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (maySend) send.mutate(body);
  };
  const change = (changed: Partial<Written>) => setWritten({ ...written, ...changed });
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Panel title={words.message}>
        <form className="grid gap-3" onSubmit={submit}>
          <Choose
            label={words.from}
            value={written.from}
            choices={senders.map(({ sid, displayName, phoneNumber }) => ({
              value: sid,
              label: `${displayName} ${phoneNumber}`,
            }))}
            onChange={({ target }) => change({ from: target.value })}
          />
          <Field
            label={words.to}
            type="tel"
            value={written.to}
            hint={words.toHint}
            issue={issueAt(error, 'to')}
            autoFocus
            onChange={({ target }) => change({ to: target.value })}
          />
          <Choose
            label={words.kind}
            value={written.template}
            choices={[
              ...templates.map(({ sid, name, language }) => ({ value: sid, label: `${name} (${language})` })),
              { value: '', label: words.freeText },
            ]}
            onChange={({ target }) => change({ template: target.value, filled: {} })}
          />
          {template ? (
            <Filling template={template} filled={written.filled} onFill={(filled) => change({ filled })} />
          ) : (
            <Area
              label={words.text}
              value={written.text}
              maxLength={4096}
              issue={issueAt(error, 'text.body')}
              onChange={({ target }) => change({ text: target.value })}
            />
          )}
          {send.error && <ProblemPanel error={send.error} />}
          <Button kind="primary" type="submit" disabled={!maySend} busy={send.isPending}>
            {words.send}
          </Button>
        </form>
      </Panel>
      <div className="grid gap-4">
        <Panel title={words.verdict}>
          {error ? (
            <ProblemPanel error={error} fields={['to', 'text.body']} retry={refetch} />
          ) : verdict ? (
            <Verdict verdict={verdict} isCurrent={isCurrent} />
          ) : (
            <p className="text-quiet">{words.nothingYet}</p>
          )}
        </Panel>
        <Phone number={number} senderSid={written.from} />
      </div>
    </div>
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
