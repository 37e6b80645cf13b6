// What can be done to a connection. Each is written down with its reason, and what takes a while is an operation.
import type { Operation, ReconnectWabaRequest, Waba } from '@godwit/sdk';
import { type FormEvent, useState } from 'react';
import type { OperationId } from '../../api/can.ts';
import { issueAt } from '../../api/problem.ts';
import { useAct } from '../../shell/act.ts';
import { useStepUp } from '../../shell/step-up.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { FormEnd } from '../../ui/form-end.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { OperationLink } from '../operations/operation-link.tsx';

type Act = 'reconcile' | 'reconnect' | 'disconnect';

const operations: Record<Act, OperationId> = {
  reconcile: 'reconcileWabaSubscription',
  reconnect: 'reconnectWaba',
  disconnect: 'disconnectWaba',
};

function actsOn({ connection: { state, token } }: Waba): Act[] {
  if (state === 'DISCONNECTED') return ['reconnect'];
  return token === 'INVALID' ? ['reconnect', 'reconcile', 'disconnect'] : ['reconcile', 'disconnect'];
}

export function WabaActs({ waba }: { waba: Waba }) {
  const words = useResourceWords().wabas;
  const { can } = useWorkspace();
  const [act, setAct] = useState<Act | null>(null);
  const [started, setStarted] = useState<Operation | null>(null);
  return (
    <div className="mt-3 grid gap-3">
      {started && (
        <p role="status">
          <OperationLink sid={started.sid} label={words.started} />
        </p>
      )}
      {act ? (
        <Reason
          key={act}
          waba={waba}
          act={act}
          onDone={(operation) => {
            setStarted(operation);
            setAct(null);
          }}
          onCancel={() => setAct(null)}
        />
      ) : (
        <div className="flex flex-wrap gap-2">
          {actsOn(waba)
            .filter((one) => can(operations[one]))
            .map((one) => (
              <Button key={one} onClick={() => setAct(one)}>
                {words.acts[one]}
              </Button>
            ))}
        </div>
      )}
    </div>
  );
}

type Meant = { reason: string; caseRef: string };
type Props = { waba: Waba; act: Act; onDone(operation: Operation | null): void; onCancel(): void };

function Reason({ waba: { sid }, act, onDone, onCancel }: Props) {
  const words = useResourceWords().wabas;
  const { api } = useWorkspace();
  const prove = useStepUp();
  const { providerAccounts } = api;
  const doing: Record<Act, (meant: Meant) => Promise<Operation | null>> = {
    reconcile: (meant) => providerAccounts.reconcileWabaSubscription(sid, meant),
    reconnect: (meant) =>
      prove(({ idempotencyKey, ...shown }) => {
        // Without a token it is refused, and the refusal asks for the factor.
        const body = { ...meant, ...shown } as ReconnectWabaRequest;
        return providerAccounts.reconnectWaba(sid, body, { idempotencyKey });
      }),
    disconnect: ({ reason }) =>
      prove(async ({ idempotencyKey, ...shown }) => {
        await providerAccounts.disconnectWaba(sid, { reason, ...shown }, { idempotencyKey });
        return null;
      }),
  };
  const run = useAct('wabas', doing[act], onDone);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    run.mutate({ reason: String(given.get('reason')).trim(), caseRef: String(given.get('caseRef')).trim() });
  };
  const { error } = run;
  return (
    <form className="grid max-w-xl gap-3" onSubmit={submit}>
      <p className="text-sm text-quiet">{words.help[act]}</p>
      {act !== 'disconnect' && (
        <Field label={words.caseRef} name="caseRef" issue={issueAt(error, 'caseRef')} required />
      )}
      <Field label={words.reason} name="reason" issue={issueAt(error, 'reason')} required />
      {error && <ProblemPanel error={error} fields={['reason', 'caseRef']} />}
      <FormEnd submit={words.acts[act]} cancel={words.cancel} busy={run.isPending} onCancel={onCancel} />
    </form>
  );
}
