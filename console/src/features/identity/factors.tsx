// One's own second factors: added, removed, and the recovery codes for when they are lost.
import type { MfaCredential } from '@godwit/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { CursorList } from '../../shell/cursor-list.tsx';
import {
  AppCode,
  EnrollingProblem,
  type Factor,
  RecoveryCodes,
  useEnrolling,
} from '../../shell/enrolling.tsx';
import { useStepUp } from '../../shell/step-up.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { SureButton } from '../../ui/sure-button.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useFormats, useWords } from '../../words/words.tsx';

export function Factors() {
  const words = useWords();
  const { api, key } = useWorkspace();
  const queries = useQueryClient();
  const [codes, setCodes] = useState<string[] | null>(null);
  const readAnew = () => queries.invalidateQueries({ queryKey: [...key, 'factors'] });
  return (
    <Panel title={words.own.factors}>
      <div className="grid gap-4">
        {codes && (
          <section role="status" className="grid gap-3 rounded-lg border border-warn p-4">
            <h3 className="font-semibold">{words.enrolment.codesTitle}</h3>
            <RecoveryCodes codes={codes} />
            <Button className="justify-self-start" onClick={() => setCodes(null)}>
              {words.enrolment.kept}
            </Button>
          </section>
        )}
        <CursorList
          name={['factors']}
          load={(page) => api.identity.listMfaCredentials(page)}
          none={words.own.noFactor}
        >
          {(factors) => <FactorTable factors={factors} onRemoved={readAnew} />}
        </CursorList>
        <NewFactor
          onAdded={(recoveryCodes) => {
            if (recoveryCodes) setCodes(recoveryCodes);
            void readAnew();
          }}
        />
        <NewCodes onCodes={setCodes} />
      </div>
    </Panel>
  );
}

function FactorTable({ factors, onRemoved }: { factors: MfaCredential[]; onRemoved(): void }) {
  const words = useWords().own;
  const { time } = useFormats();
  const kindOf = (method: string) => (method === 'WEBAUTHN' ? words.kinds.WEBAUTHN : words.kinds.TOTP);
  return (
    <Table columns={[words.name, words.kind, words.added, words.lastUsed, words.state, words.do]}>
      {factors.map(({ id, displayName, method, createdAt, lastUsedAt, usable }) => (
        <Row key={id}>
          <Cell className="max-w-60 wrap-anywhere">{displayName ?? kindOf(method)}</Cell>
          <Cell>{kindOf(method)}</Cell>
          <Cell className="whitespace-nowrap">{time(createdAt)}</Cell>
          <Cell className="whitespace-nowrap">{lastUsedAt ? time(lastUsedAt) : words.never}</Cell>
          <Cell>
            {usable ? (
              <span className="text-good">{words.usable}</span>
            ) : (
              <span className="text-bad">{words.turnedOff}</span>
            )}
          </Cell>
          <Cell>
            <Remove id={id} onRemoved={onRemoved} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function Remove({ id, onRemoved }: { id: string; onRemoved(): void }) {
  const words = useWords().own;
  const { api } = useWorkspace();
  const prove = useStepUp();
  const remove = useMutation({
    mutationFn: () => prove(({ stepUpToken = '' }) => api.identity.deleteMfaCredential(id, { stepUpToken })),
    onSuccess: onRemoved,
  });
  return (
    <>
      <SureButton
        label={words.remove}
        sure={words.removeSurely}
        busy={remove.isPending}
        onSure={remove.mutate}
      />
      {remove.error && <ProblemPanel error={remove.error} />}
    </>
  );
}

function NewFactor({ onAdded }: { onAdded(recoveryCodes: string[] | null): void }) {
  const words = useWords();
  const { api } = useWorkspace();
  const prove = useStepUp();
  const enrolling = useEnrolling({
    // Beside another factor the service asks for that one first, and the session remembers that it was shown.
    begin: (asked) =>
      prove(({ idempotencyKey }) => api.identity.createMfaEnrollment(asked, { idempotencyKey })),
    onAdded,
  });
  const names: Record<Factor, string> = {
    WEBAUTHN: words.enrolment.passkeyName,
    TOTP: words.enrolment.appName,
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const method = (submitter as HTMLButtonElement).value as Factor;
    const displayName = String(new FormData(event.currentTarget).get('displayName')).trim() || names[method];
    enrolling.start({ method, displayName });
  };
  return (
    <div className="grid gap-3">
      <EnrollingProblem enrolling={enrolling} />
      {enrolling.app ? (
        <AppCode enrolling={enrolling} />
      ) : (
        <form className="grid max-w-md gap-3" onSubmit={submit}>
          <Field label={words.own.newName} name="displayName" maxLength={128} hint={words.own.newNameHint} />
          <div className="flex flex-wrap gap-2">
            <Button type="submit" value="WEBAUTHN" busy={enrolling.busy}>
              {words.enrolment.passkey}
            </Button>
            <Button type="submit" value="TOTP" busy={enrolling.busy}>
              {words.enrolment.app}
            </Button>
          </div>
        </form>
      )}
    </div>
  );
}

function NewCodes({ onCodes }: { onCodes(codes: string[]): void }) {
  const words = useWords().own;
  const { api } = useWorkspace();
  const prove = useStepUp();
  const rotate = useMutation({
    mutationFn: () =>
      prove(({ idempotencyKey, stepUpToken = '' }) =>
        api.identity.rotateMfaRecoveryCodes({ stepUpToken }, { idempotencyKey }),
      ),
    onSuccess: ({ codes }) => onCodes(codes),
    gcTime: 0,
  });
  return (
    <div className="grid justify-items-start gap-2">
      {rotate.error && <ProblemPanel error={rotate.error} />}
      <SureButton
        label={words.newCodes}
        sure={words.newCodesSurely}
        busy={rotate.isPending}
        onSure={rotate.mutate}
      />
    </div>
  );
}
