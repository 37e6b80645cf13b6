// What can be done about a reason: for everybody where it is about the message or where it comes from, for each by themselves where
// it is about them. What somebody agreed to is nothing to be recorded for many at once.
import type { WhyNotMessage } from '@godwit/sdk';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { Button } from '../../../ui/button.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { useWords } from '../../../words/words.tsx';
import { NewConsent } from '../../contacts/consents.tsx';
import { ContactLink } from '../../contacts/contact-link.tsx';
import { Lift } from '../../contacts/suppressions.tsx';
import { Evidence } from '../../messages/composer/evidence.tsx';
import { SenderLink } from '../../resources/sender-link.tsx';
import type { ReasonTally, Sample } from './tally.ts';

const textAt = (evidence: Sample['evidence'], name: string) => {
  const value = evidence[name];
  return typeof value === 'string' ? value : null;
};

type MendingProps = {
  reason: ReasonTally;
  /** Asks with a template instead; null where there is none. */
  onTemplate: (() => void) | null;
};

export function Mending({ reason: { gate, samples }, onTemplate }: MendingProps) {
  const words = useWords().segments;
  const { can, here } = useWorkspace();
  const evidence = samples[0]?.evidence ?? {};
  const [senderSid, templateSid] = [textAt(evidence, 'senderSid'), textAt(evidence, 'templateSid')];
  if (gate === 'service_window' && onTemplate)
    return <Button onClick={onTemplate}>{words.useTemplate}</Button>;
  if (gate === 'sender' && senderSid && can('getSender'))
    return <SenderLink sid={senderSid} label={words.openSender} />;
  if ((gate === 'content' || gate === 'category') && templateSid && can('getTemplate'))
    return (
      <Link
        to="/$environment/$account/templates/$template"
        params={{ ...here, template: templateSid }}
        className="text-accent underline"
      >
        {words.openTemplate}
      </Link>
    );
  if (gate === 'portfolio_limit' && can('listPortfolios'))
    return (
      <Link to="/$environment/$account/portfolios" params={here} className="text-accent underline">
        {words.openLimits}
      </Link>
    );
  return null;
}

type OneProps = { segmentSid: string; message: WhyNotMessage; sample: Sample };

/** Somebody it stands against, what can be done about that, and what sending says once it is done. */
export function One({ segmentSid, message, sample: { contactSid, message: told, evidence } }: OneProps) {
  const { api, can } = useWorkspace();
  const again = useMutation({
    mutationFn: () => api.segments.whyNot(segmentSid, { message, contactSids: [contactSid] }),
  });
  const [isRecording, setRecording] = useState(false);
  const { contacts } = useWords();
  const [purpose, suppressionSid] = [textAt(evidence, 'purpose'), textAt(evidence, 'suppressionSid')];
  const now = again.data?.members[0];
  return (
    <li data-sample={contactSid} className="grid justify-items-start gap-1">
      <ContactLink sid={contactSid} />
      <span className="text-quiet">{told}</span>
      <Evidence of={evidence} contactSid={contactSid} />
      {purpose && can('createContactConsent') && !isRecording && !again.data && (
        <Button onClick={() => setRecording(true)}>{contacts.record}</Button>
      )}
      {isRecording && (
        <NewConsent
          sid={contactSid}
          purpose={purpose ?? undefined}
          onCancel={() => setRecording(false)}
          onDone={() => {
            setRecording(false);
            again.mutate();
          }}
        />
      )}
      {suppressionSid && !again.data && (
        <Lift contactSid={contactSid} sid={suppressionSid} onDone={() => again.mutate()} />
      )}
      {again.error && <ProblemPanel error={again.error} retry={() => again.mutate()} />}
      <span role="status">
        {now && <Verdict reached={now.reached} codes={now.reasons.map(({ code }) => code)} />}
      </span>
    </li>
  );
}

function Verdict({ reached, codes }: { reached: boolean; codes: string[] }) {
  const words = useWords().segments;
  return (
    <span data-now={reached ? 'reached' : 'refused'} className={reached ? 'text-good' : 'text-warn'}>
      {reached ? words.reachedNow : words.stillAgainst} {codes.join(', ')}
    </span>
  );
}
