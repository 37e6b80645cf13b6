// Adding a second factor: it is begun, the person shows that it works, and their first one comes with recovery codes.
import type { CreateMfaEnrollmentRequest, MfaEnrollment } from '@godwit/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { issueAt } from '../api/problem.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemPanel } from '../ui/problem.tsx';
import { useWords } from '../words/words.tsx';
import { createPasskey } from './proofs.ts';
import { useWorkspace } from './workspace.tsx';

export type Factor = 'WEBAUTHN' | 'TOTP';
const providerKeys: Record<Factor, string> = { WEBAUTHN: 'passkey', TOTP: 'totp' };

type Props = {
  begin(asked: CreateMfaEnrollmentRequest): Promise<MfaEnrollment>;
  /** With recovery codes where it is somebody's first factor. */
  onAdded(recoveryCodes: string[] | null): void;
};

export function useEnrolling({ begin, onAdded }: Props) {
  const { api } = useWorkspace();
  const [app, setApp] = useState<MfaEnrollment | null>(null);
  const complete = useMutation({
    mutationFn: ({ id, ceremonyRef, response }: { id: string; ceremonyRef: string; response: string }) =>
      api.identity.completeMfaEnrollment(id, { ceremonyRef, response }),
    onSuccess({ recoveryCodes }) {
      setApp(null);
      onAdded(recoveryCodes);
    },
    gcTime: 0,
  });
  const start = useMutation({
    mutationFn: async ({ method, displayName }: { method: Factor; displayName: string }) => {
      complete.reset();
      const begun = await begin({ method, providerKey: providerKeys[method], displayName });
      if (method === 'TOTP') return setApp(begun);
      await complete.mutateAsync({ ...begun, response: await createPasskey(begun.publicKey!) });
    },
  });
  return {
    start: start.mutate,
    /** The app whose code is waited for. */
    app,
    finish: (code: string) => complete.mutate({ ...app!, response: code }),
    busy: start.isPending || complete.isPending,
    error: complete.error ?? start.error,
  };
}

type Enrolling = ReturnType<typeof useEnrolling>;

/** The secret for an app, and the code that shows that the app has it. */
export function AppCode({ enrolling: { app, finish, busy, error } }: { enrolling: Enrolling }) {
  const words = useWords().enrolment;
  if (!app?.totp) return null;
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        finish(String(new FormData(event.currentTarget).get('code')).trim());
      }}
    >
      <p>
        {words.secret} <code data-app-secret>{app.totp.secret}</code>{' '}
        <a href={app.totp.uri}>{words.openApp}</a>
      </p>
      <Field
        label={words.code}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        issue={issueAt(error, 'response')}
        autoFocus
        required
      />
      <Button kind="primary" type="submit" className="justify-self-start" busy={busy}>
        {words.finish}
      </Button>
    </form>
  );
}

export const EnrollingProblem = ({ enrolling: { error, app } }: { enrolling: Enrolling }) =>
  error && <ProblemPanel error={error} fields={app ? ['response'] : []} />;

/** Shown this once; they stand in the page alone. */
export const RecoveryCodes = ({ codes }: { codes: readonly string[] }) => (
  <>
    <p>{useWords().enrolment.codes}</p>
    <ol className="list-decimal pl-6">
      {codes.map((code) => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ol>
  </>
);
