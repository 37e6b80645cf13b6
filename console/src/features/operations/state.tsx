import type { Operation } from '@godwit/sdk';
import { StateWord, type Tones } from '../../ui/text/state-word.tsx';
import { useFormats, useWords } from '../../words/words.tsx';

const tones: Tones = { SUCCEEDED: 'good', FAILED: 'bad', WAITING: 'warn' };

export const State = ({ state }: { state: string }) => (
  <StateWord state={state} names={useWords().operations.states} tones={tones} />
);

/** How far it is: a bar where the end is known. */
export function Progress({ of: { progress, sid } }: { of: Operation }) {
  const words = useWords().operations;
  const { number, time } = useFormats();
  const { done, failed, total, ratePerSecond, estimatedEndAt } = progress;
  return (
    <div className="grid gap-1">
      {total !== null && (
        <progress
          aria-label={`${words.progress} ${sid}`}
          max={Math.max(total, 1)}
          value={done} // those that failed among them
          className="w-40"
        />
      )}
      <span className="text-quiet tabular-nums">
        {total === null ? number(done) : words.of(number(done), number(total))}
        {failed > 0 && `, ${words.failed(number(failed))}`}
        {ratePerSecond !== null && `, ${words.rate(number(ratePerSecond))}`}
        {estimatedEndAt && `, ${words.ends(time(estimatedEndAt))}`}
      </span>
    </div>
  );
}
