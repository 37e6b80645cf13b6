// What was asked waits for a second person: who that is, where they decide, and how it goes on.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { useAskEveryMs } from '../live.tsx';
import { useWorkspace } from '../workspace.tsx';

export default function ApprovalCard({ sid }: { sid: string }) {
  const words = useWords().approvals;
  const { time } = useFormats();
  const { api, can, key, here } = useWorkspace();
  const isReader = can('getApproval');
  const { data } = useQuery({
    queryKey: [...key, 'approvals', sid],
    queryFn: () => api.approvals.get(sid),
    enabled: isReader,
    refetchInterval: useAskEveryMs(),
  });
  const address = `${location.origin}/console/${here.environment}/${here.account}/approvals/${sid}`;
  const state = data?.state ?? 'PENDING';
  return (
    <div data-approval={state} className="grid gap-2">
      {data && <p className="wrap-anywhere">{data.summary}</p>}
      {state === 'PENDING' ? (
        <>
          <p>{words.who}</p>
          <p>{words.onward}</p>
          {data && (
            <p>
              {words.expires} {time(data.expiresAt)}
            </p>
          )}
        </>
      ) : (
        <p role="status" className={state === 'APPROVED' ? 'text-good' : 'text-bad'}>
          {state === 'APPROVED' ? words.done : words.over}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-3">
        {isReader ? (
          <Link
            to="/$environment/$account/approvals/$approval"
            params={{ ...here, approval: sid }}
            className="text-accent underline"
          >
            {words.open} <code>{sid}</code>
          </Link>
        ) : (
          <code>{sid}</code>
        )}
        <CopyButton label={words.copy} text={address} />
      </div>
    </div>
  );
}
