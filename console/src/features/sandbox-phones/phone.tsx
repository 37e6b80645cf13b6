// The phone of a simulated customer: what they see of a sender, and what they answer.
import type { SandboxPhoneScreen } from '@godwit/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAskEveryMs } from '../../shell/live.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Check } from '../../ui/check.tsx';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { useWords } from '../../words/words.tsx';
import { Bubble } from './bubble.tsx';

const isNumber = (text: string) => /^\+[1-9]\d{7,14}$/.test(text);

type Props = {
  number: string;
  senderSid: string;
  /** Something is on its way to it already. */
  isAwaited?: boolean;
};

/** Nothing where there are no simulated customers, or nobody of that number. */
export function Phone(props: Props) {
  const { environment, can } = useWorkspace();
  if (environment !== 'sandbox' || !can('readSandboxPhone') || !isNumber(props.number)) return null;
  return <Screen key={`${props.number} ${props.senderSid}`} {...props} />;
}

function Screen({ number, senderSid, isAwaited = false }: Props) {
  const words = useWords().phone;
  const { api, can, key } = useWorkspace();
  const queries = useQueryClient();
  const queryKey = [...key, 'phones', number, senderSid];
  const askEveryMs = useAskEveryMs();
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: () => api.sandboxPhones.read(number, { senderSid, limit: 20 }),
    refetchInterval: isAwaited && askEveryMs,
  });
  const act = useMutation({
    mutationFn: (doing: () => Promise<SandboxPhoneScreen>) => doing(),
    onSuccess: (screen) => queries.setQueryData(queryKey, screen),
  });
  const mayWrite = can('writeOnSandboxPhone');
  const press = (messageId: string, button: string) =>
    act.mutate(() => api.sandboxPhones.press(number, { messageId, button }));
  if (error) return <ProblemPanel error={error} retry={refetch} />;
  if (!data) return <Waiting />;
  const isStopped = data.marketingStoppedFor.includes(senderSid);
  return (
    <Panel title={words.title(data.name ?? number)}>
      {data.messages.length === 0 ? (
        <p className="text-quiet">{words.empty}</p>
      ) : (
        <ol className="grid gap-2">
          {data.messages.toReversed().map((message) => (
            <Bubble
              key={message.id}
              message={message}
              onPress={mayWrite && !act.isPending ? (button) => press(message.id, button) : undefined}
            />
          ))}
        </ol>
      )}
      {act.error && <ProblemPanel error={act.error} />}
      {mayWrite && (
        <>
          <Answer
            busy={act.isPending}
            onWrite={(text) => act.mutate(() => api.sandboxPhones.write(number, { senderSid, text }))}
          />
          <Check
            label={words.noMarketing}
            checked={isStopped}
            disabled={act.isPending}
            onChange={() =>
              act.mutate(() =>
                api.sandboxPhones.prefer(number, { senderSid, marketing: isStopped ? 'RESUME' : 'STOP' }),
              )
            }
          />
        </>
      )}
    </Panel>
  );
}

function Answer({ busy, onWrite }: { busy: boolean; onWrite(text: string): void }) {
  const words = useWords().phone;
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '') return;
    onWrite(text);
    setText('');
  };
  return (
    <form className="my-3 flex flex-wrap items-end gap-2" onSubmit={submit}>
      <div className="min-w-40 flex-1">
        <Field
          label={words.answer}
          value={text}
          maxLength={4096}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      <Button type="submit" busy={busy}>
        {words.write}
      </Button>
    </form>
  );
}
