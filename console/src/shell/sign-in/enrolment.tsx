// The first second factor, for people whose organization asks for one before anything else.
import type { EnrolledMfaCredential, MfaEnrollment } from '@godwit/sdk';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { forgetSessions } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Sheet } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useWords } from '../../words/words.tsx';
import { createPasskey } from '../proofs.ts';
import { useWorkspace } from '../workspace.tsx';

type Method = 'WEBAUTHN' | 'TOTP';

export function Enrolment() {
  const words = useWords().enrolment;
  const router = useRouter();
  const { api } = useWorkspace();
  const [waiting, setWaiting] = useState<MfaEnrollment | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const goOn = () => {
    forgetSessions();
    return router.invalidate();
  };
  const complete = useMutation({
    mutationFn: ({ id, ceremonyRef, response }: { id: string; ceremonyRef: string; response: string }) =>
      api.identity.completeMfaEnrollment(id, { ceremonyRef, response }),
    onSuccess: ({ recoveryCodes }: EnrolledMfaCredential) =>
      recoveryCodes ? setCodes(recoveryCodes) : goOn(),
  });
  const begin = useMutation({
    mutationFn: async (method: Method) => {
      const asked =
        method === 'TOTP'
          ? { method, providerKey: 'totp', displayName: words.appName }
          : { method, providerKey: 'passkey', displayName: words.passkeyName };
      const begun = await api.identity.createMfaEnrollment(asked);
      if (method === 'TOTP') return setWaiting(begun);
      await complete.mutateAsync({ ...begun, response: await createPasskey(begun.publicKey!) });
    },
  });
  if (codes) return <Codes codes={codes} onKept={goOn} />;
  const error = complete.error ?? begin.error;
  return (
    <Sheet title={words.title}>
      <p>{words.why}</p>
      {error && <ProblemPanel error={error} />}
      {waiting ? (
        <form
          className="grid gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            complete.mutate({ ...waiting, response: String(new FormData(event.currentTarget).get('code')) });
          }}
        >
          <p>
            {words.secret} <code>{waiting.totp!.secret}</code> <a href={waiting.totp!.uri}>{words.openApp}</a>
          </p>
          <Field
            label={words.code}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            required
          />
          <Button kind="primary" type="submit" busy={complete.isPending}>
            {words.finish}
          </Button>
        </form>
      ) : (
        <div className="grid gap-2">
          <Button kind="primary" busy={begin.isPending} onClick={() => begin.mutate('WEBAUTHN')}>
            {words.passkey}
          </Button>
          <Button busy={begin.isPending} onClick={() => begin.mutate('TOTP')}>
            {words.app}
          </Button>
        </div>
      )}
    </Sheet>
  );
}

function Codes({ codes, onKept }: { codes: string[]; onKept(): void }) {
  const words = useWords().enrolment;
  return (
    <Sheet title={words.codesTitle}>
      <p>{words.codes}</p>
      <ol className="list-decimal pl-6">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <Button kind="primary" onClick={onKept}>
        {words.kept}
      </Button>
    </Sheet>
  );
}
