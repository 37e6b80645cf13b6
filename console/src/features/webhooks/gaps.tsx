// The numbers an endpoint never acknowledged, as a strip and as ranges that can be sent again.
import { useMutation } from '@tanstack/react-query';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import type { GapRange, WatchedGaps } from './use-gaps.ts';

export function Gaps({ sid, gaps }: { sid: string; gaps: WatchedGaps }) {
  const words = useWords().webhooks;
  const { api, can } = useWorkspace();
  const { number } = useFormats();
  const replay = useMutation({
    mutationFn: ({ from, to }: GapRange) =>
      api.webhooks.replayEvents({
        endpointSid: sid,
        fromSequence: from,
        toSequence: to,
        unacknowledgedOnly: true,
      }),
    onSuccess: gaps.watch,
  });
  const { ranges, error, refetch, hasMore } = gaps;
  return (
    <Panel title={words.gaps}>
      {error && <ProblemPanel error={error} retry={refetch} />}
      {replay.error && <ProblemPanel error={replay.error} />}
      {!ranges ? (
        !error && <Waiting />
      ) : ranges.length === 0 ? (
        <p className="text-good">{words.noGap}</p>
      ) : (
        <>
          <Strip ranges={ranges} />
          <ul className="grid gap-2">
            {ranges.map((range) => (
              <li
                key={range.from}
                data-gap={`${range.from}-${range.to}`}
                className="flex flex-wrap items-center gap-3"
              >
                <span className={`tabular-nums ${range.isFailed ? 'text-bad' : 'text-warn'}`}>
                  {range.isFailed ? words.lost(number(range.count)) : words.waiting(number(range.count))}
                </span>
                {can('replayEvents') && (
                  <Button busy={replay.isPending} onClick={() => replay.mutate(range)}>
                    {words.replay(number(range.from), number(range.to))}
                  </Button>
                )}
              </li>
            ))}
          </ul>
          {hasMore && <p className="mt-2 text-sm text-quiet">{words.moreGaps}</p>}
        </>
      )}
    </Panel>
  );
}

/** From the first number that is missing to the last: what failed is red, what waits is yellow. */
function Strip({ ranges }: { ranges: GapRange[] }) {
  const first = ranges[0]!.from;
  const length = ranges.at(-1)!.to - first + 1;
  return (
    <svg
      viewBox={`0 0 ${length} 1`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className="mb-3 h-3 w-full rounded bg-soft"
    >
      {ranges.map(({ from, to, isFailed }) => (
        <rect
          key={from}
          x={from - first}
          width={to - from + 1}
          height={1}
          className={isFailed ? 'fill-bad' : 'fill-warn'}
        />
      ))}
    </svg>
  );
}
