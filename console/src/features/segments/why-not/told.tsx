// What was told so far: how many were judged, how many would be reached at which price, and each reason with some of its people and
// what can be done about it.
import type { Money, Segment, WhyNotMessage } from '@godwit/sdk';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { Button } from '../../../ui/button.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { Cell, Row, Table } from '../../../ui/table.tsx';
import { Unfold } from '../../../ui/unfold.tsx';
import { useFormats, useWords } from '../../../words/words.tsx';
import { type LeavingOut, leavingOut } from './leaving-out.ts';
import { Mending, One } from './mending.tsx';
import { nameOf, type ReasonTally, type Tally } from './tally.ts';
import { isChange, type LeftOut, useLeavingOut } from './use-leaving-out.ts';

type Props = {
  segment: Segment;
  message: WhyNotMessage;
  isMarketing: boolean;
  tally: Tally;
  isComplete: boolean;
  isAsking: boolean;
  onTemplate: (() => void) | null;
  onChanged(): void;
};

export function Told(given: Props) {
  const { segment, message, tally, isComplete, onTemplate } = given;
  const words = useWords().segments;
  const { number } = useFormats();
  const { judged, reached, cost, reasons } = tally;
  const most = Math.max(segment.memberCount, judged, 1);
  const leaving = useLeavingOut(segment, given.onChanged);
  return (
    <div className="grid gap-3" data-judged={judged} data-complete={isComplete}>
      <progress
        aria-label={words.progress}
        max={most}
        value={isComplete ? most : judged}
        className="w-full"
      />
      <p role="status">
        {words.judged(number(judged))} <span className="text-good">{words.reached(number(reached))}</span>{' '}
        <Sums sums={cost} />
      </p>
      {leaving.done && (
        <Done done={leaving.done} now={segment} isBusy={leaving.isBusy} takeBack={leaving.takeBack} />
      )}
      {leaving.error && <ProblemPanel error={leaving.error} />}
      {reasons.length > 0 && (
        <Table columns={[words.reason, words.people, words.wouldCost, words.toDo]}>
          {reasons.map((one) => (
            <Row key={nameOf(one)}>
              <Cell className="align-top whitespace-nowrap">
                <code data-reason={one.code}>{one.code}</code>
                <span className="block text-quiet">{one.gate ?? words.noMessage}</span>
              </Cell>
              <Cell className="align-top tabular-nums">{number(one.contacts)}</Cell>
              <Cell className="align-top tabular-nums">
                <Sums sums={one.cost} />
              </Cell>
              <Cell>
                <div className="mb-2 flex flex-wrap gap-2">
                  <Mending reason={one} onTemplate={onTemplate} />
                  <LeaveOut
                    reason={one}
                    way={leavingOut(one, { ...given, filters: segment.filters })}
                    isBusy={leaving.isBusy || given.isAsking}
                    onLeave={leaving.leave}
                  />
                </div>
                <Unfold label={words.showSamples(number(one.samples.length))}>
                  {() => (
                    <ul className="mt-2 grid gap-2">
                      {one.samples.map((sample) => (
                        <One
                          key={sample.contactSid}
                          segmentSid={segment.sid}
                          message={message}
                          sample={sample}
                        />
                      ))}
                    </ul>
                  )}
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

type LeaveOutProps = {
  reason: ReasonTally;
  way: LeavingOut | null;
  isBusy: boolean;
  onLeave: ReturnType<typeof useLeavingOut>['leave'];
};

function LeaveOut({ reason, way, isBusy, onLeave }: LeaveOutProps) {
  const words = useWords().segments;
  const { can } = useWorkspace();
  if (way === null) return null;
  if ('not' in way)
    return can('createSegment') && <span className="text-quiet">{words.notYetWithout[way.not]}</span>;
  if (!can(way.by === 'names' ? 'createSegment' : 'updateSegment')) return null;
  return (
    <Button busy={isBusy} onClick={() => onLeave(way, reason.code)}>
      {words.leaveOut[way.by]}
    </Button>
  );
}

type DoneProps = { done: LeftOut; now: Segment; isBusy: boolean; takeBack(): void };

/** What became of the segment, and the way back while nobody else has changed it. */
function Done({ done, now, isBusy, takeBack }: DoneProps) {
  const words = useWords().segments;
  const { number } = useFormats();
  const { can, here } = useWorkspace();
  const { before, after } = done;
  const isSame = isChange(done);
  // The button that was pressed is gone with its reason.
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => line.current?.focus(), []);
  const canTakeBack = isSame
    ? can('updateSegment') && now.filterVersion <= after.filterVersion
    : can('deleteSegment');
  return (
    <div
      ref={line}
      tabIndex={-1}
      className="flex flex-wrap items-center gap-3"
      data-left-out={isSame ? 'changed' : 'made'}
    >
      <p role="status">
        {isSame
          ? words.leftOut(number(before.memberCount), number(after.memberCount))
          : words.madeWithout(number(after.memberCount))}{' '}
        {!isSame && (
          <Link
            to="/$environment/$account/segments/$segment"
            params={{ ...here, segment: after.sid }}
            className="text-accent underline wrap-anywhere"
          >
            {after.name}
          </Link>
        )}
      </p>
      {canTakeBack && (
        <Button busy={isBusy} onClick={takeBack}>
          {words.takeBack}
        </Button>
      )}
    </div>
  );
}
