import type { Operation } from '@godwit/sdk';
import { useFormats, useWords } from '../../words/words.tsx';

const colours: Record<string, string> = { SUCCEEDED: 'text-good', FAILED: 'text-bad', WAITING: 'text-warn' };

/** A word this version does not know is shown as it is. */
export function State({ state }: { state: string }) {
  const { states } = useWords().operations;
  return (
    <span data-state={state} className={colours[state] ?? ''}>
      {states[state as keyof typeof states] ?? state}
    </span>
  );
}

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
          value={done + failed}
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
