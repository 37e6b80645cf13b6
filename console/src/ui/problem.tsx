// One panel for everything that goes wrong: what, why, what to do, and what to tell whoever helps.
import { useEffect, useState } from 'react';
import { issuesBeside, problemOf } from '../api/problem.ts';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';

type Props = {
  error: unknown;
  /** Fields on the page that show their own issue. */
  fields?: readonly string[];
  retry?: () => void;
};

export function ProblemPanel({ error, fields = [], retry }: Props) {
  const words = useWords().problem;
  const problem = problemOf(error);
  const issues = issuesBeside(problem, fields);
  return (
    <div role="alert" className="grid gap-2 rounded-md border border-bad bg-paper p-3 text-sm">
      <p className="font-medium text-bad">{words.title}</p>
      <p className="wrap-anywhere">{problem.message ?? words.offline}</p>
      {issues.length > 0 && (
        <ul className="list-disc pl-5">
          {issues.map(({ path, issue }) => (
            <li key={`${path} ${issue}`}>
              <code>{path}</code> {issue}
            </li>
          ))}
        </ul>
      )}
      <p className="flex flex-wrap gap-x-4 text-quiet">
        <code>{problem.code}</code>
        {problem.requestId && (
          <span>
            {words.request} <code>{problem.requestId}</code>
          </span>
        )}
        {problem.docUrl && (
          <a href={problem.docUrl} target="_blank" rel="noreferrer" className="text-accent underline">
            {words.docs}
          </a>
        )}
      </p>
      {retry && <Retry retry={retry} afterSeconds={problem.retryAfterSeconds ?? 0} />}
    </div>
  );
}

function Retry({ retry, afterSeconds }: { retry: () => void; afterSeconds: number }) {
  const words = useWords().problem;
  const [left, setLeft] = useState(afterSeconds);
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => setLeft(left - 1), 1_000);
    return () => clearTimeout(timer);
  }, [left]);
  return (
    <Button className="justify-self-start" disabled={left > 0} onClick={retry}>
      {left > 0 ? words.retryIn(left) : words.retry}
    </Button>
  );
}
