// One action that waits, or waited, for a second person, and the decision about it.
import type { Approval } from '@godwit/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { issueAt } from '../../api/problem.ts';
import { Asked } from '../../shell/asked.tsx';
import { useStepUp } from '../../shell/step-up.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Area } from '../../ui/field.tsx';
import { Json } from '../../ui/json.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { State } from './state.tsx';

export function ApprovalPage() {
  const { approval: sid } = useParams({ from: '/$environment/$account/approvals/$approval' });
  const words = useWords().approvals;
  const { api, can } = useWorkspace();
  return (
    <div className="grid gap-4">
      <h1>
        {words.one} <code>{sid}</code>
      </h1>
      <Asked name={['approvals', sid]} load={() => api.approvals.get(sid)}>
        {(approval) => (
          <>
            <What approval={approval} />
            {approval.state === 'PENDING' && can('approveApproval') && <Decide sid={sid} />}
          </>
        )}
      </Asked>
    </div>
  );
}

function What({ approval }: { approval: Approval }) {
  const words = useWords().approvals;
  const { time } = useFormats();
  const { action, summary, state, requestedBy, createdAt, expiresAt, decidedBy, decidedAt, decisionReason } =
    approval;
  return (
    <Panel title={words.facts}>
      <Facts
        facts={[
          [words.summary, summary],
          [words.action, <code key="action">{action}</code>],
          [words.state, <State key="state" state={state} />],
          [words.by, requestedBy],
          [words.when, time(createdAt)],
          ...(state === 'PENDING' ? [[words.expires, time(expiresAt)] as const] : []),
          ...(decidedBy ? [[words.decidedBy, decidedBy] as const] : []),
          ...(decidedAt ? [[words.decided, time(decidedAt)] as const] : []),
          ...(decisionReason ? [[words.reason, decisionReason] as const] : []),
        ]}
      />
      {approval.result && (
        <section className="mt-3">
          <h3 className="font-semibold">{words.result}</h3>
          <Json value={approval.result} />
        </section>
      )}
    </Panel>
  );
}

function Decide({ sid }: { sid: string }) {
  const words = useWords().approvals;
  const { api, key } = useWorkspace();
  const queries = useQueryClient();
  const prove = useStepUp();
  const decide = useMutation({
    mutationFn: ({ approves, reason }: { approves: boolean; reason: string }) =>
      prove((shown) =>
        approves
          ? api.approvals.approve(sid, reason ? { reason } : {}, shown)
          : api.approvals.reject(sid, { reason }, shown),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: [...key, 'approvals'] }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const approves = (submitter as HTMLButtonElement).value === 'approve';
    decide.mutate({ approves, reason: String(new FormData(event.currentTarget).get('reason')).trim() });
  };
  return (
    <Panel title={words.decide}>
      <form className="grid max-w-2xl gap-3" onSubmit={submit}>
        <Area label={words.reason} name="reason" maxLength={2000} issue={issueAt(decide.error, 'reason')} />
        {decide.error && <ProblemPanel error={decide.error} fields={['reason']} />}
        <div className="flex flex-wrap gap-2">
          <Button kind="primary" type="submit" value="approve" busy={decide.isPending}>
            {words.approve}
          </Button>
          <Button type="submit" value="reject" busy={decide.isPending}>
            {words.reject}
          </Button>
        </div>
      </form>
    </Panel>
  );
}
