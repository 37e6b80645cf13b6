// What the console knows of a problem beyond what the service says of it.
import { lazy, type ReactNode, Suspense } from 'react';
import type { Problem } from '../../api/problem.ts';
import { KnownOfProblem } from '../../ui/problem.tsx';
import { Waiting } from '../../ui/waiting.tsx';

const ApprovalCard = lazy(() => import('./approval-card.tsx'));

function cardOf({ code, details }: Problem): ReactNode {
  if (code !== 'APPROVAL_REQUIRED') return null;
  const sid = details.find(({ path }) => path === 'approvalSid')?.issue;
  return (
    sid && (
      <Suspense fallback={<Waiting />}>
        <ApprovalCard sid={sid} />
      </Suspense>
    )
  );
}

export const ProblemCards = ({ children }: { children: ReactNode }) => (
  <KnownOfProblem value={cardOf}>{children}</KnownOfProblem>
);
