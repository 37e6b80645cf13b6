// Writing a message, with the verdict of every gate beside it while one types. What would be refused cannot be sent.
import type { Preflight, SendMessageRequest } from '@godwit/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { issueAt } from '../../../api/problem.ts';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/field.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { useWords } from '../../../words/words.tsx';
import { Phone } from '../../sandbox-phones/phone.tsx';
import { ContentFields, firstContent, messageOf, type Sendable, useSendable } from './content.tsx';
import { Instead } from './instead.tsx';
import { useRested, useVerdict } from './use-verdict.ts';
import { Verdict } from './verdict.tsx';

export function ComposerPage() {
  const words = useWords().composer;
  const { data, error, refetch } = useSendable();
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
        <Composer sendable={data} />
      )}
    </div>
  );
}

function Composer({ sendable }: { sendable: Sendable }) {
  const words = useWords().composer;
  const { api, key, environment, account } = useWorkspace();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [content, setContent] = useState(() => firstContent(sendable));
  const [to, setTo] = useState(useSearch({ from: '/$environment/$account/messages/new' }).to ?? '');
  const message = messageOf(content, sendable);
  // Null until there is something to ask about.
  const body: SendMessageRequest | null = message && to.trim() !== '' ? { ...message, to: to.trim() } : null;
  const { verdict, error, refetch, isCurrent } = useVerdict(body);
  const number = useRested(to.trim());
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
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Panel title={words.message}>
        <form className="grid gap-3" onSubmit={submit}>
          <ContentFields
            sendable={sendable}
            content={content}
            error={error}
            onChange={(changed) => setContent({ ...content, ...changed })}
          >
            <Field
              label={words.to}
              type="tel"
              value={to}
              hint={words.toHint}
              issue={issueAt(error, 'to')}
              autoFocus
              onChange={({ target }) => setTo(target.value)}
            />
          </ContentFields>
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
            <>
              <Verdict verdict={verdict} isCurrent={isCurrent} />
              {content.template === '' && isWindowClosed(verdict) && (
                <Instead
                  from={content.from}
                  to={number}
                  sendable={sendable}
                  onChoose={(template) => setContent({ ...content, template, filled: {} })}
                />
              )}
            </>
          ) : (
            <p className="text-quiet">{words.nothingYet}</p>
          )}
        </Panel>
        <Phone number={number} senderSid={content.from} />
      </div>
    </div>
  );
}

const isWindowClosed = ({ checks }: Preflight) =>
  checks.some(({ gate, outcome }) => gate === 'service_window' && outcome === 'fail');
