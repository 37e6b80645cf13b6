// One message: what it says, what became of it and what it cost, on one line of time.
import type { Message, MessageTimelineEntry } from '@godwit/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Asked } from '../../shell/asked.tsx';
import { useAskEveryMs } from '../../shell/live.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Json } from '../../ui/json.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { Phone } from '../sandbox-phones/phone.tsx';
import { Status } from './status.tsx';

// Where nothing is heard of it, what is on its way is looked at again while it is new: a receiver whose phone is off may take days.
const newMs = 120_000;
const isMoving = ({ status, createdAt }: Message) =>
  ['queued', 'sending', 'sent', 'delivered'].includes(status) &&
  Date.now() - new Date(createdAt).getTime() < newMs;

export function MessagePage() {
  const { message: sid } = useParams({ from: '/$environment/$account/messages/$message' });
  const words = useWords().messages;
  const { api } = useWorkspace();
  const askEveryMs = useAskEveryMs();
  const load = async () => {
    const [message, timeline] = await Promise.all([api.messages.get(sid), api.messages.getTimeline(sid)]);
    return { message, timeline };
  };
  return (
    <Asked name={['messages', sid]} load={load} againMs={({ message }) => isMoving(message) && askEveryMs}>
      {({ message, timeline }) => (
        <div className="grid gap-4">
          <h1>
            {words.one} <code>{sid}</code>
          </h1>
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <div className="grid min-w-0 gap-4">
              <What message={message} />
              <Phone number={message.to.value} senderSid={message.from} isAwaited={isMoving(message)} />
            </div>
            <Timeline entries={timeline.entries} />
          </div>
        </div>
      )}
    </Asked>
  );
}

function What({ message }: { message: Message }) {
  const words = useWords().messages;
  const { money, time } = useFormats();
  const { price, error } = message;
  const facts: Fact[] = [
    [words.status, <Status key="status" status={message.status} />],
    [
      words.direction,
      words.directions[message.direction as keyof typeof words.directions] ?? message.direction,
    ],
    [words.person, message.to.value],
    [words.when, time(message.createdAt)],
    ...(price ? [[words.price, money(price.final ?? price.estimate)] as const] : []),
  ];
  return (
    <Panel title={words.facts} aside={<Cancel message={message} />}>
      <Facts facts={facts} />
      {error && (
        <p className="mt-3 text-bad">
          <code>{error.code}</code> {error.message}
        </p>
      )}
      {message.content && <Json value={message.content} />}
    </Panel>
  );
}

function Cancel({ message: { sid, status } }: { message: Message }) {
  const words = useWords().messages;
  const { api, can, key } = useWorkspace();
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => api.messages.cancel(sid),
    onSettled: () => queries.invalidateQueries({ queryKey: [...key, 'messages'] }),
  });
  if (!can('cancelMessage') || !['queued', 'scheduled', 'deferred'].includes(status)) return null;
  return (
    <>
      <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
        {words.cancel}
      </Button>
      {cancel.error && <ProblemPanel error={cancel.error} />}
    </>
  );
}

function Timeline({ entries }: { entries: MessageTimelineEntry[] }) {
  const words = useWords().messages;
  return (
    <Panel title={words.timeline}>
      <ol className="grid gap-2">
        {entries.map((entry, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no name of their own, and are only added at the end
          <li key={at} data-entry={entry.kind} className="border-l-2 border-line pl-3 text-sm">
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function Entry({ entry }: { entry: MessageTimelineEntry }) {
  const words = useWords().messages;
  const { money, precise, number } = useFormats();
  const { kind, at, status, attempt, code, reason, durationMs, amount, delivery } = entry;
  const facts = [
    attempt !== null && words.attempt(number(attempt)),
    durationMs !== null && words.took(number(durationMs)),
    amount && money(amount),
    delivery && `${delivery.eventType} ${delivery.endpointSid} ${delivery.httpStatus ?? ''}`,
    reason,
  ].filter((fact) => typeof fact === 'string');
  return (
    <>
      <time dateTime={at} className="text-quiet tabular-nums">
        {precise(at)}
      </time>{' '}
      {words.kinds[kind as keyof typeof words.kinds] ?? kind}{' '}
      {kind === 'status' ? (
        <Status status={status} />
      ) : (
        <span>{words.outcomes[status as keyof typeof words.outcomes] ?? status}</span>
      )}{' '}
      {code && <code>{code}</code>}
      {facts.length > 0 && <span className="block text-quiet wrap-anywhere">{facts.join(', ')}</span>}
    </>
  );
}
