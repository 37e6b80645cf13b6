// What was told so far: how many were judged, how many would be reached at which price, and each reason with some of its people.
import type { Money } from '@godwit/sdk';
import { Cell, Row, Table } from '../../../ui/table.tsx';
import { Unfold } from '../../../ui/unfold.tsx';
import { useFormats, useWords } from '../../../words/words.tsx';
import { ContactLink } from '../../contacts/contact-link.tsx';
import { Evidence } from '../../messages/composer/evidence.tsx';
import { nameOf, type Sample, type Tally } from './tally.ts';

type Props = { tally: Tally; members: number; isComplete: boolean };

export function Told({ tally, members, isComplete }: Props) {
  const words = useWords().segments;
  const { number } = useFormats();
  const { judged, reached, cost, reasons } = tally;
  return (
    <div className="grid gap-3" data-judged={judged} data-complete={isComplete}>
      <progress
        aria-label={words.progress}
        max={Math.max(members, judged, 1)}
        value={isComplete ? Math.max(members, judged, 1) : judged}
        className="w-full"
      />
      <p role="status">
        {words.judged(number(judged))} <span className="text-good">{words.reached(number(reached))}</span>{' '}
        <Sums sums={cost} />
      </p>
      {reasons.length > 0 && (
        <Table columns={[words.reason, words.people, words.wouldCost, words.samples]}>
          {reasons.map((one) => (
            <Row key={nameOf(one)}>
              <Cell>
                <code data-reason={one.code}>{one.code}</code>
                <span className="block text-quiet">{one.gate ?? words.noMessage}</span>
              </Cell>
              <Cell className="tabular-nums">{number(one.contacts)}</Cell>
              <Cell className="tabular-nums">
                <Sums sums={one.cost} />
              </Cell>
              <Cell>
                <Unfold label={words.showSamples(number(one.samples.length))}>
                  {() => <Samples samples={one.samples} />}
                </Unfold>
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </div>
  );
}

function Sums({ sums }: { sums: readonly Money[] }) {
  const { money } = useFormats();
  return sums.map(money).join(' + ');
}

function Samples({ samples }: { samples: readonly Sample[] }) {
  return (
    <ul className="mt-2 grid gap-2">
      {samples.map(({ contactSid, message, evidence }) => (
        <li key={contactSid} data-sample={contactSid}>
          <ContactLink sid={contactSid} />
          <span className="block text-quiet">{message}</span>
          <Evidence of={evidence} />
        </li>
      ))}
    </ul>
  );
}
