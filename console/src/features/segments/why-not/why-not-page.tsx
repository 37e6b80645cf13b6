// Why the members of a segment would not be reached by a message: how many for each reason, some of them, what it is about, and what to do.
import type { Segment, WhyNotMessage } from '@godwit/sdk';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { Button } from '../../../ui/button.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { useWords } from '../../../words/words.tsx';
import {
  ContentFields,
  firstContent,
  messageOf,
  type Sendable,
  useSendable,
} from '../../messages/composer/content.tsx';
import { Told } from './told.tsx';
import { useWhyNot } from './use-why-not.ts';

export function WhyNotPage() {
  const { segment: sid } = useParams({ from: '/$environment/$account/segments/$segment/why-not' });
  const { segments: words, composer } = useWords();
  const { api, key } = useWorkspace();
  const segment = useQuery({ queryKey: [...key, 'segments', sid], queryFn: () => api.segments.get(sid) });
  const sendable = useSendable();
  const error = segment.error ?? sendable.error;
  if (error)
    return <ProblemPanel error={error} retry={() => Promise.all([segment.refetch(), sendable.refetch()])} />;
  if (!segment.data || !sendable.data) return <Waiting />;
  return (
    <div className="grid gap-4">
      <h1 className="wrap-anywhere">{words.whyNotOf(segment.data.name)}</h1>
      {sendable.data.senders.length === 0 ? (
        <p>{composer.noSender}</p>
      ) : (
        <Question segment={segment.data} sendable={sendable.data} />
      )}
    </div>
  );
}

function Question({ segment, sendable }: { segment: Segment; sendable: Sendable }) {
  const { segments: words, composer } = useWords();
  const [content, setContent] = useState(() => firstContent(sendable));
  const { asked, isAsking, error, ask, goOn, stop } = useWhyNot(segment.sid);
  const message = messageOf(content, sendable);
  const { templates } = sendable;
  const withTemplate = () => {
    const instead = { ...content, template: firstContent(sendable).template, filled: {} };
    setContent(instead);
    // One with blanks is asked about once they are filled in.
    const meant = messageOf(instead, sendable);
    if (meant) ask(meant);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (message) ask(message);
  };
  return (
    <div className="grid items-start gap-4 lg:grid-cols-3">
      <Panel title={composer.message}>
        <form className="grid gap-3" onSubmit={submit}>
          <ContentFields
            sendable={sendable}
            content={content}
            onChange={(changed) => setContent({ ...content, ...changed })}
          />
          <Button kind="primary" type="submit" disabled={message === null} busy={isAsking}>
            {words.ask}
          </Button>
        </form>
      </Panel>
      <div className="grid min-w-0 gap-4 lg:col-span-2">
        {error && <ProblemPanel error={error} retry={goOn} />}
        <Panel title={words.told}>
          {asked ? (
            <>
              <Told
                {...asked}
                segment={segment}
                isMarketing={isMarketing(asked.message, sendable)}
                isAsking={isAsking}
                onTemplate={templates.length > 0 ? withTemplate : null}
                onChanged={() => ask(asked.message)}
              />
              <div className="mt-3">
                {isAsking ? (
                  <Button onClick={stop}>{words.stop}</Button>
                ) : (
                  !asked.isComplete && <Button onClick={goOn}>{words.goOn}</Button>
                )}
              </div>
            </>
          ) : (
            <p className="text-quiet">{words.notAsked}</p>
          )}
        </Panel>
      </div>
    </div>
  );
}

/** Whether all templates it may mean are: what is not known to be is taken for something else. */
function isMarketing({ template }: WhyNotMessage, { templates }: Sendable): boolean {
  const meant = templates.filter(
    ({ name, language }) => name === template?.name && language === template?.language,
  );
  return meant.length > 0 && meant.every(({ category }) => category === 'MARKETING');
}
