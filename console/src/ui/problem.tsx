// One panel for everything that goes wrong: what, why, what to do, and what to tell whoever helps.
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { issuesBeside, type Problem, problemOf } from '../api/problem.ts';
import { asCurl } from '../api/programs/curl.ts';
import { requests } from '../api/requests.ts';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Json } from './json.tsx';
import { Unfold } from './unfold.tsx';

/** What else is known of a problem where it is shown, such as how it goes on; nothing, where nobody has signed in. */
export const KnownOfProblem = createContext<(problem: Problem) => ReactNode>(() => null);

type Props = {
  error: unknown;
  /** Fields on the page that show their own issue. */
  fields?: readonly string[];
  retry?: () => void;
};

export function ProblemPanel({ error, fields = [], retry }: Props) {
  const words = useWords().problem;
  const problem = problemOf(error);
  const known = useContext(KnownOfProblem)(problem);
  const issues = issuesBeside(problem, known ? [...fields, 'approvalSid'] : fields);
  const [edge, ink] = known ? ['border-warn', 'text-warn'] : ['border-bad', 'text-bad'];
  return (
    <div role="alert" className={`grid gap-2 rounded-md border ${edge} bg-paper p-3 text-sm`}>
      <p className={`font-medium ${ink}`}>{known ? words.waits : words.title}</p>
      <p className="wrap-anywhere">{problem.message ?? words.offline}</p>
      {known}
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
      <Reproduce problem={problem} />
      {retry && <Retry retry={retry} afterSeconds={problem.retryAfterSeconds ?? 0} />}
    </div>
  );
}

/** What was asked, as a command: whoever helps can ask the same. */
function Reproduce({ problem: { requestId } }: { problem: Problem }) {
  const words = useWords().problem;
  const asked = requestId === null ? undefined : requests.all().find((one) => one.requestId === requestId);
  if (!asked) return null;
  return (
    <Unfold label={words.reproduce}>
      {() => {
        const curl = asCurl(asked, location.origin);
        return (
          <div data-reproduce>
            <Json value={curl} />
            <CopyButton className="mt-2" label={words.copy} text={curl} />
          </div>
        );
      }}
    </Unfold>
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
